/** What holds for every agent type, where the type itself had nothing to say. */
import { unspeakable } from '../../start-reply.ts';
import type { Adviser, Trouble } from './trouble.ts';

const tokenPlace = ({ binding }: Trouble): string =>
  binding.direction === 'outbound'
    ? "the token of the number's outbound agent"
    : 'the session token that the handshake of the number gives to inbound calls';

export const refusedToken: Adviser = (trouble) => {
  const { status, hasToken } = trouble;
  if (status !== 401 && status !== 403) return undefined;
  return hasToken
    ? `The server does not take this bearer token (HTTP ${status}). Compare it with what the server expects; in calls it is ${tokenPlace(trouble)}.`
    : `The server wants to be shown a token (HTTP ${status}), and none was sent. In calls it is ${tokenPlace(trouble)}.`;
};

const httpError: Adviser = ({ status, path, host }) => {
  if (status === null) return undefined;
  if (status === 404) return `There is nothing at this path of ${host}. Correct the path of the chat URL.`;
  if (status === 405) {
    return `This address takes no POST. Correct the path of the chat URL${path === '' ? '; it has none' : ''}.`;
  }
  if (status === 413) return 'The server finds the request too large. Raise its limit for request bodies.';
  if (status === 429) return 'The server limits how often it may be asked. Raise its limit, or wait.';
  if (status >= 500) {
    return 'The server itself failed. Its own log should say why; it may stand in what it answered, too.';
  }
  return 'The server refuses the request. Look at what it answered.';
};

export const generalAdvice: Adviser = (trouble) => {
  const { failure, text, turn } = trouble;
  if (/plain HTTP request was sent to HTTPS port/i.test(text)) return 'Begin the URL with https://.';
  switch (failure?.kind) {
    case undefined:
      return turn.remarks.length > 0
        ? 'The answer held nothing to speak; the remark says why.'
        : 'The agent chose to say nothing. If that was not meant, look at what it answered.';
    case 'http_error':
      return refusedToken(trouble) ?? httpError(trouble);
    case 'first_token_timeout':
      return turn.exchanges.at(-1)?.received
        ? 'The server answered at once and sent no text in time. Let it stream its first words earlier.'
        : 'The server took the request and did not answer in time. Let it answer faster, or stream its reply.';
    case 'reply_timeout':
      return 'The reply did not end in time. Let the server end its response when everything is said.';
    case 'reply_too_large':
      return 'The reply is larger than a call takes. Let the agent say less, or send less beside its words.';
    case 'invalid_reply':
      return text.startsWith('<')
        ? 'The answer is a web page. Correct the chat URL: it leads to something that is made for people.'
        : 'The answer is not in the format of this agent type. Compare the type with what the server is.';
    case 'reply_cut_off':
      return 'The reply ended within a sentence. Look at the limit of tokens, at a proxy that closes streams, and at the end of the stream: it should have its end mark.';
    case 'no_reply':
      if (failure.detail === unspeakable) {
        return 'The answer has nothing that can be spoken, such as emoji or code alone. Let the agent answer in words.';
      }
      return 'The server answered without a reply. Look at what it answered.';
    case 'agent_reported_error':
      return 'The agent itself reported that it failed. Its own log should say more.';
    default:
      return undefined;
  }
};
