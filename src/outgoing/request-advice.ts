/**
 * Advice on a failed request to a customer's server, for any kind of server. The symptom leads to a code, and the code
 * to a text. The rows of a symptom are tried from top to bottom; the first one that applies counts.
 */
import { isIP } from 'node:net';
import type { ServerAdvice, ServerTrouble } from '#src/domain/server-advice.ts';

/** All troubles except those of event receivers, whose texts are in `src/events/delivery-advice.ts`. */
type RequestTrouble = Exclude<ServerTrouble, 'unauthorized' | 'forbidden' | 'refused' | 'no_answer_in_time'>;

/** A failed request to a customer's server, with the data that advice needs. */
export type FailedRequest = {
  /** Parts of the entered URL: the host with its port, and the path without a trailing slash. */
  host: string;
  hostName: string;
  path: string;
  /** The last requested URL, to which a redirect may be relative; undefined if there was none. */
  askedUrl: string | undefined;
  /** Null if a response arrived. */
  failure: { kind: string; detail: string } | null;
  /** Whether the response had begun when the request failed. */
  hasBegun: boolean;
  /** Status of the response; 0 without one. */
  status: number;
  /** Beginning of the body, trimmed. */
  text: string;
  headers: Readonly<Record<string, string>>;
  /** Formats words of the server for a quotation in advice, with secrets masked. */
  quote(words: string): string;
  names: {
    /** Name of the form field of the URL. */
    url: 'chat URL' | 'URL';
    /** Name by which advice calls the server at this URL. */
    server: 'agent' | 'receiver';
    /** Advice for a login page in front of the server. */
    letIn: string;
  };
};

/** Path of a URL, without a trailing slash. */
export const pathOf = (url: string): string => URL.parse(url)?.pathname.replace(/(?<!\/)\/+$/, '') ?? '';

export const placeOf = (url: string): Pick<FailedRequest, 'host' | 'hostName' | 'path'> => {
  const parsed = URL.parse(url);
  return {
    host: parsed?.host ?? '',
    hostName: parsed?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '',
    path: pathOf(url),
  };
};

const connectionErrors: readonly (readonly [RegExp, RequestTrouble])[] = [
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'name_unknown'],
  [/^ENODATA$/, 'name_without_address'],
  [/^(?:ETIMEOUT|ESERVFAIL)$/, 'name_servers_silent'],
  [/UNREACH|NETDOWN|ADDRNOTAVAIL/, 'unreachable'],
];

const tlsErrors: readonly (readonly [RegExp, RequestTrouble])[] = [
  [/^CERT_HAS_EXPIRED$/, 'certificate_expired'],
  [/^CERT_NOT_YET_VALID$/, 'certificate_not_yet_valid'],
  [/^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, 'certificate_of_other_name'],
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_UNTRUSTED|INVALID_CA|CERT_CHAIN_TOO_LONG|SIGNATURE_FAILURE/,
    'certificate_not_trusted',
  ],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|EPROTO/, 'no_tls'],
];

const firstMatch = <Value>(rows: readonly (readonly [RegExp, Value])[], text: string): Value | undefined =>
  rows.find(([pattern]) => pattern.test(text))?.[1];

const redirectTarget = ({ headers, askedUrl }: FailedRequest): URL | null =>
  headers['location'] === undefined || headers['location'] === ''
    ? null
    : URL.parse(headers['location'], askedUrl);

const signInPage = /\b(log-?in|sign-?in|oauth2?|authorize|sso|auth)\b/i;

/** Recognizes a request that failed on the way to the server, or whose response is not readable HTTP. */
export const connectionTrouble = (request: FailedRequest): RequestTrouble | undefined => {
  const { failure, hostName, hasBegun } = request;
  const detail = failure?.detail ?? '';
  switch (failure?.kind) {
    case 'target_refused':
      if (/^(127\.|::1$)|(^|\.)localhost$/i.test(hostName)) return 'loopback_refused';
      if (detail.includes('https://')) return 'https_required';
      return /address|private/.test(detail) ? 'private_address' : 'unusable_url';
    case 'connection_failed':
      return firstMatch(connectionErrors, detail) ?? (hasBegun ? 'connection_broken' : 'connection_closed');
    case 'tls_failed':
      return firstMatch(tlsErrors, detail) ?? 'tls_failed';
    case 'connect_timeout':
      return 'no_connection_in_time';
    case 'over_capacity':
      return 'over_capacity';
    case 'circuit_open':
      return 'not_answering_lately';
    case 'redirect_refused': {
      const target = redirectTarget(request);
      if (target === null) return 'redirect_to_nowhere';
      return signInPage.test(`${target.hostname}${target.pathname}`) ? 'redirect_to_sign_in' : 'redirect';
    }
    case 'invalid_reply':
      if (detail === 'the response is not HTTP' || detail === 'the response does not begin')
        return 'not_http';
      return /compressed|content coding/.test(detail) ? 'unreadable_compression' : undefined;
    default:
      return undefined;
  }
};

const isPage = ({ text, headers }: FailedRequest): boolean =>
  text.startsWith('<') || headers['content-type']?.startsWith('text/html') === true;

const firewallPage =
  /Request unsuccessful\. Incapsula|AkamaiGHost|Access Denied[\s\S]{0,400}Reference #|The request could not be satisfied|Request blocked|Web Application Firewall/i;

/** Recognizes the response of a proxy or login wall in front of the server. */
export const protectionTrouble = (request: FailedRequest): RequestTrouble | undefined => {
  const { status, text, headers } = request;
  if (status < 400) return undefined;
  if (headers['cf-mitigated'] === 'challenge') return 'robot_protection';
  if (!isPage(request)) return undefined;
  if (/challenge-platform|cf-chl|<title>Just a moment|Attention Required! \| Cloudflare/i.test(text))
    return 'robot_protection';
  return status === 403 && firewallPage.test(text) ? 'firewall' : undefined;
};

/** Recognizes a web server that reports plain HTTP on its TLS port. */
export const tlsPortTrouble = ({ text }: FailedRequest): RequestTrouble | undefined =>
  /plain HTTP request was sent to HTTPS port/i.test(text) ? 'https_required' : undefined;

const byStatus: Readonly<Record<number, RequestTrouble>> = {
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  410: 'gone',
  411: 'length_required',
  413: 'too_large',
  415: 'wrong_content_type',
  426: 'other_protocol',
  429: 'too_many_requests',
  502: 'nothing_behind_proxy',
  503: 'unavailable',
  504: 'nothing_behind_proxy',
};

/**
 * Recognizes troubles by their HTTP status. Returns undefined for statuses about the requested resource, which the
 * caller must interpret.
 */
export const statusTrouble = (request: FailedRequest): RequestTrouble | undefined => {
  const { status } = request;
  // A 503 with an HTML page usually comes from a proxy; 520 to 530 come from Cloudflare.
  if ((status === 503 && isPage(request)) || (status >= 520 && status <= 530)) return 'nothing_behind_proxy';
  return byStatus[status] ?? (status >= 500 ? 'server_error' : undefined);
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

const wordsOf = (request: FailedRequest): Readonly<Record<RequestTrouble, string>> => {
  const { failure, host, hostName, path, status, text, headers, quote, names } = request;
  const detail = failure?.detail ?? '';
  const proxy = firstMatch(proxies, `${headers['server'] ?? ''} ${text}`);
  const retryAfter = headers['retry-after'];
  const redirect = `The URL answers with a redirect (${detail})`;
  const redirectTo = `${redirect} to ${quote(redirectTarget(request)?.href.slice(0, 500) ?? '')}, which the gateway does not follow.`;
  return {
    loopback_refused:
      'Servers on this machine are switched off here: the operator allows them with GW_AGENT_ALLOW_LOOPBACK=1.',
    https_required: `Begin the URL with https://.${failure?.kind === 'target_refused' ? ' Plain http is taken for this machine alone, and only with GW_AGENT_ALLOW_LOOPBACK=1.' : ''}`,
    private_address: `${hostName} is in a private network. The operator allows it with GW_AGENT_ALLOWED_HOSTS=${hostName} (over https), and a certificate of a private authority with GW_AGENT_CA_FILE; then the gateway is started again.${isIP(hostName) === 0 ? ' If the name stands for this machine itself, GW_AGENT_ALLOW_LOOPBACK=1 allows it too.' : ''}`,
    unusable_url: detail,
    connection_refused: `Nothing listens at ${host}. Start the server, or correct the host and port of the ${names.url}.`,
    name_unknown: `The name ${hostName} is not known. Correct the host of the ${names.url}, or this machine's DNS.`,
    name_without_address: `The name ${hostName} has no address. Correct its DNS records.`,
    name_servers_silent: `The name servers of ${hostName} do not answer. Look at them, or at this machine's DNS.`,
    unreachable: `From this machine there is no way to ${host}. Look at its network, or correct the ${names.url}.`,
    connection_broken:
      'The server broke the connection in the middle of its reply. Its own log should say why.',
    connection_closed: `${host} closed the connection without an answer. If it speaks TLS there, begin the URL with https://; otherwise its own log should say why.`,
    certificate_expired: `The certificate of ${host} has expired. Renew it.`,
    certificate_not_yet_valid: `The certificate of ${host} is not valid yet. Look at its dates, and at this machine's clock.`,
    certificate_of_other_name: `The certificate of ${host} is for another name. Use the name it was made for in the ${names.url}, or give the server one for ${hostName}.`,
    certificate_not_trusted: `The certificate of ${host} is of an authority that is not known here (${detail}). Let the server send its intermediate certificates; for a private authority the operator sets GW_AGENT_CA_FILE to its PEM file.`,
    no_tls: `${host} does not speak TLS. Correct the port; a server on this machine may be called with http://.`,
    tls_failed: `The TLS connection to ${host} failed with ${detail}. Look at the server's certificate and its TLS versions.`,
    no_connection_in_time: `${host} takes no connection in time. A firewall may drop it, or the host or port of the ${names.url} is wrong.`,
    over_capacity: 'Too many trials of this workspace are under way. Try again when they have ended.',
    not_answering_lately:
      'The server has not answered lately, so nothing was sent. Start it, wait a moment, and try again.',
    redirect: `${redirectTo} Use the address that it leads to in the ${names.url}.`,
    redirect_to_sign_in: `${redirectTo} It is a page to log in: ${names.letIn}`,
    redirect_to_nowhere: `${redirect} that does not say where to. Correct the ${names.url}, or the redirect.`,
    not_http: `${host} answers, but not in HTTP. Correct the port of the ${names.url}; if the server speaks TLS there, begin the URL with https://.`,
    unreadable_compression:
      'The answer is compressed in a way that cannot be read. Switch compression off for this address, or let its header Content-Encoding say what it is.',
    robot_protection: `A protection against robots (Cloudflare) stands in front of ${host} and asks for a browser. Let the requests of the gateway pass it: a rule for this path, for its address, or for its user agent "Trunkline".`,
    firewall: `A firewall in front of ${host} blocks the request. Let the requests of the gateway pass it: a rule for this path or for its user agent "Trunkline".`,
    not_found: `There is nothing at this path of ${host}. Correct the path of the ${names.url}.`,
    method_not_allowed: `This address takes no POST. Correct the path of the ${names.url}${path === '' ? '; it has none' : ''}.`,
    request_timeout: 'The server did not wait for the whole request. Raise its time limit for requests.',
    gone: `This path of ${host} was removed for good. Ask its owner for the new address.`,
    length_required:
      'A proxy in front of the server wants another framing of the request. Look at its limits for request bodies.',
    too_large: 'The server finds the request too large. Raise its limit for request bodies.',
    wrong_content_type: `The server does not take JSON at this address (HTTP 415). Let it read application/json, or correct the path of the ${names.url}.`,
    other_protocol: `This address wants another protocol, such as a websocket. Correct the path or the port of the ${names.url}.`,
    too_many_requests: `The server limits how often it may be asked (HTTP 429${retryAfter === undefined ? '' : `, again after ${/^\d+$/.test(retryAfter) ? `${retryAfter} s` : retryAfter}`}). Raise its limit, or wait.`,
    nothing_behind_proxy: `The proxy in front of the ${names.server}${proxy === undefined ? '' : ` (${proxy})`} answers, the ${names.server} behind it does not (HTTP ${status}). Start the ${names.server}, or correct the address to which the proxy hands on; with 504 and 524 the ${names.server} was too slow.`,
    unavailable:
      'The server says that it cannot answer now (HTTP 503): it starts, is overloaded or is in maintenance. Its own log should say which.',
    server_error: `The server itself failed (HTTP ${status}). Its own log should say why.`,
  };
};

export const requestAdvice = (code: RequestTrouble, request: FailedRequest): ServerAdvice => ({
  code,
  words: wordsOf(request)[code],
});
