/** This gateway among those that share the database: they look after each other and ask each other about calls. */
import type { Logger } from 'pino';
import type { Config } from '#config/config.ts';
import { createCallSignals, type CallSignals } from '#src/cluster/call-signals.ts';
import { createRecordingFetcher, type FetchLimits } from '#src/cluster/fetch-recording.ts';
import type { CleanUp } from '#src/cluster/clean-ups.ts';
import { createNodeWatch, type NodeWatchNumbers } from '#src/cluster/node-watch.ts';
import {
  createRecordingHandler,
  type KeptRecording,
  type RecordingHandler,
} from '#src/cluster/recording-handler.ts';
import { createNodeSignals } from '#src/cluster/signals.ts';
import type { InCallRequest } from '#src/domain/in-call-request.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Database } from '#src/persistence/database.ts';
import type { Sealing } from '#src/persistence/sealing.ts';
import type { Recordings } from '#src/recordings/recordings.ts';

export type ClusterNumbers = NodeWatchNumbers & {
  /** How long another gateway may take to do what it is asked. */
  answerMs: number;
  /** For recordings that another one keeps. */
  fetching: FetchLimits;
};

export type SharedRecordings = {
  /** A completed recording, wherever it is kept; see `Recordings` and `RecordingFetcher`. */
  open(recording: { callId: string; file: string; node: string }): Promise<KeptRecording | undefined>;
  /** Where the others fetch those that lie here. */
  handler: RecordingHandler;
};

export type Cluster = {
  askNode: CallSignals['ask'];
  /** Does what others ask of calls that are held here, and looks after the others. */
  open(perform: (request: InCallRequest) => Promise<void>): Promise<void>;
  /** This gateway listens; `url` is where this machine reaches it. */
  listensAt(url: string): Promise<void>;
  /** The recordings of this gateway, and its way to those of the others. */
  share(recordings: Pick<Recordings, 'open' | 'openOwn'>): SharedRecordings;
};

/** An address that leads to this machine alone, seen from another one. */
const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Enters this gateway among the others. What is started is ended by `started`. */
export const startCluster = async (
  config: Pick<Config, 'node' | 'nodeUrl' | 'host'>,
  options: {
    database: Database;
    /** What is done for a gateway that has died, in this order. */
    cleanUps: readonly CleanUp[];
    /** Others have ended the calls of this gateway. */
    onLost: () => void;
    sealing: Sealing;
    numbers: ClusterNumbers;
    clock: Clock;
    logger: Logger;
  },
  started: AsyncDisposableStack,
): Promise<Cluster> => {
  const { numbers } = options;
  const { node } = config;
  const watch = createNodeWatch({ ...options, node });
  const signals = createNodeSignals({ ...options, ...numbers, node });
  const calls = createCallSignals(signals);
  const fetcher = createRecordingFetcher({
    ...options,
    keys: options.sealing,
    limits: numbers.fetching,
    now: options.clock.now,
  });
  started.defer(fetcher.close);
  await watch.join();
  started.defer(() => watch.close());
  started.defer(() => signals.close());
  return {
    askNode: calls.ask,
    async open(perform) {
      await calls.open(perform);
      watch.open();
    },
    async listensAt(url) {
      const address = config.nodeUrl ?? (isWildcard(config.host) ? null : url);
      if (address !== null) await watch.tellAddress(address);
    },
    share: (recordings) => ({
      open: async (wanted) =>
        (await recordings.open(wanted)) ??
        (wanted.node === node ? undefined : fetcher.open(wanted.node, wanted.file)),
      handler: createRecordingHandler({
        open: recordings.openOwn,
        keys: options.sealing,
        now: options.clock.now,
        logger: options.logger,
      }),
    }),
  };
};
