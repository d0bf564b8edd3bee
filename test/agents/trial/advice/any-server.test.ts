/** Advice about webhooks, and about the way to any server. */
import test from 'ava';
import { advice, advises, type Given, recorded, webhook } from './advised.ts';

test(
  'webhook: another field',
  advises,
  { ...webhook, failure: 'invalid_reply', answers: [{ status: 200, body: '{"text":"Hi"}' }] },
  /no text in "reply"; its fields are: "text"/,
);

test(
  'webhook: no JSON',
  advises,
  { ...webhook, failure: 'invalid_reply', answers: [{ status: 200, body: 'Hi' }] },
  /not a JSON object/,
);

/** Failures of the way to the server, the same for every type. */
const ways: [string, Partial<Given>, RegExp][] = [
  [
    'nothing listens',
    { failure: 'connection_failed', detail: 'ECONNREFUSED' },
    /Nothing listens at agent\.internal:8443/,
  ],
  [
    'an unknown name',
    { failure: 'connection_failed', detail: 'ENOTFOUND' },
    /name agent\.internal is not known/,
  ],
  ['a name without addresses', { failure: 'connection_failed', detail: 'ENODATA' }, /has no address/],
  ['a dead name server', { failure: 'connection_failed', detail: 'ETIMEOUT' }, /name servers/],
  ['too many trials', { failure: 'over_capacity' }, /Too many trials/],
  ['no way', { failure: 'connection_failed', detail: 'EHOSTUNREACH' }, /no way to agent\.internal:8443/],
  ['closed at once', { failure: 'connection_failed', detail: 'UND_ERR_SOCKET' }, /without an answer/],
  [
    'broken in the middle',
    { failure: 'connection_failed', detail: 'UND_ERR_SOCKET', answers: [{ status: 200, body: '{' }] },
    /in the middle/,
  ],
  ['no connection in time', { failure: 'connect_timeout' }, /firewall/],
  ['a redirect', { failure: 'redirect_refused', detail: 'HTTP 302' }, /redirect \(HTTP 302\)/],
  [
    'a private name',
    { failure: 'target_refused', detail: 'the host is at an address that may not be called' },
    /GW_AGENT_ALLOWED_HOSTS=agent\.internal.*GW_AGENT_CA_FILE.*GW_AGENT_ALLOW_LOOPBACK/,
  ],
  [
    'plain http',
    { url: 'http://agent.internal', failure: 'target_refused', detail: 'The URL must begin with https://.' },
    /Begin the URL with https:\/\//,
  ],
  [
    'this machine',
    { url: 'http://localhost:9000', failure: 'target_refused', detail: 'The URL must begin with https://.' },
    /GW_AGENT_ALLOW_LOOPBACK=1/,
  ],
  [
    'a URL that is wrong in itself',
    { failure: 'target_refused', detail: 'The URL must not contain a fragment (the part from # on).' },
    /fragment/,
  ],
  ['an expired certificate', { failure: 'tls_failed', detail: 'CERT_HAS_EXPIRED' }, /expired/],
  ['another name', { failure: 'tls_failed', detail: 'ERR_TLS_CERT_ALTNAME_INVALID' }, /another name/],
  ['a private authority', { failure: 'tls_failed', detail: 'SELF_SIGNED_CERT_IN_CHAIN' }, /GW_AGENT_CA_FILE/],
  ['no TLS there', { failure: 'tls_failed', detail: 'ERR_SSL_WRONG_VERSION_NUMBER' }, /does not speak TLS/],
  ['another TLS failure', { failure: 'tls_failed', detail: 'ERR_SSL_TLSV1_ALERT' }, /ERR_SSL_TLSV1_ALERT/],
  ['no answer in time', { failure: 'first_token_timeout' }, /did not answer in time/],
  ['no end', { failure: 'reply_timeout' }, /did not end in time/],
  ['too large', { failure: 'reply_too_large' }, /larger than a call takes/],
  ['no POST', { answers: [{ status: 405, body: '' }] }, /no POST/],
  ['nothing at the path', { answers: [{ status: 404, body: '' }] }, /nothing at this path/],
  ['a server error', { answers: [{ status: 500, body: '' }] }, /server itself failed/],
  [
    'http at a TLS port',
    { answers: [{ status: 400, body: 'The plain HTTP request was sent to HTTPS port' }] },
    /https/,
  ],
  [
    'an empty reply',
    { failure: null, answers: [{ status: 200, body: '{"reply":""}' }] },
    /chose to say nothing/,
  ],
];

for (const [name, given, expected] of ways)
  test(`any type: ${name}`, advises, { ...webhook, ...given }, expected);

test('a reply that is fine needs no advice', (t) => {
  for (const [type, server] of [
    ['n8n', 'n8n'],
    ['mastra', 'mastra'],
    ['openai_compatible', 'openai_compatible'],
    ['langgraph', 'langgraph'],
  ] as const) {
    const name = {
      n8n: '02a-lastNode-code',
      mastra: '02a-voiceAssistant',
      openai_compatible: '01-normal',
      langgraph: '02a-agent-turn1',
    }[server];
    t.is(
      advice({
        type,
        url: 'https://agent.example.com',
        failure: null,
        spoken: '네',
        answers: [recorded(server, name)],
      }),
      '',
    );
  }
});
