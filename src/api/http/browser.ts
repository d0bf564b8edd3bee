/**
 * Properties of the browser that sent a request: its session, and whether the requesting page belongs to this gateway
 * (guides/design/threats.md, "Sessions of the console").
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import proxyAddress from 'proxy-addr';
import { createClientAddress } from './client-address.ts';

/**
 * Header that the console sends with each request. A page of another origin would need permission to send it, which the
 * gateway does not grant.
 */
export const consoleHeader = 'x-trunkline-console';

export type Browser = {
  /**
   * Name of the session cookie. Browsers send a cookie to every port of a host, so each gateway needs a name of its
   * own.
   */
  cookieName: string;
  /** Secret of the session; undefined without a cookie. */
  session: string | undefined;
  /** Whether a page of any origin sent the request. Programs send no origin. */
  isPage: boolean;
  /**
   * Whether the requesting page came from this gateway, according to the browser's headers. The value is meaningful
   * only for requests of browsers.
   */
  isOurPage: boolean;
  /** Whether the request has the header that only the console sends. */
  isConsole: boolean;
  /** Whether the browser runs on the machine of this gateway, with no remote proxy in between. */
  isOnThisMachine: boolean;
  /** Whether the request arrived over https at a trusted proxy. */
  isHttps: boolean;
};

export type ReadBrowser = (request: IncomingMessage) => Browser;

/** Returns the name of the cookie for a host. Origins omit the default ports of http and https. */
const cookieNameAt = (host: string | undefined): string => {
  const port = URL.parse(`http://${host ?? ''}`)?.port ?? '';
  return port === '' ? 'trunkline_session' : `trunkline_session_${port}`;
};

/**
 * Formats the session cookie; with `secret` null, the cookie is removed. The path of the cookie is `/`, because
 * websocket URLs are outside the API's path.
 */
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

/** Headers that proxies add and browsers do not. */
const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'];

const firstOf = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.split(',')[0]?.trim();

/** Returns the origin of a page; null for an invalid value or the text `null`. */
const originIn = ({ origin }: IncomingHttpHeaders): URL | null => URL.parse(origin ?? '');

/**
 * Whether origin and host are the same. The host is parsed with the scheme of the origin, which omits the scheme's
 * default port.
 */
const isSameHost = (origin: URL, host: string | undefined): boolean =>
  host !== undefined && URL.parse(`${origin.protocol}//${host}`)?.host === origin.host;

/**
 * Whether the request comes from a page of this gateway. Browsers send the origin of a page, but over plain http they
 * may omit it for GET.
 */
const isOurPage = ({ headers, method }: IncomingMessage, host: string | undefined): boolean => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (headers.origin === undefined) return method === 'GET' && headers.upgrade === undefined;
  const origin = originIn(headers);
  return origin !== null && isSameHost(origin, host);
};

/**
 * Creates the reader of these properties. `trustedProxies` are the addresses whose forwarded scheme, host and client
 * address are accepted.
 */
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
