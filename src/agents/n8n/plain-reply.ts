import { AgentFailure } from '../agent.ts';

/** What was to be JSON and is broken, or an event stream of another kind of server: not words in either case. */
const machineText = /^(?:\{\s*["'}]|\[\s*[[{"'\]]|(?:data|event):)/;

/** NUL, and what stands for bytes that are no UTF-8: a picture, a sound, an old encoding. */
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
 * The reply that a body of plain text is; undefined for `null` and other JSON that holds no words. Throws an
 * AgentFailure `invalid_reply` for what nobody can have meant to be spoken.
 */
export const plainReply = (text: string): string | undefined => {
  if (binary.test(text)) throw new AgentFailure('invalid_reply', 'the response is not text');
  const reply = text.trim();
  if (machineText.test(reply))
    throw new AgentFailure('invalid_reply', 'the response is neither text nor readable JSON');
  return isJson(reply) ? undefined : reply;
};
