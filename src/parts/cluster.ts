/** This gateway in a cluster. Gateways with one database monitor each other and forward requests for calls. */
import type { Readable } from 'node:stream';
import type { Config } from '#config/config.ts';
import { cluster as clusterPolicy } from '#config/policy.ts';
import {
  answerInCallRequest,
  createCallSignals,
  type CallSignals,
  type PerformHere,
} from '#src/cluster/call-signals.ts';
import type { OpenRecording } from '#src/domain/open-recording.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import { createCounting, type Counting } from '#src/cluster/counting.ts';
import { createRecordingFetcher } from '#src/cluster/fetch-recording.ts';
import {
  answerHandOver,
  askToTake,
  handOverIn,
  type TakeHandedOver,
} from '#src/continuity/hand-over-requests.ts';
import { numbersWithoutLines } from '#src/continuity/nodes/judge-nodes.ts';
import type { SharedLines } from '#src/continuity/nodes/sudden-deaths.ts';
import { createNodeWatch, type NodeDuties } from '#src/continuity/nodes/node-watch.ts';
import {
  answerScriptProgress,
  askScriptProgress,
  scriptProgressIn,
  type FindScriptProgress,
} from '#src/cluster/script-progress.ts';
import type { ScriptProgress } from '#src/domain/simulated-callee.ts';
import { createRecordingHandler, type RecordingHandler } from '#src/cluster/recording-handler.ts';
import { createProofJudge } from '#src/cluster/node-proof.ts';
import { createNodeSignals } from '#src/cluster/signals.ts';
import { databaseWakeUps, type WakeUps } from '#src/cluster/wake-ups.ts';
import { checkpointForm } from '#src/persistence/calls/call-checkpoints.ts';
import { livingNodes } from '#src/persistence/nodes/nodes.ts';
import type { OtherParts } from '#src/recordings/assembly.ts';
import type { Recordings } from '#src/recordings/recordings.ts';
import type { Runtime } from './runtime.ts';

export type SharedRecordings = {
  /** Opens a completed recording at whichever gateway it is stored (see `Recordings` and `RecordingFetcher`). */
  open(recording: {
    callId: string;
    file: string;
    node: string;
  }): Promise<OpenRecording<Readable> | undefined>;
  /** URL from which other gateways fetch recordings stored here. */
  handler: RecordingHandler;
};

export type Cluster = {
  askNode: CallSignals['ask'];
  counting: Counting;
  /** Serves other gateways' requests for calls of this gateway, and monitors the other gateways. */
  open(
    duties: NodeDuties & {
      perform: PerformHere;
      take: TakeHandedOver;
      scriptProgress: FindScriptProgress;
    },
  ): Promise<void>;
  /** Publishes whether this gateway accepts calls of other gateways. */
  takes(isTaking: boolean): Promise<void>;
  /** Called when the relay has lost its connection with the gateway of this name. */
  leftRelay(name: string): void;
  /**
   * Resolves to the names of the other live gateways, of those that take calls on the same lines, and of those among
   * these that can take over calls of this gateway.
   */
  others(): Promise<{ living: string[]; onSameLines: string[]; takers: string[] }>;
  /**
   * Resolves to whether that gateway takes over the calls. Rejects if the gateway is unreachable, or without a
   * database.
   */
  giveCalls(node: string, callIds: readonly string[]): Promise<boolean>;
  /** Resolves to the progress of a script at another gateway. Rejects like `giveCalls`. */
  scriptProgressAt(node: string, callId: string): Promise<ScriptProgress | undefined>;
  /** Called when this gateway listens. `url` is its address on this machine. */
  listensAt(url: string): Promise<void>;
  /** Raw parts of recordings at other gateways. */
  otherParts: OtherParts;
  /** Recordings of this gateway and access to those of others. */
  share(recordings: Recordings): SharedRecordings;
};

/** Whether the host is a wildcard address, which another machine could not use. */
const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Returns a key that is equal at gateways that reach the same far ends; `null` if far ends end with their gateway. */
export const sharedLines = ({ lines, realLines }: Config): string | null => {
  if (lines === 'simulator') return lines;
  if (realLines === null || !realLines.isByRelay) return null;
  return `${lines} ${realLines.drachtio.host}:${realLines.drachtio.port}`;
};

/**
 * How the death of another gateway is detected at once; null without lines. Without the relay, calls are not handed over,
 * but those of a dead gateway are taken over.
 */
const suddenDeathsOf = ({ lines, realLines }: Config): SharedLines | null => {
  if (lines === 'none') return null;
  if (realLines === null) return { lines, reportedBy: 'database', checks: 'one' };
  const { drachtio, isByRelay } = realLines;
  const server = `${lines} ${drachtio.host}:${drachtio.port}`;
  return isByRelay
    ? { lines: server, reportedBy: 'relay', checks: 'one' }
    : { lines: `${server} without relay`, reportedBy: 'database', checks: 'all' };
};

/** Notification between gateways. */
const openWakeUps = async ({ config, database, steadyClock, logger, started }: Runtime): Promise<WakeUps> => {
  const byDatabase = databaseWakeUps(database);
  if (config.nats === null) return byDatabase;
  // Imported only when it is used, because calls of a dead process wait for the modules of this one.
  const { openNatsWakeUps } = await import('#src/cluster/nats-wake-ups.ts');
  const wakeUps = openNatsWakeUps({
    nats: config.nats,
    numbers: clusterPolicy.nats,
    node: config.node,
    database: byDatabase,
    clock: steadyClock,
    logger,
  });
  started.defer(wakeUps.close);
  return wakeUps;
};

/** Registers this gateway among the others. */
export const startCluster = async (runtime: Runtime): Promise<Cluster> => {
  const { config, database, sealing, clock, steadyClock, fence, environment, logger, started } = runtime;
  const { node } = config;
  const { answerMs, fetching } = clusterPolicy;
  const lines = sharedLines(config);
  const shared = suddenDeathsOf(config);
  const numbers = config.lines === 'none' ? numbersWithoutLines(clusterPolicy) : clusterPolicy;
  const leaves = {
    form: config.lines === 'none' ? 0 : checkpointForm,
    forMs: clusterPolicy.leaveToOthersMs,
  };
  const watch = createNodeWatch({
    database,
    node,
    shared,
    numbers,
    leaves,
    fence,
    clock,
    steadyClock,
    logger,
  });
  const ticking = createRepeatedTask({
    work: async () => fence.tick(),
    everyMs: clusterPolicy.beatMs,
    clock: steadyClock,
  });
  fence.tick();
  ticking.start(clusterPolicy.beatMs);
  started.defer(() => ticking.stop());
  const counting = createCounting({
    database,
    node,
    tell: watch.tellCountsAlone,
    numbers: clusterPolicy.counting,
    clock: steadyClock,
  });
  const wakeUps = await openWakeUps(runtime);
  const signals = createNodeSignals({ database, wakeUps, node, answerMs, clock, logger });
  const calls = createCallSignals(signals);
  const fetcher = createRecordingFetcher({
    database,
    keys: sealing,
    limits: fetching,
    openDispatcher: environment.openDispatcher,
    now: clock.now,
  });
  started.defer(fetcher.close);
  await watch.join();
  started.defer(() => watch.close());
  started.defer(() => signals.close());
  return {
    askNode: calls.ask,
    counting,
    async open({ perform, take, scriptProgress, ...duties }) {
      await signals.open(async (asked) => {
        const handedOver = handOverIn(asked);
        if (handedOver !== undefined) return answerHandOver(handedOver, take);
        const played = scriptProgressIn(asked);
        if (played !== undefined) return answerScriptProgress(played, scriptProgress);
        return answerInCallRequest(asked, perform);
      });
      watch.open(duties, counting);
    },
    leftRelay: watch.leftRelay,
    async takes(isTaking) {
      await watch.tellTakes(
        isTaking && shared !== null ? { lines: shared.lines, form: checkpointForm } : null,
      );
    },
    async others() {
      const living = await livingNodes(database, node);
      const onSameLines = living.filter(({ takes }) => takes !== null && takes.lines === lines);
      const takers = onSameLines.filter(({ takes }) => takes !== null && takes.form >= checkpointForm);
      const namesOf = (nodes: typeof living): string[] => nodes.map(({ name }) => name);
      return { living: namesOf(living), onSameLines: namesOf(onSameLines), takers: namesOf(takers) };
    },
    giveCalls: (to, callIds) => askToTake(signals, to, { from: node, callIds: [...callIds] }),
    scriptProgressAt: (other, callId) => askScriptProgress(signals, other, callId),
    async listensAt(url) {
      const address = config.nodeUrl ?? (isWildcard(config.host) ? null : url);
      if (address !== null) await watch.tellAddress(address);
    },
    otherParts: { list: fetcher.listParts, open: fetcher.openPart },
    share: (recordings) => ({
      open: async (wanted) =>
        (await recordings.open(wanted)) ??
        (wanted.node === node ? undefined : fetcher.open(wanted.node, wanted.file)),
      handler: createRecordingHandler({
        own: recordings.own,
        judge: createProofJudge({ keys: sealing, now: clock.now, logger }),
        logger,
      }),
    }),
  };
};
