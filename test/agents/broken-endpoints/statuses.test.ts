/** What the statuses of any server mean, shown with webhooks. */
import { sendJson } from '#test/helpers/agent-server.ts';
import { html, testEach, text, type Broken } from './try-broken.ts';

const webhooks: Broken[] = [
  {
    type: 'webhook',
    title: 'an unknown path',
    answer: text('Cannot POST /x', 404),
    kind: 'http_error',
    advice: [/nothing at this path/, /Correct the path/],
  },
  {
    type: 'webhook',
    title: 'a path that takes no POST',
    answer: text('', 405),
    kind: 'http_error',
    advice: [/takes no POST/, /Correct the path/],
  },
  {
    type: 'webhook',
    title: 'a path that is gone',
    answer: text('', 410),
    kind: 'http_error',
    advice: [/gone for good/, /new address/],
  },
  {
    type: 'webhook',
    title: 'a request that is too large',
    answer: text('', 413),
    kind: 'http_error',
    advice: [/too large/, /Raise its limit/],
  },
  {
    type: 'webhook',
    title: 'a server that takes no JSON',
    answer: sendJson({ error: 'Unsupported Media Type' }, 415),
    kind: 'http_error',
    advice: [/does not take JSON.*415/, /read application\/json/],
  },
  {
    type: 'webhook',
    title: 'a websocket',
    answer: text('Upgrade Required', 426),
    kind: 'http_error',
    advice: [/another protocol, such as a websocket/, /Correct the path or the port/],
  },
  {
    type: 'webhook',
    title: 'an answer that is not acceptable',
    answer: text('', 406),
    kind: 'http_error',
    advice: [/no answer in a format/, /Let it answer JSON/],
  },
  {
    type: 'webhook',
    title: 'a request that was not waited for',
    answer: text('', 408),
    kind: 'http_error',
    advice: [/did not wait/, /Raise its time limit/],
  },
  {
    type: 'webhook',
    title: 'a body that lacks keys',
    answer: sendJson({ detail: [{ type: 'missing', loc: ['body', 'prompt'] }] }, 422),
    kind: 'http_error',
    advice: [/wants other keys.*422/, /compare the type/],
  },
  {
    type: 'webhook',
    title: 'a server that cannot read the body',
    answer: sendJson({ error: 'Unexpected token in JSON' }, 400),
    kind: 'http_error',
    advice: [/cannot read the body/, /Let it read JSON/],
  },
  {
    type: 'webhook',
    title: 'a server that failed',
    answer: sendJson({ reply: '비밀' }, 500),
    kind: 'http_error',
    advice: [/server itself failed/, /own log/],
  },
  {
    type: 'webhook',
    title: 'a server that starts',
    answer: sendJson({ status: 'starting' }, 503),
    kind: 'http_error',
    advice: [/cannot answer now \(HTTP 503\)/, /log/],
  },
  {
    type: 'webhook',
    title: 'a page of maintenance',
    answer: html('<h1>Service Unavailable</h1> Apache', 503),
    kind: 'http_error',
    advice: [/proxy in front of the agent \(Apache\)/, /Start the agent/],
  },
  {
    type: 'webhook',
    title: 'a proxy whose agent is slow',
    answer: text('upstream request timeout envoy', 504),
    kind: 'http_error',
    advice: [/\(Envoy\).*HTTP 504/, /too slow/],
  },
  {
    type: 'webhook',
    title: 'a tunnel without an agent',
    answer: text('ngrok gateway error: ERR_NGROK_8012', 502),
    kind: 'http_error',
    advice: [/\(ngrok\)/, /Start the agent/],
  },
  {
    type: 'webhook',
    title: 'Cloudflare without an origin',
    answer: text('error code: 521', 521),
    kind: 'http_error',
    advice: [/the agent behind it does not \(HTTP 521\)/, /address to which the proxy hands on/],
  },
  {
    type: 'webhook',
    title: 'an account without money',
    answer: sendJson({ error: 'Payment required' }, 402),
    kind: 'http_error',
    advice: [/used up its quota \(HTTP 402\)/, /pay the provider/],
  },
  {
    type: 'webhook',
    title: 'TLS on a port that is asked in the clear',
    answer: text('The plain HTTP request was sent to HTTPS port', 400),
    kind: 'http_error',
    advice: [/Begin the URL/, /https:\/\//],
  },
  {
    type: 'webhook',
    title: 'a status that is no HTTP status anybody knows',
    answer: text('', 418),
    kind: 'http_error',
    advice: [/refuses the request/, /what it answered/],
  },
  // Bodies of a webhook
];

testEach(webhooks);
