/** The client address of a request, by which failed authentications are counted. */
import type { IncomingMessage } from 'node:http';
import proxyAddress from 'proxy-addr';

export type ClientAddress = (request: IncomingMessage) => string;

/**
 * Returns the client's address. Without trusted proxies the address of the connection is returned, because any client
 * can forge `X-Forwarded-For`. Each proxy appends the address of its peer to this header, so the client's address is
 * the last one that is not a trusted proxy.
 */
export const createClientAddress = (trustedProxies: readonly string[]): ClientAddress => {
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  // A closed connection no longer has an address.
  return (request) => proxyAddress(request, isTrusted) ?? '';
};
