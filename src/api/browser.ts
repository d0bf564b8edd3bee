/**
 * What is known of the browser behind a request: its session, and whether the page that asks is this gateway's own
 * (guides/design/threats.md, "Sessions of the console").
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import proxyAddress from 'proxy-addr';
import { createClientAddress } from './client-address.ts';

/** The console sends it with each request; the page of another origin would have to be allowed to, and is not. */
export const consoleHeader = 'x-trunkline-console';

export type Browser = {
  /** What its session is called: browsers give a cookie to every port of a host, and each gateway wants its own. */
  cookieName: string;
  /** The secret of its session; undefined where it sends none. */
  session: string | undefined;
  /** A page asks, from anywhere; programs have no origin. */
  isPage: boolean;
  /** The page that asks came from this gateway, as the browser says. Only browsers are to be believed. */
  isOurPage: boolean;
  /** It sent the header that only the console sends. */
  isConsole: boolean;
  /** It runs on the machine of this gateway, with no proxy from elsewhere in between. */
  isOnThisMachine: boolean;
  /** It came by https, to a trusted proxy. */
  isHttps: boolean;
};

export type ReadBrowser = (request: IncomingMessage) => Browser;

/** The usual port of http or https stands in no address. */
const cookieNameAt = (host: string | undefined): string => {
  const port = URL.parse(`http://${host ?? ''}`)?.port ?? '';
  return port === '' ? 'trunkline_session' : `trunkline_session_${port}`;
};

/** `secret` null takes it away. For every path, since WebSockets are opened at others than the API's. */
export const cookieOf = (
  secret: string | null,
  seconds: number,
  { cookieName, isHttps }: Pick<Browser, 'cookieName' | 'isHttps'>,
): string =>
  [
    `${cookieName}=${secret ?? ''}`,
    'Path=/',
    `Max-Age=${secret === null ? 0 : seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isHttps ? ['Secure'] : []),
  ].join('; ');

const sessionIn = ({ cookie = '' }: IncomingHttpHeaders, cookieName: string): string | undefined => {
  const start = `${cookieName}=`;
  const secret = cookie
    .split(';')
    .map((one) => one.trim())
    .find((one) => one.startsWith(start))
    ?.slice(start.length);
  return secret !== undefined && /^\w{1,100}$/.test(secret) ? secret : undefined;
};

const thisMachine = new BlockList();
thisMachine.addSubnet('127.0.0.0', 8);
thisMachine.addAddress('::1', 'ipv6');

const isLoopback = (address: string): boolean => {
  const version = isIP(address);
  return version !== 0 && thisMachine.check(address, version === 6 ? 'ipv6' : 'ipv4');
};

const namesThisMachine = (hostname: string): boolean =>
  hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''));

/** What a proxy adds, and no browser. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

const firstOf = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim();

/** Of the origins that a browser names, that of a page; `null` and nonsense are none. */
const originIn = ({ origin }: IncomingHttpHeaders): URL | null => URL.parse(origin ?? '');

/** With the scheme that the browser asked by, the usual port is left out as in its origin. */
const isSameHost = (origin: URL, host: string | undefined): boolean =>
  host !== undefined && URL.parse(`${origin.protocol}//${host}`)?.host === origin.host;

/** Browsers say where a page came from; over plain http those that ask by GET may say nothing. */
const isOurPage = ({ headers, method }: IncomingMessage, host: string | undefined): boolean => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (headers.origin === undefined) return method === 'GET' && headers.upgrade === undefined;
  const origin = originIn(headers);
  return origin !== null && isSameHost(origin, host);
};

/** `trustedProxies`: what they say of scheme, host and client is believed. */
export const createReadBrowser = (trustedProxies: readonly string[]): ReadBrowser => {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  const clientAddress = createClientAddress(trustedProxies);
  const isOnThisMachine = (
    request: IncomingMessage,
    isProxied: boolean,
    host: string | undefined,
  ): boolean => {
    const { headers, socket } = request;
    const origin = originIn(headers);
    return (
      isLoopback(socket.remoteAddress ?? '') &&
      isLoopback(clientAddress(request)) &&
      (isProxied || proxyHeaders.every((name) => headers[name] === undefined)) &&
      namesThisMachine(URL.parse(`http://${host ?? ''}`)?.hostname ?? '') &&
      (headers.origin === undefined || namesThisMachine(origin?.hostname ?? ''))
    );
  };
  return (request) => {
    const { headers, socket } = request;
    const isProxied = isTrusted(socket.remoteAddress ?? '', 0);
    const host = (isProxied ? firstOf(headers['x-forwarded-host']) : undefined) ?? headers.host;
    const cookieName = cookieNameAt(host);
    return {
      cookieName,
      session: sessionIn(headers, cookieName),
      isPage: headers.origin !== undefined || headers['sec-fetch-site'] !== undefined,
      isOurPage: isOurPage(request, host),
      isConsole: headers[consoleHeader] !== undefined,
      isOnThisMachine: isOnThisMachine(request, isProxied, host),
      isHttps: isProxied && firstOf(headers['x-forwarded-proto']) === 'https',
    };
  };
};
