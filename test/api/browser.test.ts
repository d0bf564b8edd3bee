import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import test from 'ava';
import { cookieOf, createReadBrowser } from '#src/api/browser.ts';

type Asked = { from?: string; method?: string; headers?: Record<string, string> };

const requestOf = ({ from = '127.0.0.1', method = 'POST', headers = {} }: Asked): IncomingMessage => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: from });
  const request = new IncomingMessage(socket);
  request.method = method;
  Object.assign(request.headers, { host: '127.0.0.1:8080', ...headers });
  return request;
};

const direct = createReadBrowser([]);
const proxied = createReadBrowser(['127.0.0.1/32']);

test('a page is ours when the browser says that it is of the same origin', (t) => {
  const isOurs = (asked: Asked): boolean => direct(requestOf(asked)).isOurPage;
  t.true(isOurs({ headers: { 'sec-fetch-site': 'same-origin' } }));
  t.true(isOurs({ headers: { origin: 'http://127.0.0.1:8080' } }));
  t.true(isOurs({ headers: { host: 'gateway.example', origin: 'https://gateway.example' } }));
  t.true(isOurs({ headers: { host: 'gateway.example:443', origin: 'https://gateway.example' } }));
  t.true(isOurs({ method: 'GET' }));
  for (const headers of [
    {},
    { origin: 'null' },
    { origin: 'nonsense' },
    { origin: 'http://127.0.0.1:3000' },
    { origin: 'http://localhost:8080' },
    { origin: 'http://127.0.0.1:8080.example' },
    { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:8080' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:8080' },
    { 'sec-fetch-site': 'none', origin: 'http://127.0.0.1:8080' },
  ] as Record<string, string>[])
    t.false(isOurs({ headers }), JSON.stringify(headers));
  t.false(isOurs({ method: 'GET', headers: { upgrade: 'websocket' } }));
  t.false(isOurs({ method: 'GET', headers: { 'sec-fetch-site': 'cross-site' } }));
});

test('the host and the scheme that a browser asked for are believed of a trusted proxy alone', (t) => {
  const headers = {
    'x-forwarded-host': 'gateway.example',
    'x-forwarded-proto': 'https',
    origin: 'https://gateway.example',
  };
  t.like(proxied(requestOf({ headers })), { isOurPage: true, isHttps: true });
  t.like(direct(requestOf({ headers })), { isOurPage: false, isHttps: false });
});

test('a browser is on this machine when nothing says otherwise', (t) => {
  const isHere = (read: typeof direct, asked: Asked): boolean => read(requestOf(asked)).isOnThisMachine;
  t.true(isHere(direct, {}));
  t.true(isHere(direct, { from: '127.8.0.1', headers: { host: 'localhost:8080' } }));
  t.true(isHere(direct, { from: '::1', headers: { host: '[::1]:8080', origin: 'http://[::1]:8080' } }));
  t.true(isHere(direct, { from: '::ffff:127.0.0.1' }));
  t.true(isHere(proxied, { headers: { 'x-forwarded-for': '127.0.0.1' } }));
  for (const asked of [
    { from: '192.0.2.1' },
    { from: '::ffff:192.0.2.1' },
    { headers: { host: 'gateway.example' } },
    { headers: { host: '127.0.0.1.example' } },
    { headers: { origin: 'https://gateway.example' } },
    { headers: { 'x-forwarded-for': '127.0.0.1' } },
    { headers: { forwarded: 'for=127.0.0.1' } },
    { headers: { via: '1.1 proxy' } },
  ] as Asked[])
    t.false(isHere(direct, asked), JSON.stringify(asked));
  t.false(isHere(proxied, { headers: { 'x-forwarded-for': '192.0.2.1' } }));
});

test('the session is read from its cookie, whatever else is in the header', (t) => {
  const sessionIn = (cookie: string) => direct(requestOf({ headers: { cookie } })).session;
  t.is(sessionIn('trunkline_session_8080=gw_session_1'), 'gw_session_1');
  t.is(sessionIn('a=b; trunkline_session_8080=gw_session_1; c'), 'gw_session_1');
  for (const cookie of [
    '',
    'trunkline_session_8080=',
    'x_trunkline_session_8080=a',
    'trunkline_session_8080=a b',
  ])
    t.is(sessionIn(cookie), undefined, cookie);
});

test('gateways at other ports of a host have cookies of their own', (t) => {
  const cookie = 'trunkline_session_8080=one; trunkline_session_8081=two; trunkline_session=three';
  const sessionAt = (host: string, read = direct, more = {}) =>
    read(requestOf({ headers: { host, cookie, ...more } })).session;
  t.is(sessionAt('127.0.0.1:8080'), 'one');
  t.is(sessionAt('127.0.0.1:8081'), 'two');
  t.is(sessionAt('[::1]:8081'), 'two');
  t.is(sessionAt('127.0.0.1:8082'), undefined);
  t.is(sessionAt('gateway.example'), 'three');
  const forwarded = { 'x-forwarded-host': 'gateway.example' };
  t.is(sessionAt('127.0.0.1:8080', proxied, forwarded), 'three');
  t.is(sessionAt('127.0.0.1:8080', direct, forwarded), 'one');
  const { cookieName } = direct(requestOf({}));
  t.regex(cookieOf('s', 60, { cookieName, isHttps: false }), /^trunkline_session_8080=s;/);
});

test('no script reads the cookie, no other site sends it, and over https it goes by https alone', (t) => {
  const cookieName = 'trunkline_session';
  t.is(
    cookieOf('s', 60, { cookieName, isHttps: false }),
    'trunkline_session=s; Path=/; Max-Age=60; HttpOnly; SameSite=Strict',
  );
  t.regex(cookieOf('s', 60, { cookieName, isHttps: true }), /; Secure$/);
  t.regex(cookieOf(null, 60, { cookieName, isHttps: false }), /^trunkline_session=; Path=\/; Max-Age=0;/);
});
