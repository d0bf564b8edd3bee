import { createServer, type RequestListener, type Server } from 'node:http';
import { closing, httpTimes } from '#config/policy.ts';
import { StartError } from '#src/domain/start-error.ts';

export type HttpServer = {
  /** `http://127.0.0.1:8080`, with the port that was really taken. */
  url: string;
  server: Server;
  /** Takes no new connections, waits for requests under way up to a limit, then closes what is left. */
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

/** Where this machine reaches a server that listens there. */
export const urlOf = (host: string, port: number): string => {
  const reached = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
};

/**
 * A client may offer another protocol (`h2c`, as that of Java does with its first request): an offer is ignored by who does
 * not speak it (RFC 9110, 7.8).
 */
const asksForWebSocket = (upgrade = ''): boolean =>
  upgrade.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket');

/** Throws a StartError that names the setting when the address cannot be taken. */
export const listen = async (
  handle: RequestListener,
  { host, port, prepare }: { host: string; port: number; prepare: (server: Server) => void },
): Promise<HttpServer> => {
  const server = createServer(
    {
      requestTimeout: httpTimes.requestMs,
      headersTimeout: httpTimes.headersMs,
      keepAliveTimeout: httpTimes.keepAliveMs,
      // Node would answer a missing Host by itself, without a problem document.
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
      // A connection that becomes idle after `close` would otherwise hold the server until its time-out.
      const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
      const limit = setTimeout(() => server.closeAllConnections(), closing.requestsMs);
      server.closeIdleConnections();
      await closed;
      clearInterval(idle);
      clearTimeout(limit);
    },
  };
};
