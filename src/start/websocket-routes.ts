/**
 * The routes of WebSockets: looks at the path, then at the admin token, and hands on what is authorized to whoever serves
 * the path. The token comes in an Authorization header, or, from browsers, which cannot send one here, as a subprotocol
 * beside the first or as `?token=`. Pages of this gateway bring the session of their browser instead, in a cookie: a page
 * from elsewhere is refused, as the browser names its origin.
 */
import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Browser, ReadBrowser } from '#src/api/browser.ts';
import type { AuthorizedUpgrade } from '#src/domain/authorized-upgrade.ts';
import type { AdminRole } from '#src/domain/admin-role.ts';

type Accept = (upgrade: AuthorizedUpgrade<IncomingMessage, Duplex>) => void | Promise<void>;

export type WebSocketRoutes = {
  /** `accept` gets the upgrades of this path whose token has the role, or more than it; others are refused. */
  serve(path: string, role: AdminRole, accept: Accept): void;
  attach(server: Server): void;
};

const refuse = (socket: Duplex, status: number, headers: Readonly<Record<string, string>> = {}): void => {
  const all = Object.entries({ ...headers, Connection: 'close', 'Content-Length': '0' });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...all.map((header) => header.join(': ')),
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n`);
};

/** By which somebody is known. */
export type Credential = { token: string } | { session: string };

const tokenOf = ({ headers }: IncomingMessage, query: URLSearchParams): string | undefined => {
  const [, inHeader] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const [, asProtocol] = headers['sec-websocket-protocol']?.split(',') ?? [];
  return inHeader ?? asProtocol?.trim() ?? query.get('token') ?? undefined;
};

/** Undefined for a session that a page from elsewhere makes use of. */
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
  /** Undefined for a token or a session of nobody. */
  authenticate: (
    credential: Credential,
  ) => Promise<{ workspaceId: string; actor: string; role: AdminRole } | undefined>;
  readBrowser: ReadBrowser;
  /** One more token of nobody from where this comes from: seconds until it may try again; `null` while it still may. */
  countFailure: (request: IncomingMessage) => Promise<number | null>;
  /** How often it is asked whether the token or session of a client is still good; one whose is not, is cut off. */
  revalidateMs: number;
  logger: Logger;
}): WebSocketRoutes => {
  const { logger, revalidateMs } = options;
  const paths = new Map<string, { role: AdminRole; accept: Accept }>();

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
        logger.debug({ err: error }, 'whether somebody is still let in could not be asked');
      }
      if (!isOver && !socket.destroyed) lookLater();
    };
    const lookLater = (): void => {
      timer = setTimeout(() => void look(), revalidateMs);
    };
    lookLater();
    // One that was sent away or said goodbye is over as well, whatever the other side does.
    socket.once('finish', stop);
    socket.once('close', stop);
  };

  const route = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const target = URL.parse(request.url ?? '/', 'http://gateway');
    if (target === null) return refuse(socket, 400);
    const { pathname, searchParams: query } = target;
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
    attach(server) {
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        const ignoreLoss = (error: Error): void =>
          logger.debug({ err: error }, 'a client left before its WebSocket was opened');
        socket.on('error', ignoreLoss);
        route(request, socket, head).catch((error: unknown) => {
          logger.error({ err: error }, 'a WebSocket could not be opened');
          refuse(socket, 500);
        });
      });
    },
  };
};
