import { AgentFailure } from '../agent.ts';

/** Matches broken JSON and event streams of other kinds of servers, which are not words. */
const machineText = /^(?:\{\s*["'}]|\[\s*[[{"'\]]|(?:data|event):)/;

/** Matches NUL and U+FFFD, which replaces invalid UTF-8: a picture, audio, or a legacy encoding. */
// oxlint-disable-next-line no-control-regex -- NUL is what is meant
const binary = /[\0\uFFFD]/;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Returns the reply in a plain-text body; undefined for `null` and other JSON without words. Throws an AgentFailure
 * `invalid_reply` for a body that cannot be meant as speech.
 */
export const plainReply = (text: string): string | undefined => {
  if (binary.test(text)) throw new AgentFailure('invalid_reply', 'the response is not text');
  const reply = text.trim();
  if (machineText.test(reply))
    throw new AgentFailure('invalid_reply', 'the response is neither text nor readable JSON');
  return isJson(reply) ? undefined : reply;
};
