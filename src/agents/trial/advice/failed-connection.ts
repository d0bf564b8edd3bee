/** Where there was no response to judge: address, network, TLS. */
import { isIP } from 'node:net';
import type { Adviser, Trouble } from './trouble.ts';

const isThisMachine = ({ hostName }: Trouble): boolean => /^(127\.|::1$)|(^|\.)localhost$/i.test(hostName);

const refusedTarget: Adviser = (trouble) => {
  const { failure, hostName } = trouble;
  if (isThisMachine(trouble)) {
    return 'Agents on this machine are switched off here: the operator allows them with GW_AGENT_ALLOW_LOOPBACK=1.';
  }
  const detail = failure?.detail ?? '';
  if (detail.includes('https://')) {
    return 'Begin the URL with https://. Plain http is taken for this machine alone, and only with GW_AGENT_ALLOW_LOOPBACK=1.';
  }
  if (!/address|private/.test(detail)) return detail;
  return (
    `${hostName} is in a private network. The operator allows it with GW_AGENT_ALLOWED_HOSTS=${hostName} ` +
    '(over https), and a certificate of a private authority with GW_AGENT_CA_FILE; then the gateway is started again.' +
    (isIP(hostName) === 0
      ? ' If the name stands for this machine itself, GW_AGENT_ALLOW_LOOPBACK=1 allows it too.'
      : '')
  );
};

const brokenConnection: Adviser = ({ failure, host, hostName, turn }) => {
  const code = failure?.detail ?? '';
  if (code === 'ECONNREFUSED') {
    return `Nothing listens at ${host}. Start the server, or correct the host and port of the chat URL.`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `The name ${hostName} is not known. Correct the host of the chat URL, or this machine's DNS.`;
  }
  if (code === 'ENODATA') return `The name ${hostName} has no address. Correct its DNS records.`;
  if (code === 'ETIMEOUT' || code === 'ESERVFAIL') {
    return `Nobody answers for the name ${hostName}. Look at its name servers.`;
  }
  if (/UNREACH|NETDOWN|ADDRNOTAVAIL/.test(code)) {
    return `From this machine there is no way to ${host}. Look at its network, or correct the chat URL.`;
  }
  return turn.exchanges.at(-1)?.received
    ? 'The server broke the connection in the middle of its reply. Its own log should say why.'
    : `${host} closed the connection without an answer. If it speaks TLS there, begin the URL with https://; otherwise its own log should say why.`;
};

const distrusted =
  /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|CERT_UNTRUSTED|INVALID_CA|CERT_CHAIN_TOO_LONG|SIGNATURE_FAILURE/;

const brokenTls: Adviser = ({ failure, host, hostName }) => {
  const code = failure?.detail ?? '';
  if (code === 'CERT_HAS_EXPIRED') return `The certificate of ${host} has expired. Renew it.`;
  if (code === 'CERT_NOT_YET_VALID') {
    return `The certificate of ${host} is not valid yet. Look at its dates, and at this machine's clock.`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH') {
    return `The certificate of ${host} is for another name. Use the name it was made for in the chat URL, or give the server one for ${hostName}.`;
  }
  if (distrusted.test(code)) {
    return `The certificate of ${host} is of an authority that is not known here (${code}). Let the server send its intermediate certificates; for a private authority the operator sets GW_AGENT_CA_FILE to its PEM file.`;
  }
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|EPROTO/.test(code)) {
    return `${host} does not speak TLS. Correct the port; a server on this machine may be called with http://.`;
  }
  return `The TLS connection to ${host} failed with ${code}. Look at the server's certificate and its TLS versions.`;
};

/** What the client of src/outgoing could not make an answer of. */
const unreadable: Adviser = ({ failure, host }) => {
  const detail = failure?.detail ?? '';
  if (detail === 'the response is not HTTP' || detail === 'the response does not begin') {
    return `${host} answers, but not in HTTP. Correct the port of the chat URL; if the server speaks TLS there, begin the URL with https://.`;
  }
  return /compressed|content coding/.test(detail)
    ? 'The answer is compressed in a way that cannot be read. Switch compression off for this address, or let its header Content-Encoding say what it is.'
    : undefined;
};

const redirected: Adviser = ({ failure, headers, turn, quote }) => {
  const asked = turn.exchanges.at(-1)?.sent.url;
  const location = headers['location'] ?? '';
  const target = location === '' ? null : URL.parse(location, asked);
  if (target === null) {
    return `The URL answers with a redirect (${failure?.detail}) that does not say where to. Correct the chat URL, or the redirect.`;
  }
  const leads = `The URL answers with a redirect (${failure?.detail}) to ${quote(target.href.slice(0, 500))}, which a call does not follow.`;
  if (/\b(log-?in|sign-?in|oauth2?|authorize|sso|auth)\b/i.test(`${target.hostname}${target.pathname}`)) {
    return `${leads} It is a page to log in: let the server take the bearer token of calls at this address instead.`;
  }
  return `${leads} Use the address that it leads to in the chat URL.`;
};

export const connectionAdvice: Adviser = (trouble) => {
  const { failure, host } = trouble;
  switch (failure?.kind) {
    case 'target_refused':
      return refusedTarget(trouble);
    case 'connection_failed':
      return brokenConnection(trouble);
    case 'tls_failed':
      return brokenTls(trouble);
    case 'connect_timeout':
      return `${host} takes no connection in time. A firewall may drop it, or the host or port of the chat URL is wrong.`;
    case 'over_capacity':
      return 'Too many trials of this workspace are under way. Try again when they have ended.';
    case 'redirect_refused':
      return redirected(trouble);
    case 'invalid_reply':
      return unreadable(trouble);
    default:
      return undefined;
  }
};
