import { createServer, type RequestListener, type Server } from 'node:http';
import { closing, httpTimes } from '#config/policy.ts';
import { StartError } from '#src/domain/start-error.ts';
import { urlOf } from './local-url.ts';

export type HttpServer = {
  /** URL such as `http://127.0.0.1:8080`, with the actual port. */
  url: string;
  server: Server;
  /** Stops listening, waits up to a limit for requests in progress, then closes the remaining connections. */
  close(): Promise<void>;
};

const idleCheckMs = 50;

const whyNot = (error: NodeJS.ErrnoException, host: string, port: number): string => {
  if (error.code === 'EADDRINUSE') return `port ${port} is in use; set GW_PORT to another one`;
  if (error.code === 'EACCES')
    return `port ${port} may not be used by this user; set GW_PORT to one from 1024 on`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return `this machine has no address ${host}; set GW_HOST to one of its own`;
  return `cannot listen on ${host}:${port} (GW_HOST, GW_PORT): ${error.message}`;
};

/**
 * Whether the client requests a websocket. Other offered protocols are ignored, as RFC 9110, 7.8 permits; Java's
 * client, for example, offers `h2c` in its first request.
 */
const asksForWebSocket = (upgrade = ''): boolean =>
  upgrade.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket');

/**
 * Throws the StartError of `listen` if the address cannot be used now, so that a start fails before it has created
 * anything.
 */
export const checkAddress = async ({ host, port }: { host: string; port: number }): Promise<void> => {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error) => reject(new StartError(whyNot(error, host, port), { cause: error })));
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
};

/** Starts the HTTP server. Throws a StartError that names the setting if the address cannot be used. */
export const listen = async (
  handle: RequestListener,
  { host, port, prepare }: { host: string; port: number; prepare: (server: Server) => void },
): Promise<HttpServer> => {
  const server = createServer(
    {
      requestTimeout: httpTimes.requestMs,
      headersTimeout: httpTimes.headersMs,
      keepAliveTimeout: httpTimes.keepAliveMs,
      // Disabled, because Node would respond to a missing Host header without a problem document.
      requireHostHeader: false,
      shouldUpgradeCallback: ({ headers }) => asksForWebSocket(headers.upgrade),
    },
    handle,
  );
  prepare(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new StartError(whyNot(error, host, port), { cause: error })));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: urlOf(host, taken),
    server,
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      // Connections that become idle after `close` are closed too; otherwise they would delay it until their timeout.
      const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
      const limit = setTimeout(() => server.closeAllConnections(), closing.requestsMs);
      server.closeIdleConnections();
      await closed;
      clearInterval(idle);
      clearTimeout(limit);
    },
  };
};
