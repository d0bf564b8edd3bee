/**
 * A WebSocket upgrade (RFC 6455) whose admin token or session was checked, with the request and the socket as the HTTP
 * server has them.
 */
export type AuthorizedUpgrade<Request, Socket> = {
  request: Request;
  socket: Socket;
  head: Buffer;
  query: URLSearchParams;
  workspaceId: string;
  /** Who asks, for the audit log: `admin:` and the id of the token. */
  actor: string;
  /** Refuses it with this HTTP status. */
  refuse(status: number): void;
};
