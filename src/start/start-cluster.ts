/** This gateway among those that share the database: they look after each other and ask each other about calls. */
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import { createCallSignals, type CallSignals } from '#src/cluster/call-signals.ts';
import { createNodeWatch, type CleanUp, type NodeWatchNumbers } from '#src/cluster/node-watch.ts';
import { createNodeSignals } from '#src/cluster/signals.ts';
import type { CallSignal } from '#src/domain/call-signal.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Database } from '#src/persistence/database.ts';

export type ClusterNumbers = NodeWatchNumbers & {
  /** How long another gateway may take to do what it is asked. */
  answerMs: number;
};

export type Cluster = {
  askNode: CallSignals['ask'];
  /** Does what others ask of calls that are held here, and looks after the others. */
  open(perform: (signal: CallSignal) => Promise<void>): Promise<void>;
};

/** Enters this gateway among the others. What is started is ended by `started`. */
export const startCluster = async (
  config: Pick<Config, 'node'>,
  options: {
    database: Database;
    /** What is done for a gateway that has died, in this order. */
    cleanUps: readonly CleanUp[];
    /** Others have ended the calls of this gateway. */
    onLost: () => void;
    numbers: ClusterNumbers;
    clock: Clock;
    logger: Logger;
  },
  started: AsyncDisposableStack,
): Promise<Cluster> => {
  const { numbers } = options;
  const { node } = config;
  const watch = createNodeWatch({ ...options, node, address: null });
  const signals = createNodeSignals({ ...options, ...numbers, node });
  const calls = createCallSignals(signals);
  await watch.join();
  started.defer(() => watch.close());
  started.defer(() => signals.close());
  return {
    askNode: calls.ask,
    async open(perform) {
      await calls.open(perform);
      watch.open();
    },
  };
};
