/** The client address of a request, by which failed authentications are counted. */
import type { IncomingMessage } from 'node:http';
import proxyAddress from 'proxy-addr';

export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Returns the client's address. Without trusted proxies it is the address of the connection, because any client can
 * forge `X-Forwarded-For`. Each proxy appends its peer's address, so the client's is the last address that is not a
 * trusted proxy.
 */
export const createClientAddress = (trustedProxies: readonly string[]): ClientAddress => {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  // A closed connection no longer has an address.
  return (request) => proxyAddress(request, isTrusted) ?? '';
};
