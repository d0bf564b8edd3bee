/**
 * Connections to all other gateways of the database, kept while somebody needs them: for web phones, which ring at
 * every gateway, and for the inspector, which shows the calls of all.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createCoalescedTask } from '#src/domain/coalesced-task.ts';
import type { ReachableNode } from '#src/persistence/nodes/nodes.ts';

/** How a connection ended. `refused`: this run of the gateway does not serve it, so it is not tried again. */
export type ConnectionEnd = 'ended' | 'refused';

/**
 * Connects to one gateway. Resolves when the connection has ended, which begins another one at the next look; rejects
 * if the address cannot be used at all. `stopped` aborts when the gateway is gone or the connection is no longer needed.
 */
export type ConnectToGateway = (gateway: ReachableNode, stopped: AbortSignal) => Promise<ConnectionEnd>;

export type OtherGateways = {
  /** Connects to every other gateway that runs now or later. The returned function disconnects. */
  connect(connectTo: ConnectToGateway): () => void;
  close(): Promise<void>;
};

/** The connections of one need, by the run of their gateway. */
const createConnections = (connectTo: ConnectToGateway, logger: Logger) => {
  const connections = new Map<string, AbortController>();

  const connect = async (gateway: ReachableNode, stopped: AbortSignal): Promise<ConnectionEnd> => {
    try {
      return await connectTo(gateway, stopped);
    } catch (error) {
      logger.warn({ err: error, to_node: gateway.name }, 'another gateway cannot be reached at its address');
      return 'refused';
    }
  };

  const begin = async (gateway: ReachableNode): Promise<void> => {
    const stopping = new AbortController();
    connections.set(gateway.instance, stopping);
    const end = await connect(gateway, stopping.signal);
    // A refused connection stays in the map until its gateway is gone.
    if (end === 'ended' && connections.get(gateway.instance) === stopping)
      connections.delete(gateway.instance);
  };

  return {
    follow(gateways: readonly ReachableNode[]): void {
      for (const [instance, stopping] of connections) {
        if (gateways.some((gateway) => gateway.instance === instance)) continue;
        connections.delete(instance);
        stopping.abort();
      }
      for (const gateway of gateways) if (!connections.has(gateway.instance)) void begin(gateway);
    },
  };
};

export const createOtherGateways = (options: {
  /** Reads the other gateways that run and have an address. */
  read: () => Promise<readonly ReachableNode[]>;
  /** Interval of the look at the other gateways, and of new attempts to connect. */
  lookMs: number;
  clock: Clock;
  logger: Logger;
}): OtherGateways => {
  const { read, lookMs, clock, logger } = options;
  const needs = new Set<ReturnType<typeof createConnections>>();
  let timer: unknown;

  const looking = createCoalescedTask(async () => {
    clock.clearTimeout(timer);
    try {
      const gateways = await read();
      for (const connections of needs) connections.follow(gateways);
    } catch (error) {
      logger.debug({ err: error }, 'the other gateways cannot be read right now');
    }
    if (needs.size > 0) timer = clock.setTimeout(() => void looking.run(), lookMs);
  });

  return {
    connect(connectTo) {
      const connections = createConnections(connectTo, logger);
      needs.add(connections);
      void looking.run();
      return () => {
        needs.delete(connections);
        connections.follow([]);
      };
    },
    close() {
      for (const connections of needs) connections.follow([]);
      needs.clear();
      clock.clearTimeout(timer);
      return looking.close();
    },
  };
};
