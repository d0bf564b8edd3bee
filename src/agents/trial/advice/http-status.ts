/** Advice by a status that is no success, whatever the agent type. */
import type { Adviser, Trouble } from './trouble.ts';

const tokenPlace = ({ binding }: Trouble): string =>
  binding.direction === 'outbound'
    ? "the token of the number's outbound agent"
    : 'the session token that the handshake of the number gives to inbound calls';

const isPage = ({ text, headers }: Trouble): boolean =>
  text.startsWith('<') || headers['content-type']?.startsWith('text/html') === true;

/** A wall before the server: nothing of the server itself has answered. */
export const protectionAdvice: Adviser = (trouble) => {
  const { status, text, headers, host } = trouble;
  if (status === null || status < 400) return undefined;
  const isChallenge =
    headers['cf-mitigated'] === 'challenge' ||
    (isPage(trouble) &&
      /challenge-platform|cf-chl|<title>Just a moment|Attention Required! \| Cloudflare/i.test(text));
  if (isChallenge) {
    return `A protection against robots (Cloudflare) stands in front of ${host} and asks for a browser. Let the requests of the gateway pass it: a rule for this path, for its address, or for its user agent "Trunkline".`;
  }
  const wall =
    /Request unsuccessful\. Incapsula|AkamaiGHost|Access Denied[\s\S]{0,400}Reference #|The request could not be satisfied|Request blocked|Web Application Firewall/i;
  return status === 403 && isPage(trouble) && wall.test(text)
    ? `A firewall in front of ${host} blocks the request. Let the requests of the gateway pass it: a rule for this path or for its user agent "Trunkline".`
    : undefined;
};

export const refusedToken: Adviser = (trouble) => {
  const { status, hasToken, headers } = trouble;
  if (status !== 401 && status !== 403) return undefined;
  if (/^\s*(basic|digest|negotiate)\b/i.test(headers['www-authenticate'] ?? '')) {
    return `The server asks for a user name and a password (HTTP ${status}), which calls do not send. Let it take a bearer token: in calls it is ${tokenPlace(trouble)}.`;
  }
  return hasToken
    ? `The server does not take this bearer token (HTTP ${status}). Compare it with what the server expects; in calls it is ${tokenPlace(trouble)}.`
    : `The server wants to be shown a token (HTTP ${status}), and none was sent. In calls it is ${tokenPlace(trouble)}.`;
};

const usedUp =
  /insufficient_quota|exceeded your current quota|quota|billing|credit balance|out of credits|payment/i;

const limited: Adviser = ({ status, text, headers }) => {
  if (status === 402 || (status === 429 && usedUp.test(text))) {
    return `The account of the agent or of its model has used up its quota (HTTP ${status}). Waiting does not help: raise the quota, or pay the provider.`;
  }
  if (status !== 429) return undefined;
  const after = headers['retry-after'];
  return `The server limits how often it may be asked (HTTP 429${after === undefined ? '' : `, again after ${/^\d+$/.test(after) ? `${after} s` : after}`}). Raise its limit, or wait.`;
};

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

const proxies: readonly (readonly [RegExp, string])[] = [
  [/cloudflare/i, 'Cloudflare'],
  [/nginx/i, 'nginx'],
  [/\bngrok\b/i, 'ngrok'],
  [/traefik/i, 'Traefik'],
  [/caddy/i, 'Caddy'],
  [/envoy|upstream connect error/i, 'Envoy'],
  [/apache/i, 'Apache'],
  [/awselb|CloudFront/i, 'AWS'],
];

/** 502 and 504 are a proxy's by definition (RFC 9110), 503 with a page mostly is, 520 to 530 are Cloudflare's. */
const deadBehindProxy: Adviser = (trouble) => {
  const { status, text, headers } = trouble;
  if (status === null) return undefined;
  const isProxy =
    status === 502 ||
    status === 504 ||
    (status >= 520 && status <= 530) ||
    (status === 503 && isPage(trouble));
  if (!isProxy) return undefined;
  const told = `${headers['server'] ?? ''} ${text}`;
  const name = proxies.find(([pattern]) => pattern.test(told))?.[1];
  return `The proxy in front of the agent${name === undefined ? '' : ` (${name})`} answers, the agent behind it does not (HTTP ${status}). Start the agent, or correct the address to which the proxy hands on; with 504 and 524 the agent was too slow.`;
};

const refusedRequest: Adviser = ({ status, text, binding }) => {
  if (status === 406)
    return 'The server has no answer in a format that it takes for acceptable. Let it answer JSON or an event stream whatever is asked for.';
  if (status === 408)
    return 'The server did not wait for the whole request. Raise its time limit for requests.';
  if (status === 411)
    return 'A proxy in front of the server wants another framing of the request. Look at its limits for request bodies.';
  if (status === 413) return 'The server finds the request too large. Raise its limit for request bodies.';
  if (status === 415)
    return 'The server does not take JSON at this address (HTTP 415). Let it read application/json, or correct the path of the chat URL.';
  if (status === 426)
    return 'This address wants another protocol, such as a websocket. Correct the path or the port of the chat URL.';
  if (status === 422)
    return `The server understands the request and wants other keys in it (HTTP 422); what it misses stands in its answer. Calls send exactly the body of ${binding.agentType}: compare the type with what the server is.`;
  if (status === 400 && /json/i.test(text))
    return 'The server cannot read the body of the request. Let it read JSON as it is sent, and compare the agent type with what the server is.';
  return undefined;
};

export const httpErrorAdvice: Adviser = (trouble) => {
  const { status, path, host } = trouble;
  if (status === null) return undefined;
  const known =
    refusedToken(trouble) ??
    tooLong(trouble) ??
    noStream(trouble) ??
    limited(trouble) ??
    deadBehindProxy(trouble) ??
    refusedRequest(trouble);
  if (known !== undefined) return known;
  if (status === 404) return `There is nothing at this path of ${host}. Correct the path of the chat URL.`;
  if (status === 410)
    return `What was at this path of ${host} is gone for good. Ask its owner for the new address.`;
  if (status === 405) {
    return `This address takes no POST. Correct the path of the chat URL${path === '' ? '; it has none' : ''}.`;
  }
  if (status === 503)
    return 'The server says that it cannot answer now (HTTP 503): it starts, is overloaded or is in maintenance. Its own log should say which.';
  if (status >= 500) {
    return 'The server itself failed. Its own log should say why; it may stand in what it answered, too.';
  }
  return 'The server refuses the request. Look at what it answered.';
};

/** Bodies of a 404 that say nothing but that there is no such path. */
const routeUnknown =
  /^$|^<|not found\.?["'}\s]*$|cannot (?:post|get)|no (?:such )?(?:route|endpoint|path)|unknown (?:request )?(?:url|path|route|endpoint)|invalid (?:url|path)|route|page not found|resource not found/i;

/** Whether a 404 is about the address, and not about something that the request names. */
export const isUnknownPath = ({ status, text }: Pick<Trouble, 'status' | 'text'>): boolean =>
  status === 404 && routeUnknown.test(text.slice(0, 600).trim());
