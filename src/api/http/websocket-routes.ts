/**
 * Routes of websockets: matches the path, authenticates the admin token, and passes the connection on. Clients send the
 * token in an Authorization header; browsers send it as a second subprotocol or as `?token=`. Pages of this gateway use
 * their session cookie. Requests from pages of other origins are refused.
 */
import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Browser, ReadBrowser } from './browser.ts';
import type { AuthorizedUpgrade } from '#src/domain/authorized-upgrade.ts';
import type { AdminRole } from '#src/domain/admin-role.ts';

/** An upgrade that another gateway has requested. */
type InternalUpgrade = Omit<AuthorizedUpgrade<IncomingMessage, Duplex>, 'workspaceId' | 'actor'>;

type Accept = (upgrade: AuthorizedUpgrade<IncomingMessage, Duplex>) => void | Promise<void>;

export type WebSocketRoutes = {
  /**
   * Serves websockets at this path. `accept` receives authorized upgrades; tokens with a lower role than `role` are
   * refused.
   */
  serve(path: string, role: AdminRole, accept: Accept): void;
  /** `accept` receives upgrades of this path from other gateways. */
  serveGateways(path: string, accept: (upgrade: InternalUpgrade) => void): void;
  attach(server: Server): void;
};

const refuse = (socket: Duplex, status: number, headers: Readonly<Record<string, string>> = {}): void => {
  const all = Object.entries({ ...headers, Connection: 'close', 'Content-Length': '0' });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...all.map((header) => header.join(': ')),
  ];
  // The socket is read and destroyed, because the client may continue to send, or never close its side.
  socket.resume();
  socket.end(`${lines.join('\r\n')}\r\n\r\n`, () => socket.destroy());
};

/** Credentials of a client. */
export type Credential = { token: string } | { session: string };

const tokenOf = ({ headers }: IncomingMessage, query: URLSearchParams): string | undefined => {
  const [, inHeader] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const [, asProtocol] = headers['sec-websocket-protocol']?.split(',') ?? [];
  return inHeader ?? asProtocol?.trim() ?? query.get('token') ?? undefined;
};

/** Returns the client's credentials; undefined for a session that a page of another origin uses. */
const credentialOf = (
  request: IncomingMessage,
  query: URLSearchParams,
  { session, isOurPage }: Browser,
): Credential | undefined => {
  const token = tokenOf(request, query);
  if (token !== undefined || session === undefined) return { token: token ?? '' };
  return isOurPage ? { session } : undefined;
};

export const createWebSocketRoutes = (options: {
  /** Returns the authenticated client; undefined for an invalid token or session. */
  authenticate: (
    credential: Credential,
  ) => Promise<{ workspaceId: string; actor: string; role: AdminRole } | undefined>;
  readBrowser: ReadBrowser;
  /** Whether the request is from another gateway; `expired` if their clocks differ too much. */
  judgeGateway: (request: IncomingMessage) => 'valid' | 'expired' | 'invalid';
  /**
   * Records a failed authentication from the client's address. Resolves to the seconds until the next attempt is
   * allowed, or to `null` if it is allowed now.
   */
  countFailure: (request: IncomingMessage) => Promise<number | null>;
  /**
   * Interval at which tokens and sessions of open connections are checked again. A connection whose token has become
   * invalid is closed.
   */
  revalidateMs: number;
  logger: Logger;
}): WebSocketRoutes => {
  const { logger, revalidateMs } = options;
  const paths = new Map<string, { role: AdminRole; accept: Accept }>();
  const gatewayPaths = new Map<string, (upgrade: InternalUpgrade) => void>();

  const watchCredential = (socket: Duplex, credential: Credential): void => {
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const stop = (): void => {
      isOver = true;
      clearTimeout(timer);
    };
    const look = async (): Promise<void> => {
      try {
        if ((await options.authenticate(credential)) === undefined) socket.destroy();
      } catch (error) {
        logger.debug({ err: error }, 'the token or session of an open WebSocket could not be checked');
      }
      if (!isOver && !socket.destroyed) lookLater();
    };
    const lookLater = (): void => {
      timer = setTimeout(() => void look(), revalidateMs);
    };
    lookLater();
    // A connection that this side closes counts as closed, even if the other side does not close it.
    socket.once('finish', stop);
    socket.once('close', stop);
  };

  const route = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const target = URL.parse(request.url ?? '/', 'http://gateway');
    if (target === null) return refuse(socket, 400);
    const { pathname, searchParams: query } = target;
    const acceptGateway = gatewayPaths.get(pathname);
    if (acceptGateway !== undefined) {
      const verdict = options.judgeGateway(request);
      // A separate status for a clock difference, as in the other requests between gateways.
      if (verdict !== 'valid') return refuse(socket, verdict === 'expired' ? 403 : 404);
      return acceptGateway({ request, socket, head, query, refuse: (status) => refuse(socket, status) });
    }
    const served = paths.get(pathname);
    if (served === undefined) return refuse(socket, 404);
    const credential = credentialOf(request, query, options.readBrowser(request));
    if (credential === undefined) return refuse(socket, 403);
    const admin = await options.authenticate(credential);
    if (admin === undefined) {
      const waitSec = await options.countFailure(request);
      return waitSec === null ? refuse(socket, 401) : refuse(socket, 429, { 'Retry-After': String(waitSec) });
    }
    const { role, ...who } = admin;
    if (served.role === 'admin' && role !== 'admin') return refuse(socket, 403);
    watchCredential(socket, credential);
    return served.accept({
      request,
      socket,
      head,
      query,
      ...who,
      refuse: (status) => refuse(socket, status),
    });
  };

  return {
    serve: (path, role, accept) => void paths.set(path, { role, accept }),
    serveGateways: (path, accept) => void gatewayPaths.set(path, accept),
    attach(server) {
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        const ignoreLoss = (error: Error): void =>
          logger.debug({ err: error }, 'a client disconnected before its WebSocket was open');
        socket.on('error', ignoreLoss);
        route(request, socket, head).catch((error: unknown) => {
          logger.error({ err: error }, 'a WebSocket could not be opened');
          refuse(socket, 500);
        });
      });
    },
  };
};
