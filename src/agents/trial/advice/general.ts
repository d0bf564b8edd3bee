/** Advice for every agent type, if the type itself has none. */
import { connectionAdvice } from '#src/outgoing/advice/failed-connection.ts';
import { tlsPortAdvice } from '#src/outgoing/advice/http-status.ts';
import { wantsTool } from '../../model-marks.ts';
import { unspeakable } from '../../spoken-reply.ts';
import { httpErrorAdvice } from './http-status.ts';
import type { Adviser } from './trouble.ts';

export const generalAdvice: Adviser = (trouble) => {
  const { binding, failure, text, turn } = trouble;
  const tlsPort = tlsPortAdvice(trouble);
  if (tlsPort !== undefined) return tlsPort.words;
  switch (failure?.kind) {
    case undefined:
      return turn.remarks.length > 0
        ? 'The answer held nothing to speak; the remark says why.'
        : 'The agent chose to say nothing. If that was not meant, look at what it answered.';
    case 'http_error':
      return httpErrorAdvice(trouble);
    case 'first_token_timeout':
      if (binding.agentType === 'webhook') {
        return 'The server did not answer in time, and the answer of a webhook is there only when it is whole. Let the server answer faster; one that streams is bound by another agent type, such as openai_compatible.';
      }
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
    case 'over_capacity':
      return 'The workspace has as many requests under way as it may. Wait until they are over, and try again.';
    case 'circuit_open':
      return connectionAdvice(trouble)?.words;
    case 'reply_cut_off':
      return 'The reply ended within a sentence. Look at the limit of tokens, at a proxy that closes streams, and at the end of the stream: it should have its end mark.';
    case 'no_reply':
      if (failure.detail === unspeakable) {
        return 'The answer has nothing that can be spoken, such as emoji or code alone. Let the agent answer in words.';
      }
      if (failure.detail.endsWith(wantsTool)) {
        return 'The model wrote the call of a tool into its text, and no words beside it. Let the server read such calls (most have a setting for it, such as a tool parser), run its tools, and send the words that follow.';
      }
      if (failure.detail.includes('longest length')) {
        return 'The model used up its tokens before it came to words. Allow it more of them, or let it think less.';
      }
      return 'The server answered without a reply. Look at what it answered.';
    case 'agent_reported_error':
      return 'The agent itself reported that it failed. Its own log should say more.';
    default:
      return undefined;
  }
};
