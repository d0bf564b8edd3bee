/** Advice by the status of a failed request, for every agent type. */
import { statusAdvice } from '#src/outgoing/advice/http-status.ts';
import { addHeader, type Adviser, type Trouble } from './trouble.ts';

const tokenPlace = ({ binding }: Trouble): string =>
  binding.direction === 'outbound'
    ? "the token of the number's outbound agent"
    : 'the session token that the handshake of the number gives to inbound calls';

/** Common names of custom headers with an API key. */
const keyHeader = /\b(?:x-[a-z-]{0,20}(?:key|token)|api-key|apikey|ocp-apim-subscription-key)\b/i;

const refusedHeader: Adviser = ({ status, text, sentHeaders }) => {
  if (status !== 401 && status !== 403) return undefined;
  const name = keyHeader.exec(text)?.[0].toLowerCase();
  if (name === undefined) return undefined;
  return sentHeaders.includes(name)
    ? `The server does not take the ${name} that was sent (HTTP ${status}). Compare it with what the server expects.`
    : `The server wants a key in the header ${name} (HTTP ${status}): ${addHeader(name)}.`;
};

export const refusedToken: Adviser = (trouble) => {
  const { status, hasToken, headers } = trouble;
  if (status !== 401 && status !== 403) return undefined;
  if (/^\s*(basic|digest|negotiate)\b/i.test(headers['www-authenticate'] ?? '')) {
    return `The server asks for a user name and a password (HTTP ${status}), which calls do not send. Let it take a bearer token: in calls it is ${tokenPlace(trouble)}.`;
  }
  return hasToken
    ? `The server does not take this bearer token (HTTP ${status}). Compare it with what the server expects; in calls it is ${tokenPlace(trouble)}.`
    : `The server wants to be shown a token (HTTP ${status}), and none was sent. In calls it is ${tokenPlace(trouble)}; a key in another header than Authorization is one of the headers of the agent.`;
};

const usedUp =
  /insufficient_quota|exceeded your current quota|quota|billing|credit balance|out of credits|payment/i;

const outOfQuota: Adviser = ({ status, text }) =>
  status === 402 || (status === 429 && usedUp.test(text))
    ? `The account of the agent or of its model has used up its quota (HTTP ${status}). Waiting does not help: raise the quota, or pay the provider.`
    : undefined;

const tooLong: Adviser = ({ status, text }) =>
  status !== null &&
  [400, 413, 422].includes(status) &&
  /context_length_exceeded|maximum context length|context (?:window|length)|prompt is too long|too many tokens/i.test(
    text,
  )
    ? 'The conversation is longer than the model takes. Choose a model with a longer context, or let the server shorten what it hands on.'
    : undefined;

const noStream: Adviser = ({ status, text }) =>
  status !== null &&
  [400, 422, 501].includes(status) &&
  /stream(?:ing)?\b["'`]?[^.]{0,60}(?:not (?:supported|allowed|available|permitted|enabled|implemented)|unsupported|disabled|must be false)|(?:not support|unsupported|cannot)[^.]{0,40}\bstream/i.test(
    text,
  )
    ? 'The server refuses to stream, and calls always ask for it ("stream": true). Switch streaming on there; an answer in one piece is taken as well, when the server passes over the key.'
    : undefined;

const refusedRequest: Adviser = ({ status, text, binding }) => {
  if (status === 406)
    return 'The server has no answer in a format that it takes for acceptable. Let it answer JSON or an event stream whatever is asked for.';
  if (status === 422)
    return `The server understands the request and wants other keys in it (HTTP 422); what it misses stands in its answer. Calls send exactly the body of ${binding.agentType}: compare the type with what the server is.`;
  if (status === 400 && /json/i.test(text))
    return 'The server cannot read the body of the request. Let it read JSON as it is sent, and compare the agent type with what the server is.';
  return undefined;
};

export const httpErrorAdvice: Adviser = (trouble) => {
  if (trouble.status === null) return undefined;
  return (
    refusedHeader(trouble) ??
    refusedToken(trouble) ??
    tooLong(trouble) ??
    noStream(trouble) ??
    outOfQuota(trouble) ??
    refusedRequest(trouble) ??
    statusAdvice(trouble)?.words ??
    'The server refuses the request. Look at what it answered.'
  );
};

/** Bodies of a 404 that only report an unknown path. */
const routeUnknown =
  /^$|^<|not found\.?["'}\s]*$|cannot (?:post|get)|no (?:such )?(?:route|endpoint|path)|unknown (?:request )?(?:url|path|route|endpoint)|invalid (?:url|path)|route|page not found|resource not found/i;

/** Whether a 404 concerns the URL, not an object named in the request. */
export const isUnknownPath = ({ status, text }: Pick<Trouble, 'status' | 'text'>): boolean =>
  status === 404 && routeUnknown.test(text.slice(0, 600).trim());
