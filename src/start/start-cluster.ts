/** This gateway among those that share the database: they look after each other and ask each other about calls. */
import { cluster as clusterPolicy } from '#config/policy.ts';
import { createCallSignals, type CallSignals } from '#src/cluster/call-signals.ts';
import { createRecordingFetcher } from '#src/cluster/fetch-recording.ts';
import { createNodeWatch, type NodeDuties } from '#src/cluster/node-watch.ts';
import {
  createRecordingHandler,
  type KeptRecording,
  type RecordingHandler,
} from '#src/cluster/recording-handler.ts';
import { createNodeSignals } from '#src/cluster/signals.ts';
import type { InCallRequest } from '#src/domain/in-call-request.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import type { Foundation } from './foundation.ts';

export type SharedRecordings = {
  /** A completed recording, wherever it is kept; see `Recordings` and `RecordingFetcher`. */
  open(recording: { callId: string; file: string; node: string }): Promise<KeptRecording | undefined>;
  /** Where the others fetch those that lie here. */
  handler: RecordingHandler;
};

export type Cluster = {
  askNode: CallSignals['ask'];
  /** Does what others ask of calls that are held here, and looks after the others. */
  open(duties: NodeDuties & { perform: (request: InCallRequest) => Promise<void> }): Promise<void>;
  /** This gateway listens; `url` is where this machine reaches it. */
  listensAt(url: string): Promise<void>;
  /** The recordings of this gateway, and its way to those of the others. */
  share(recordings: Pick<Recordings, 'open' | 'openOwn'>): SharedRecordings;
};

/** An address that leads to this machine alone, seen from another one. */
const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Enters this gateway among the others. */
export const startCluster = async ({
  config,
  database,
  sealing,
  clock,
  logger,
  started,
}: Foundation): Promise<Cluster> => {
  const { node } = config;
  const { answerMs, fetching } = clusterPolicy;
  const watch = createNodeWatch({ database, node, numbers: clusterPolicy, clock, logger });
  const signals = createNodeSignals({ database, node, answerMs, clock, logger });
  const calls = createCallSignals(signals);
  const fetcher = createRecordingFetcher({ database, keys: sealing, limits: fetching, now: clock.now });
  started.defer(fetcher.close);
  await watch.join();
  started.defer(() => watch.close());
  started.defer(() => signals.close());
  return {
    askNode: calls.ask,
    async open({ perform, ...duties }) {
      await calls.open(perform);
      watch.open(duties);
    },
    async listensAt(url) {
      const address = config.nodeUrl ?? (isWildcard(config.host) ? null : url);
      if (address !== null) await watch.tellAddress(address);
    },
    share: (recordings) => ({
      open: async (wanted) =>
        (await recordings.open(wanted)) ??
        (wanted.node === node ? undefined : fetcher.open(wanted.node, wanted.file)),
      handler: createRecordingHandler({ open: recordings.openOwn, keys: sealing, now: clock.now, logger }),
    }),
  };
};
