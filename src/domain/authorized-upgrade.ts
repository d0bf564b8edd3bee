/** A websocket upgrade (RFC 6455) with an authenticated token or session, and the HTTP server's request and socket. */
export type AuthorizedUpgrade<Request, Socket> = {
  request: Request;
  socket: Socket;
  head: Buffer;
  query: URLSearchParams;
  workspaceId: string;
  /** Actor for the audit log: `admin:` and the token's id. */
  actor: string;
  /** Refuses the upgrade with this HTTP status. */
  refuse(status: number): void;
};
