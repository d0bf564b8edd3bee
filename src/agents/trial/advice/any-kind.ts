/**
 * Symptoms and advice for every agent, if `kinds.ts` has none, and for the language model of the built-in agent. The
 * rows are tried from top to bottom; the first that applies counts.
 */
import { requestAdvice, statusTrouble, tlsPortTrouble } from '#src/outgoing/request-advice.ts';
import { wantsTool } from '../../model-marks.ts';
import { unspeakable } from '../../start-reply.ts';
import { addHeader, type Adviser, type Symptoms } from './symptoms.ts';

/** Common names of custom headers with an API key. */
const keyHeader = /\b(?:x-[a-z-]{0,20}(?:key|token)|api-key|apikey|ocp-apim-subscription-key)\b/i;

const unauthorized = ({ status, text, headers, hasToken, sentHeaders, binding }: Symptoms): string => {
  const tokenPlace =
    binding.direction === 'outbound'
      ? "the token of the number's outbound agent"
      : 'the session token that the handshake of the number gives to inbound calls';
  const name = keyHeader.exec(text)?.[0].toLowerCase();
  if (name !== undefined)
    return sentHeaders.includes(name)
      ? `The server does not take the ${name} that was sent (HTTP ${status}). Compare it with what the server expects.`
      : `The server wants a key in the header ${name} (HTTP ${status}): ${addHeader(name)}.`;
  if (/^\s*(basic|digest|negotiate)\b/i.test(headers['www-authenticate'] ?? ''))
    return `The server asks for a user name and a password (HTTP ${status}), which calls do not send. Let it take a bearer token: in calls it is ${tokenPlace}.`;
  return hasToken
    ? `The server does not take this bearer token (HTTP ${status}). Compare it with what the server expects; in calls it is ${tokenPlace}.`
    : `The server wants a token (HTTP ${status}), and none was sent. In calls it is ${tokenPlace}; a key in another header than Authorization is one of the headers of the agent.`;
};

const tooLong =
  /context_length_exceeded|maximum context length|context (?:window|length)|prompt is too long|too many tokens/i;
const noStream =
  /stream(?:ing)?\b["'`]?[^.]{0,60}(?:not (?:supported|allowed|available|permitted|enabled|implemented)|unsupported|disabled|must be false)|(?:not support|unsupported|cannot)[^.]{0,40}\bstream/i;
const usedUp =
  /insufficient_quota|exceeded your current quota|quota|billing|credit balance|out of credits|payment/i;

const httpError: Adviser = (symptoms) => {
  const { status, text, binding } = symptoms;
  if (status === 0) return undefined;
  if (status === 401 || status === 403) return unauthorized(symptoms);
  if ([400, 413, 422].includes(status) && tooLong.test(text))
    return 'The conversation is longer than the model takes. Choose a model with a longer context, or let the server shorten what it hands on.';
  if ([400, 422, 501].includes(status) && noStream.test(text))
    return 'The server refuses to stream, and calls always ask for it ("stream": true). Switch streaming on there; an answer in one piece is taken as well, when the server ignores the key.';
  if (status === 402 || (status === 429 && usedUp.test(text)))
    return `The account of the agent or of its model has used up its quota (HTTP ${status}). Waiting does not help: raise the quota, or pay the provider.`;
  if (status === 406)
    return 'The server has no answer in a format that it takes for acceptable. Let it answer JSON or an event stream whatever is asked for.';
  if (status === 422)
    return `The server understands the request and wants other keys in it (HTTP 422); its answer names them. Calls send exactly the body of ${binding.agentType ?? 'chat completions'}: compare the type with what the server is.`;
  if (status === 400 && /json/i.test(text))
    return 'The server cannot read the body of the request. Let it read JSON as it is sent, and compare the agent type with what the server is.';
  const trouble = statusTrouble(symptoms);
  return trouble === undefined
    ? 'The server refuses the request. Look at what it answered.'
    : requestAdvice(trouble, symptoms).words;
};

/** Bodies of a 404 that only report an unknown path. */
const routeUnknown =
  /^$|^<|not found\.?["'}\s]*$|cannot (?:post|get)|no (?:such )?(?:route|endpoint|path)|unknown (?:request )?(?:url|path|route|endpoint)|invalid (?:url|path)|route|page not found|resource not found/i;

/** Whether a 404 concerns the URL, not an object named in the request. */
export const isUnknownPath = ({ status, text }: Pick<Symptoms, 'status' | 'text'>): boolean =>
  status === 404 && routeUnknown.test(text.slice(0, 600).trim());

export const generalAdvice: Adviser = (symptoms) => {
  const { binding, failure, text, remarks, exchanges } = symptoms;
  const tlsPort = tlsPortTrouble(symptoms);
  if (tlsPort !== undefined) return requestAdvice(tlsPort, symptoms).words;
  switch (failure?.kind) {
    case undefined:
      return remarks.length > 0
        ? 'The answer held nothing to speak; the remark says why.'
        : 'The agent chose to say nothing. If that was not meant, look at what it answered.';
    case 'http_error':
      return httpError(symptoms);
    case 'first_token_timeout':
      if (binding.agentType === 'webhook')
        return 'The server did not answer in time, and the answer of a webhook is there only when it is whole. Let the server answer faster; one that streams is bound by another agent type, such as openai_compatible.';
      return exchanges.at(-1)?.received
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
      return requestAdvice('not_answering_lately', symptoms).words;
    case 'reply_cut_off':
      return 'The reply ended within a sentence. Look at the limit of tokens, at a proxy that closes streams, and at the end of the stream: it should have its end mark.';
    case 'no_reply':
      if (failure.detail === unspeakable)
        return 'The answer has nothing that can be spoken, such as emoji or code alone. Let the agent answer in words.';
      if (failure.detail.endsWith(wantsTool))
        return 'The model wrote the call of a tool into its text, and no words beside it. Let the server read such calls (most have a setting for it, such as a tool parser), run its tools, and send the words that follow.';
      if (failure.detail.includes('longest length'))
        return 'The model used up its tokens before it came to words. Allow it more of them, or let it think less.';
      return 'The server answered without a reply. Look at what it answered.';
    case 'agent_reported_error':
      return 'The agent itself reported that it failed. Its own log should say more.';
    default:
      return undefined;
  }
};

/** The operator's language model behind the built-in agent. */
export const builtInAdvice: Adviser = (symptoms) => {
  const { failure, status } = symptoms;
  switch (failure?.kind) {
    case 'connect_timeout':
    case 'connection_failed':
    case 'tls_failed':
    case 'target_refused':
    case 'redirect_refused':
      return `The operator's language model cannot be reached (${failure.detail.replace('the language model: ', '')}). Look at GW_LLM_BASE_URL, and at the server that it names.`;
    case 'http_error':
      if (status === 401 || status === 403)
        return `The language model does not take the operator's key (HTTP ${status}). Correct GW_LLM_API_KEY.`;
      if (status === 404 || status === 405)
        return `The server of the language model does not know what is asked for (HTTP ${status}). GW_LLM_BASE_URL mostly ends with /v1, and GW_LLM_MODEL is the name of a model that is served there.`;
      return httpError(symptoms);
    case 'invalid_reply':
      return 'The language model does not answer in the format of chat completions, which is the only one that the built-in agent speaks. Use the OpenAI-compatible address of the server in GW_LLM_BASE_URL, or a gateway in front of it that translates (such as LiteLLM or Portkey).';
    case 'first_token_timeout':
      return 'The language model took too long for its first word. Choose a faster one, or one that thinks less.';
    case 'no_reply':
      if (failure.detail.includes('again and again'))
        return 'The language model called tools again and again, and said nothing. Choose a model that is better with tools.';
      return generalAdvice(symptoms);
    default:
      return generalAdvice(symptoms);
  }
};
