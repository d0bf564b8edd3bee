/** A websocket upgrade (RFC 6455) by an authenticated token or session, with the HTTP server's request and socket. */
export type AuthorizedUpgrade<Request, Socket> = {
  request: Request;
  socket: Socket;
  head: Buffer;
  query: URLSearchParams;
  workspaceId: string;
  /** Actor for the audit log: `admin:` followed by the token's id. */
  actor: string;
  /** Refuses the upgrade with this HTTP status. */
  refuse(status: number): void;
};
