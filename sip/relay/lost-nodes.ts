/**
 * Notifies gateways of another gateway whose connection has ended, by the name that the other has among the gateways of
 * the database. The lost gateway may have died, and the notified ones take over its calls if the database agrees
 * (src/continuity/nodes/sudden-deaths.ts). A gateway that connects later is notified of all gateways that are still
 * missing.
 */
import { randomUUID } from 'node:crypto';
import type { GatewayConnection } from './gateway-connection.ts';

type Gateway = Pick<GatewayConnection, 'node' | 'tell'>;

/** Maximum number of missing gateways. Beyond this number, the gateway that has been missing longest is forgotten. */
const mostMissing = 100;

const notify = (gateway: Gateway, node: string): void =>
  gateway.tell(Buffer.from(`${randomUUID()}|node_lost|${node}`));

/** Creates the notifications. `connected` contains all current connections. */
export const createLostNodes = (connected: ReadonlySet<Gateway>) => {
  const missing = new Set<string>();

  return {
    /** Called when a gateway has sent its name. */
    came(gateway: Gateway): void {
      if (gateway.node !== null) missing.delete(gateway.node);
      for (const node of missing) notify(gateway, node);
    },
    /** Called when a connection has ended. The gateway may have a newer connection. */
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
