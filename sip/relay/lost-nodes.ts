/**
 * Notifies gateways of a gateway whose connection has ended, by its name among those of its database: it may have died,
 * and they take its calls over if the database agrees (src/continuity/nodes/sudden-deaths.ts). A gateway that comes
 * later is notified of those that are still missing.
 */
import { randomUUID } from 'node:crypto';
import type { GatewayConnection } from './gateway-connection.ts';

type Gateway = Pick<GatewayConnection, 'node' | 'tell'>;

/** Beyond this number the longest missing node is forgotten. */
const mostMissing = 100;

const notify = (gateway: Gateway, node: string): void =>
  gateway.tell(Buffer.from(`${randomUUID()}|node_lost|${node}`));

/** `connected`: all current connections. */
export const createLostNodes = (connected: ReadonlySet<Gateway>) => {
  const missing = new Set<string>();

  return {
    /** The gateway has given its name. */
    came(gateway: Gateway): void {
      if (gateway.node !== null) missing.delete(gateway.node);
      for (const node of missing) notify(gateway, node);
    },
    /** The connection has ended. A gateway may have a newer one. */
    left({ node }: Gateway): void {
      const others = [...connected].filter((other) => other.node !== null);
      if (node === null || others.some((other) => other.node === node)) return;
      missing.add(node);
      const [longest] = missing;
      if (missing.size > mostMissing && longest !== undefined) missing.delete(longest);
      for (const other of others) notify(other, node);
    },
    clear: (): void => missing.clear(),
  };
};
