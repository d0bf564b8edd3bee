/** Advice by an error status, for any kind of server. */
import { advice, firstAdvice, type FailedRequest, type ServerAdviser } from './failed-request.ts';

const isPage = ({ text, headers }: FailedRequest): boolean =>
  text.startsWith('<') || headers['content-type']?.startsWith('text/html') === true;

/** A proxy or login wall in front of the server answered. */
export const protectionAdvice: ServerAdviser = (request) => {
  const { status, text, headers, host } = request;
  if (status === null || status < 400) return undefined;
  const isChallenge =
    headers['cf-mitigated'] === 'challenge' ||
    (isPage(request) &&
      /challenge-platform|cf-chl|<title>Just a moment|Attention Required! \| Cloudflare/i.test(text));
  if (isChallenge) {
    return advice(
      'robot_protection',
      `A protection against robots (Cloudflare) stands in front of ${host} and asks for a browser. Let the requests of the gateway pass it: a rule for this path, for its address, or for its user agent "Trunkline".`,
    );
  }
  const wall =
    /Request unsuccessful\. Incapsula|AkamaiGHost|Access Denied[\s\S]{0,400}Reference #|The request could not be satisfied|Request blocked|Web Application Firewall/i;
  return status === 403 && isPage(request) && wall.test(text)
    ? advice(
        'firewall',
        `A firewall in front of ${host} blocks the request. Let the requests of the gateway pass it: a rule for this path or for its user agent "Trunkline".`,
      )
    : undefined;
};

/** A web server that reports plain HTTP on its TLS port. */
export const tlsPortAdvice: ServerAdviser = ({ text }) =>
  /plain HTTP request was sent to HTTPS port/i.test(text)
    ? advice('https_required', 'Begin the URL with https://.')
    : undefined;

const limited: ServerAdviser = ({ status, headers }) => {
  if (status !== 429) return undefined;
  const after = headers['retry-after'];
  return advice(
    'too_many_requests',
    `The server limits how often it may be asked (HTTP 429${after === undefined ? '' : `, again after ${/^\d+$/.test(after) ? `${after} s` : after}`}). Raise its limit, or wait.`,
  );
};

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
const deadBehindProxy: ServerAdviser = (request) => {
  const { status, text, headers, names } = request;
  if (status === null) return undefined;
  const isProxy =
    status === 502 ||
    status === 504 ||
    (status >= 520 && status <= 530) ||
    (status === 503 && isPage(request));
  if (!isProxy) return undefined;
  const told = `${headers['server'] ?? ''} ${text}`;
  const name = proxies.find(([pattern]) => pattern.test(told))?.[1];
  return advice(
    'nothing_behind_proxy',
    `The proxy in front of the ${names.server}${name === undefined ? '' : ` (${name})`} answers, the ${names.server} behind it does not (HTTP ${status}). Start the ${names.server}, or correct the address to which the proxy hands on; with 504 and 524 the ${names.server} was too slow.`,
  );
};

const byStatus: ServerAdviser = ({ status, host, path, names }) => {
  switch (status) {
    case 404:
      return advice(
        'not_found',
        `There is nothing at this path of ${host}. Correct the path of the ${names.url}.`,
      );
    case 405:
      return advice(
        'method_not_allowed',
        `This address takes no POST. Correct the path of the ${names.url}${path === '' ? '; it has none' : ''}.`,
      );
    case 408:
      return advice(
        'request_timeout',
        'The server did not wait for the whole request. Raise its time limit for requests.',
      );
    case 410:
      return advice(
        'gone',
        `What was at this path of ${host} is gone for good. Ask its owner for the new address.`,
      );
    case 411:
      return advice(
        'length_required',
        'A proxy in front of the server wants another framing of the request. Look at its limits for request bodies.',
      );
    case 413:
      return advice(
        'too_large',
        'The server finds the request too large. Raise its limit for request bodies.',
      );
    case 415:
      return advice(
        'wrong_content_type',
        `The server does not take JSON at this address (HTTP 415). Let it read application/json, or correct the path of the ${names.url}.`,
      );
    case 426:
      return advice(
        'other_protocol',
        `This address wants another protocol, such as a websocket. Correct the path or the port of the ${names.url}.`,
      );
    case 503:
      return advice(
        'unavailable',
        'The server says that it cannot answer now (HTTP 503): it starts, is overloaded or is in maintenance. Its own log should say which.',
      );
    default:
      return status !== null && status >= 500
        ? advice('server_error', `The server itself failed (HTTP ${status}). Its own log should say why.`)
        : undefined;
  }
};

/** Undefined for statuses about the requested resource, which the caller must interpret. */
export const statusAdvice = firstAdvice(limited, deadBehindProxy, byStatus);
