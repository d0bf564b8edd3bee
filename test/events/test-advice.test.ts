/** What is said where a test event was not taken: a code that stays, and words in English and Korean. */
import test from 'ava';
import { explain } from '#src/console/language/explain.ts';
import { serverTroubles, type ServerTrouble } from '#src/domain/server-advice.ts';
import { testAdvice } from '#src/events/test-advice.ts';
import { EndpointFailure, type EndpointFailureKind } from '#src/outgoing/endpoint-failure.ts';

type Given = {
  url?: string;
  failure?: EndpointFailureKind;
  detail?: string;
  status?: number;
  headers?: Record<string, string>;
  body?: string;
};

const adviceOn = ({
  url = 'https://hooks.internal:8443/events',
  failure,
  detail = '',
  status,
  headers = {},
  body = '',
}: Given) =>
  testAdvice({
    url,
    timeoutMs: 15_000,
    failure: failure && new EndpointFailure(failure, detail),
    exchange: {
      sent: { atMs: 0, method: 'POST', url, headers: {}, body: '{}' },
      received:
        status === undefined
          ? null
          : { status, headers, firstByteMs: 1, endMs: 1, bytes: Buffer.byteLength(body), body },
      error: null,
    },
  });

const brokenBy = (detail: string): Given => ({ failure: 'connection_failed', detail });
const distrustedFor = (detail: string): Given => ({ failure: 'tls_failed', detail });
const redirectTo = (location?: string): Given => ({
  failure: 'redirect_refused',
  detail: 'HTTP 302',
  status: 302,
  headers: location === undefined ? {} : { location },
});
const page = { 'content-type': 'text/html' };

const cases: readonly (readonly [ServerTrouble, Given, RegExp])[] = [
  [
    'loopback_refused',
    { url: 'http://localhost:9000', failure: 'target_refused', detail: 'The URL must begin with https://.' },
    /GW_AGENT_ALLOW_LOOPBACK=1/,
  ],
  [
    'private_address',
    { failure: 'target_refused', detail: 'the host is at an address that may not be called' },
    /GW_AGENT_ALLOWED_HOSTS=hooks\.internal/,
  ],
  [
    'https_required',
    { url: 'http://hooks.internal', failure: 'target_refused', detail: 'The URL must begin with https://.' },
    /Begin the URL with https:/,
  ],
  [
    'https_required',
    { status: 400, body: 'The plain HTTP request was sent to HTTPS port' },
    /^Begin the URL with https:\/\/\.$/,
  ],
  [
    'unusable_url',
    { failure: 'target_refused', detail: 'The URL must not contain a fragment (the part from # on).' },
    /fragment/,
  ],
  ['name_unknown', brokenBy('ENOTFOUND'), /name hooks\.internal is not known\. Correct the host of the URL/],
  ['name_without_address', brokenBy('ENODATA'), /has no address/],
  ['name_servers_silent', brokenBy('ETIMEOUT'), /name servers/],
  ['connection_refused', brokenBy('ECONNREFUSED'), /Nothing listens at hooks\.internal:8443\..*of the URL/],
  ['unreachable', brokenBy('EHOSTUNREACH'), /no way to hooks\.internal:8443/],
  ['connection_closed', brokenBy('UND_ERR_SOCKET'), /without an answer/],
  ['connection_broken', { ...brokenBy('UND_ERR_SOCKET'), status: 200 }, /in the middle/],
  ['connection_broken', { failure: 'invalid_reply', detail: 'something else' }, /cannot be read/],
  ['no_connection_in_time', { failure: 'connect_timeout' }, /firewall/],
  ['certificate_expired', distrustedFor('CERT_HAS_EXPIRED'), /expired\. Renew/],
  ['certificate_not_yet_valid', distrustedFor('CERT_NOT_YET_VALID'), /not valid yet/],
  ['certificate_of_other_name', distrustedFor('ERR_TLS_CERT_ALTNAME_INVALID'), /for another name/],
  ['certificate_not_trusted', distrustedFor('SELF_SIGNED_CERT_IN_CHAIN'), /GW_AGENT_CA_FILE/],
  ['no_tls', distrustedFor('ERR_SSL_WRONG_VERSION_NUMBER'), /does not speak TLS/],
  ['tls_failed', distrustedFor('ERR_SSL_TLSV1_ALERT'), /ERR_SSL_TLSV1_ALERT/],
  ['redirect', redirectTo('/v2/events'), /to https:\/\/hooks\.internal:8443\/v2\/events, which the gateway/],
  ['redirect_to_sign_in', redirectTo('/login'), /page to log in/],
  ['redirect_to_nowhere', redirectTo(), /does not say where to/],
  ['not_http', { failure: 'invalid_reply', detail: 'the response is not HTTP' }, /not in HTTP/],
  [
    'unreadable_compression',
    { failure: 'invalid_reply', detail: 'the response is not compressed as it says' },
    /Content-Encoding/,
  ],
  ['over_capacity', { failure: 'over_capacity' }, /Too many trials/],
  ['not_answering_lately', { failure: 'circuit_open' }, /nothing was sent/],
  ['no_answer_in_time', {}, /within 15 s/],
  ['robot_protection', { status: 403, headers: { 'cf-mitigated': 'challenge' } }, /Cloudflare/],
  ['firewall', { status: 403, headers: page, body: '<p>Request blocked</p>' }, /firewall/],
  ['unauthorized', { status: 401 }, /sign in \(HTTP 401\).*signature/],
  ['forbidden', { status: 403 }, /HTTP 403.*signature.*clock/],
  ['not_found', { status: 404 }, /nothing at this path of hooks\.internal:8443/],
  ['method_not_allowed', { status: 405 }, /takes no POST/],
  ['request_timeout', { status: 408 }, /did not wait/],
  ['gone', { status: 410 }, /gone for good/],
  ['length_required', { status: 411 }, /framing/],
  ['too_large', { status: 413 }, /too large/],
  ['wrong_content_type', { status: 415 }, /application\/json/],
  ['other_protocol', { status: 426 }, /another protocol/],
  ['too_many_requests', { status: 429, headers: { 'retry-after': '30' } }, /again after 30 s/],
  [
    'nothing_behind_proxy',
    { status: 502, headers: { server: 'nginx' } },
    /in front of the receiver \(nginx\).*HTTP 502/,
  ],
  ['unavailable', { status: 503 }, /HTTP 503/],
  ['server_error', { status: 500 }, /itself failed \(HTTP 500\)/],
  ['refused', { status: 422 }, /HTTP 422/],
];

for (const [code, given, expected] of cases) {
  test(`${code}: ${JSON.stringify(given)}`, (t) => {
    const { code: told, words } = adviceOn(given);
    t.is(told, code);
    t.regex(words, expected);
    t.notRegex(words, /the agent|chat URL|\bcall\b/);
    const korean = explain(words, 'ko');
    t.regex(korean, /\p{Script=Hangul}/u);
    t.notRegex(korean, /\$\d/);
  });
}

test('every code is told of something', (t) => {
  t.deepEqual(
    serverTroubles.filter((code) => !cases.some(([told]) => told === code)),
    [],
  );
});
