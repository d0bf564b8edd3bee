/** Advice for requests without a response: address, network, TLS. */
import { isIP } from 'node:net';
import { advice, type FailedRequest, type ServerAdviser } from './failed-request.ts';

const isThisMachine = ({ hostName }: FailedRequest): boolean =>
  /^(127\.|::1$)|(^|\.)localhost$/i.test(hostName);

const refusedTarget: ServerAdviser = (request) => {
  const { failure, hostName } = request;
  if (isThisMachine(request)) {
    return advice(
      'loopback_refused',
      'Servers on this machine are switched off here: the operator allows them with GW_AGENT_ALLOW_LOOPBACK=1.',
    );
  }
  const detail = failure?.detail ?? '';
  if (detail.includes('https://')) {
    return advice(
      'https_required',
      'Begin the URL with https://. Plain http is taken for this machine alone, and only with GW_AGENT_ALLOW_LOOPBACK=1.',
    );
  }
  if (!/address|private/.test(detail)) return advice('unusable_url', detail);
  return advice(
    'private_address',
    `${hostName} is in a private network. The operator allows it with GW_AGENT_ALLOWED_HOSTS=${hostName} ` +
      '(over https), and a certificate of a private authority with GW_AGENT_CA_FILE; then the gateway is started again.' +
      (isIP(hostName) === 0
        ? ' If the name stands for this machine itself, GW_AGENT_ALLOW_LOOPBACK=1 allows it too.'
        : ''),
  );
};

const brokenConnection: ServerAdviser = ({ failure, host, hostName, hasBegun, names }) => {
  const code = failure?.detail ?? '';
  if (code === 'ECONNREFUSED') {
    return advice(
      'connection_refused',
      `Nothing listens at ${host}. Start the server, or correct the host and port of the ${names.url}.`,
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return advice(
      'name_unknown',
      `The name ${hostName} is not known. Correct the host of the ${names.url}, or this machine's DNS.`,
    );
  }
  if (code === 'ENODATA') {
    return advice('name_without_address', `The name ${hostName} has no address. Correct its DNS records.`);
  }
  if (code === 'ETIMEOUT' || code === 'ESERVFAIL') {
    return advice(
      'name_servers_silent',
      `Nobody answers for the name ${hostName}. Look at its name servers.`,
    );
  }
  if (/UNREACH|NETDOWN|ADDRNOTAVAIL/.test(code)) {
    return advice(
      'unreachable',
      `From this machine there is no way to ${host}. Look at its network, or correct the ${names.url}.`,
    );
  }
  return hasBegun
    ? advice(
        'connection_broken',
        'The server broke the connection in the middle of its reply. Its own log should say why.',
      )
    : advice(
        'connection_closed',
        `${host} closed the connection without an answer. If it speaks TLS there, begin the URL with https://; otherwise its own log should say why.`,
      );
};

const distrusted =
  /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_UNTRUSTED|INVALID_CA|CERT_CHAIN_TOO_LONG|SIGNATURE_FAILURE/;

const brokenTls: ServerAdviser = ({ failure, host, hostName, names }) => {
  const code = failure?.detail ?? '';
  if (code === 'CERT_HAS_EXPIRED') {
    return advice('certificate_expired', `The certificate of ${host} has expired. Renew it.`);
  }
  if (code === 'CERT_NOT_YET_VALID') {
    return advice(
      'certificate_not_yet_valid',
      `The certificate of ${host} is not valid yet. Look at its dates, and at this machine's clock.`,
    );
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    return advice(
      'certificate_of_other_name',
      `The certificate of ${host} is for another name. Use the name it was made for in the ${names.url}, or give the server one for ${hostName}.`,
    );
  }
  if (distrusted.test(code)) {
    return advice(
      'certificate_not_trusted',
      `The certificate of ${host} is of an authority that is not known here (${code}). Let the server send its intermediate certificates; for a private authority the operator sets GW_AGENT_CA_FILE to its PEM file.`,
    );
  }
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|EPROTO/.test(code)) {
    return advice(
      'no_tls',
      `${host} does not speak TLS. Correct the port; a server on this machine may be called with http://.`,
    );
  }
  return advice(
    'tls_failed',
    `The TLS connection to ${host} failed with ${code}. Look at the server's certificate and its TLS versions.`,
  );
};

/** Errors of responses that the client could not read. */
const unreadable: ServerAdviser = ({ failure, host, names }) => {
  const detail = failure?.detail ?? '';
  if (detail === 'the response is not HTTP' || detail === 'the response does not begin') {
    return advice(
      'not_http',
      `${host} answers, but not in HTTP. Correct the port of the ${names.url}; if the server speaks TLS there, begin the URL with https://.`,
    );
  }
  return /compressed|content coding/.test(detail)
    ? advice(
        'unreadable_compression',
        'The answer is compressed in a way that cannot be read. Switch compression off for this address, or let its header Content-Encoding say what it is.',
      )
    : undefined;
};

const redirected: ServerAdviser = ({ failure, headers, askedUrl, quote, names }) => {
  const location = headers['location'] ?? '';
  const target = location === '' ? null : URL.parse(location, askedUrl);
  if (target === null) {
    return advice(
      'redirect_to_nowhere',
      `The URL answers with a redirect (${failure?.detail}) that does not say where to. Correct the ${names.url}, or the redirect.`,
    );
  }
  const leads = `The URL answers with a redirect (${failure?.detail}) to ${quote(target.href.slice(0, 500))}, which the gateway does not follow.`;
  if (/\b(log-?in|sign-?in|oauth2?|authorize|sso|auth)\b/i.test(`${target.hostname}${target.pathname}`)) {
    return advice('redirect_to_sign_in', `${leads} It is a page to log in: ${names.letIn}`);
  }
  return advice('redirect', `${leads} Use the address that it leads to in the ${names.url}.`);
};

export const connectionAdvice: ServerAdviser = (request) => {
  const { failure, host, names } = request;
  switch (failure?.kind) {
    case 'target_refused':
      return refusedTarget(request);
    case 'connection_failed':
      return brokenConnection(request);
    case 'tls_failed':
      return brokenTls(request);
    case 'connect_timeout':
      return advice(
        'no_connection_in_time',
        `${host} takes no connection in time. A firewall may drop it, or the host or port of the ${names.url} is wrong.`,
      );
    case 'over_capacity':
      return advice(
        'over_capacity',
        'Too many trials of this workspace are under way. Try again when they have ended.',
      );
    case 'circuit_open':
      return advice(
        'not_answering_lately',
        'The server has not answered lately, so nothing was sent. Start it, wait a moment, and try again.',
      );
    case 'redirect_refused':
      return redirected(request);
    case 'invalid_reply':
      return unreadable(request);
    default:
      return undefined;
  }
};
