import { createServer, type RequestListener, type Server } from 'node:http';
import { closing, httpTimes } from '#config/policy.ts';
import { StartError } from '#src/domain/start-error.ts';

/** URL by which this machine reaches the server. */
export const urlOf = (host: string, port: number): string => {
  const reached = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
};

export type HttpServer = {
  /** `http://127.0.0.1:8080`, with the actual port. */
  url: string;
  server: Server;
  /** Stops listening, waits for requests in progress up to a limit, then closes the remaining connections. */
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
 * A client may offer another protocol (`h2c`, as Java's client does in its first request); servers ignore unsupported
 * offers (RFC 9110, 7.8).
 */
const asksForWebSocket = (upgrade = ''): boolean =>
  upgrade.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket');

/** Throws a StartError that names the setting if the address cannot be used. */
export const listen = async (
  handle: RequestListener,
  { host, port, prepare }: { host: string; port: number; prepare: (server: Server) => void },
): Promise<HttpServer> => {
  const server = createServer(
    {
      requestTimeout: httpTimes.requestMs,
      headersTimeout: httpTimes.headersMs,
      keepAliveTimeout: httpTimes.keepAliveMs,
      // Node would otherwise answer a missing Host without a problem document.
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
      // Closes connections that become idle after `close`; they would delay it until their timeout.
      const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
      const limit = setTimeout(() => server.closeAllConnections(), closing.requestsMs);
      server.closeIdleConnections();
      await closed;
      clearInterval(idle);
      clearTimeout(limit);
    },
  };
};
