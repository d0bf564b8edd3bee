/** Where a request comes from: failures to authenticate are counted by it. */
import type { IncomingMessage } from 'node:http';
import proxyAddress from 'proxy-addr';

export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Without trusted proxies it is the address of the connection, for anybody may write what they like into
 * `X-Forwarded-For`. Each proxy adds whom it was asked by at its end: read from there, the first address that is no
 * trusted proxy is the client's.
 */
export const createClientAddress = (trustedProxies: readonly string[]): ClientAddress => {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  // A connection that is gone already has no address.
  return (request) => proxyAddress(request, isTrusted) ?? '';
};
