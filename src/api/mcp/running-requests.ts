/**
 * Requests of MCP clients that are being answered, so that a later message can cancel one. Each message has a server
 * object of its own, and clients number their requests alike: a request is found by the client's session and its id.
 */
import * as z from 'zod';

const requestId = z.union([z.string(), z.number()]);

const request = z.object({ id: requestId, method: z.string() });

const cancellation = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId }),
});

/** The sender of a message. Requests of one key may come from several clients, each with a session of its own. */
export type McpClient = { numberId: string; session: string | undefined };

export type RunningRequests = {
  /**
   * Calls `cancel` if the client cancels this request. The returned function is called when the request is answered.
   * Messages other than requests, and those without a session, cannot be cancelled.
   */
  begin(client: McpClient, message: unknown, cancel: () => void): () => void;
  /** Cancels the request that this message names, if it is such a message. */
  apply(client: McpClient, message: unknown): void;
};

export const createRunningRequests = (): RunningRequests => {
  const running = new Map<string, () => void>();
  const keyOf = ({ numberId, session }: McpClient, id: z.infer<typeof requestId>): string =>
    JSON.stringify([numberId, session, id]);
  return {
    begin(client, message, cancel) {
      const { data } = request.safeParse(message);
      if (data === undefined || client.session === undefined) return () => {};
      const key = keyOf(client, data.id);
      running.set(key, cancel);
      return () => {
        if (running.get(key) === cancel) running.delete(key);
      };
    },
    apply(client, message) {
      const { data } = cancellation.safeParse(message);
      if (data !== undefined && client.session !== undefined)
        running.get(keyOf(client, data.params.requestId))?.();
    },
  };
};
