import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { closing, httpTimes } from '#config/policy.ts';
import { StartError } from '#src/domain/start-error.ts';
import { whyNotListening } from './check-address.ts';
import { urlOf } from './local-url.ts';

export type HttpServer = {
  /** URL such as `http://127.0.0.1:8080`, with the actual port. */
  url: string;
  server: Server;
  /**
   * Stops listening, waits up to a limit for requests in progress and for websockets that are being closed, then
   * disconnects the remaining clients.
   */
  close(): Promise<void>;
};

const idleCheckMs = 50;

/**
 * Whether the client requests a websocket. Other offered protocols are ignored, as RFC 9110, 7.8 permits; Java's
 * client, for example, offers `h2c` in its first request.
 */
const asksForWebSocket = (upgrade = ''): boolean =>
  upgrade.split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket');

/** Starts the HTTP server. Throws a StartError that names the setting if the address cannot be used. */
export const listen = async (
  handle: RequestListener,
  {
    host,
    port,
    prepare,
    closeMs = closing.requestsMs,
  }: {
    host: string;
    port: number;
    prepare: (server: Server) => void;
    /** Time for which `close` waits for requests and websockets. */
    closeMs?: number;
  },
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
  /** All connections. Node's own list omits those that became websockets. */
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  prepare(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new StartError(whyNotListening(error, host, port), { cause: error })),
    );
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
      const limit = setTimeout(() => {
        for (const socket of connections) socket.destroy();
      }, closeMs);
      server.closeIdleConnections();
      await closed;
      clearInterval(idle);
      clearTimeout(limit);
    },
  };
};
