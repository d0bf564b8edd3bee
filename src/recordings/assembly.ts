/**
 * Makes the recordings of ended calls. A call that was taken over has raw parts at several gateways. The gateway that
 * ended the call fetches those of the others, and encodes all of them as one file with silence between them.
 *
 * - The gateway waits a short time for gateways that are unavailable. Then the gateway makes the recording with silence
 *   in place of their parts (`truncated`), keeps the parts that it has, and makes the file again when the gateways are
 *   back, once, also if the end of the call is missing.
 * - Without any part the gateway assigns the recording to a gateway that may have one. That gateway does the same at
 *   the next check, and `recordings.ts` marks the recording as failed if that gateway never returns.
 * - With a store, the parts of an unavailable gateway come from there, as far as it has uploaded them. Without the last
 *   piece they count as missing: the file has what there is, and is made again when the gateway is back. While the store
 *   is unavailable as well, the recording waits for it.
 * - A recording that is still pending a minute after its call is made or reported again, because its fact may be lost,
 *   and because a call may end here although another gateway recorded it.
 * - Raw parts are removed when their recording is complete, has failed, or was erased. Parts with pieces in the store
 *   remain until the database has the file, which is then in the store as well.
 */
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { OpenRecording } from '#src/domain/open-recording.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import type { Database } from '#src/persistence/database/database.ts';
import {
  formerHolders,
  leaveRecording,
  overdueRecordings,
  recordingStates,
  recordingsLeftTo,
  type RecordingState,
} from '#src/persistence/calls/recordings.ts';
import { livingNodes } from '#src/persistence/nodes/nodes.ts';
import { EncodingStopped, type Encoding } from './encoding.ts';
import type { RecordingFormat } from './recording-format.ts';
import type { PartPieces } from './part-pieces.ts';
import type { PartUploads } from './part-uploads.ts';
import { partIn, partName, type RawPart } from './raw-part.ts';
import {
  formatOf,
  truncatedName,
  type CompleteFile,
  type PartInFolder,
  type RecordingFolder,
} from './recording-folder.ts';
import { StoreFailure } from './store.ts';

/** Access to the raw parts of other gateways. Both reject if the gateway is unavailable. */
export type OtherParts = {
  /** Resolves to the names of the raw parts of a call. */
  list(node: string, callId: string): Promise<string[]>;
  open(node: string, name: string): Promise<OpenRecording<Readable> | undefined>;
};

/** Raw parts in the store. */
export type StoredParts = PartPieces & Pick<PartUploads, 'mayHave' | 'forget'>;

export type AssemblyNumbers = {
  /** Interval of the looks for recordings and raw parts that were left. */
  everyMs: number;
  /** Interval of the requests to unavailable gateways while a recording waits for them. */
  askAgainMs: number;
  /** Maximum time for which a recording waits for unavailable gateways. */
  waitMs: number;
  /** Maximum time for which a recording waits for an unavailable store of the parts of an unavailable gateway. */
  storeMs: number;
  /** Time after the end of a call for which raw parts are kept for its recording. */
  keepMs: number;
  /** Maximum delay after a failure. */
  longestBackoffMs: number;
  /** Time after which a recording that is still pending is made or reported again. */
  overdueMs: number;
};

export type Assembly = {
  /** Looks for recordings and raw parts that were left, now and then periodically. */
  start(): void;
  /**
   * Makes the recording of a call. `takenFrom`: its last former holder; `null` if it has always been here, `stored` if
   * only the database may know. Resolves when that is done or left to a later look; never rejects.
   */
  make(callId: string, of: { takenFrom: string | null } | 'stored'): Promise<void>;
  /**
   * Makes the recording of a gateway that disappeared for good, of its parts in the store. The recording fails without
   * any. Never rejects.
   */
  makeAbandoned(callId: string): Promise<void>;
  /** Notes that the file of a pending recording exists: it is not made a second time while it waits for the store. */
  isMade(callId: string, file: CompleteFile): Promise<void>;
  /** Makes waiting recordings without the parts of unavailable gateways, and waits for all recordings. */
  close(): Promise<void>;
};

export type AssemblyOptions = {
  folder: RecordingFolder;
  format: RecordingFormat;
  encoding: Encoding;
  /** `null`: there are no other gateways. */
  others: OtherParts | null;
  /** Whether complete files are uploaded to a store. */
  hasStore: boolean;
  /** `null`: there are no raw parts in a store. */
  stored: StoredParts | null;
  database: Database;
  /** Name of this gateway among those of the database. */
  node: string;
  /** Whether this gateway records the call now. */
  isRecording: (callId: string) => boolean;
  numbers: AssemblyNumbers;
  onComplete: (file: CompleteFile) => void;
  onFailed: (callId: string) => void;
  /** Removes a file, which another one replaces, from the store. */
  removeStored: (file: string) => Promise<void>;
  clock: Clock;
  logger: Logger;
};

/** Former holders of a call. `known`: those of its take-overs in the journal, in order. */
type Holders = { names: readonly string[]; known: readonly string[] };

const noHolders: Holders = { names: [], known: [] };

/** Parts of a call, and the gateways whose parts are missing, wholly or at their ends. */
type Collected = { parts: PartInFolder[]; missing: string[] };

/** Servers that did not answer during a look. */
type Look = { unavailable: Set<string>; storeIsAway: boolean };

/** Maximum time between the answer and the first part. A recording that begins later lacks its beginning. */
const longestBeginningMs = 1_000;

const beginsLate = (parts: readonly RawPart[]): boolean =>
  (parts[0]?.fromMs ?? Infinity) > longestBeginningMs;

/** A recording that was made here. */
type Made = {
  /** `null`: there is no audio. */
  file: CompleteFile | null;
  /** Names of the parts in a truncated file. */
  parts: string | null;
  /** Time at which the file that this one replaces was completed, in the database; `null` if this is the first one. */
  replacedAt: Date | null;
  reportedAt: number;
};

const namesOf = (parts: readonly PartInFolder[]): string => parts.map(({ name }) => name).join(' ');

/** Number of calls whose states are read in one query. */
const batch = 1_000;

export const createAssembly = (options: AssemblyOptions): Assembly => {
  const { folder, format, encoding, others, stored, database, node, numbers, clock, logger } = options;
  const { parts: partsFolder } = folder;
  const closing = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  /** Recordings that were made here, which the database may not show yet. */
  const made = new Map<string, Made>();
  /** Recordings that are not assigned to another gateway yet: the gateway by the call's id. */
  const leaving = new Map<string, string>();
  const failures = new Map<string, { count: number; notBefore: number }>();

  const fetchParts = async (from: string, callId: string): Promise<void> => {
    if (others === null) throw new Error('There are no other gateways');
    const here = new Set((await partsFolder.of(callId)).map(({ name }) => name));
    for (const name of await others.list(from, callId)) {
      if (here.has(name) || partIn(name)?.callId !== callId) continue;
      const part = await others.open(from, name);
      if (part !== undefined) await partsFolder.store(name, await part.read());
    }
  };

  const isSame = (one: Pick<RawPart, 'node' | 'fromMs'>, other: Pick<RawPart, 'node' | 'fromMs'>): boolean =>
    one.node === other.node && one.fromMs === other.fromMs;

  /** Fetches the parts from the store that are not here, or not with their ends. */
  const fetchStored = async (callId: string, { list, read }: PartPieces): Promise<void> => {
    const here = (await partsFolder.of(callId)).filter(({ isCut }) => !isCut);
    for (const part of await list(callId))
      if (!here.some((one) => isSame(one, part)))
        await partsFolder.store(partName({ ...part, hasEnd: false, isCut: !part.isWhole }), read(part));
  };

  /**
   * Fetches the parts of other gateways, and of the store if it may have any that are not here. Gateways in
   * `unavailable` are skipped; the function adds others that fail. Rejects with a `StoreFailure`.
   */
  const collect = async (
    callId: string,
    { names, known }: Holders,
    { unavailable, store }: { unavailable: Set<string>; store: PartPieces | null },
  ): Promise<Collected> => {
    const silent: string[] = [];
    for (const holder of names) {
      if (!unavailable.has(holder))
        try {
          await fetchParts(holder, callId);
          continue;
        } catch (error) {
          logger.debug({ call_id: callId, node: holder, err: error }, 'a part of a recording is unavailable');
          unavailable.add(holder);
        }
      silent.push(holder);
    }
    // In a shared folder the parts of a gateway are here, whether or not it runs.
    let parts = await partsFolder.of(callId);
    const ofNode = (holder: string): PartInFolder[] => parts.filter((part) => part.node === holder);
    if (
      store !== null &&
      (silent.length > 0 || beginsLate(parts) || names.some((holder) => ofNode(holder).length === 0))
    ) {
      await fetchStored(callId, store);
      parts = await partsFolder.of(callId);
    }
    const isMissing = (holder: string): boolean => {
      const own = ofNode(holder);
      // A gateway that held the call twice has two parts. The last one may be too short for a piece in the store.
      const times = stored === null ? 1 : known.filter((name) => name === holder).length;
      return own.some(({ isCut }) => isCut) || own.length < Math.max(1, times);
    };
    return { parts, missing: silent.filter(isMissing) };
  };

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        clock.clearTimeout(timer);
        closing.signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = clock.setTimeout(wake, milliseconds);
      closing.signal.addEventListener('abort', wake);
    });

  /** Like `collect`. A failure of the store leaves the parts missing, but once `isLast` it rejects. */
  const collectOnce = async (
    callId: string,
    holders: Holders,
    { useStore, isLast }: { useStore: boolean; isLast: boolean },
  ): Promise<Collected> => {
    const unavailable = new Set<string>();
    try {
      return await collect(callId, holders, { unavailable, store: useStore ? stored : null });
    } catch (error) {
      if (!(error instanceof StoreFailure) || (isLast && (await mayWaitForStore(callId)))) throw error;
      logger.warn(
        { call_id: callId, err: error },
        'parts of a recording could not be fetched from the store',
      );
      return collect(callId, holders, { unavailable, store: null });
    }
  };

  /** Whether a recording may wait for the store. One without any part here has no time of its own. */
  const mayWaitForStore = async (callId: string): Promise<boolean> => {
    const savedAt = await partsFolder.savedAt(callId);
    return savedAt === 0 || clock.now() - savedAt < numbers.storeMs;
  };

  const collectPatiently = async (callId: string, holders: Holders): Promise<Collected> => {
    for (let waitedMs = 0; ; waitedMs += numbers.askAgainMs) {
      const isLast = waitedMs >= numbers.waitMs || closing.signal.aborted;
      const collected = await collectOnce(callId, holders, { useStore: isLast || waitedMs === 0, isLast });
      if (collected.missing.length === 0 || isLast) return collected;
      await pause(numbers.askAgainMs);
    }
  };

  const encode = async (
    callId: string,
    { parts, missing }: Collected,
    {
      truncated,
      earlier,
      isAbandoned = false,
    }: {
      truncated: boolean;
      /** A truncated recording, which is replaced. */
      earlier: Pick<RecordingState, 'file' | 'finishedAt'> | null;
      isAbandoned?: boolean;
    },
  ): Promise<void> => {
    const name = earlier?.file?.replace('.truncated.', '.') ?? folder.nameFor(callId, clock.now(), format);
    const file = truncated ? truncatedName(name) : name;
    const ownFormat = formatOf(name);
    const encoded = await encoding.encode({
      parts: parts.map(({ name: part, fromMs }) => ({ path: partsFolder.pathOf(part), fromMs })),
      format: ownFormat,
      path: folder.pathOf(file),
    });
    const savedAt = clock.now();
    const replaces = earlier !== null;
    const complete = { callId, file, format: ownFormat, ...encoded, truncated, replaces, savedAt };
    if (isAbandoned) await leaveRecording(database, { callId, node });
    const replacedAt = earlier?.finishedAt ?? null;
    made.set(callId, { file: complete, parts: namesOf(parts), replacedAt, reportedAt: savedAt });
    if (missing.length > 0)
      logger.warn(
        { call_id: callId, missing_nodes: missing },
        'a recording has silence in place of the parts of unavailable gateways; it is made again when they are back',
      );
    options.onComplete(complete);
    // While parts are missing, the others are needed to make the file again; then a look removes them with the old file.
    // Pieces in the store are needed until the file is there: this machine may be lost before.
    if (missing.length === 0 && earlier === null && !(await hasPieces(callId))) await removeAllParts(callId);
  };

  /** Whether the store may have pieces of a call. */
  const hasPieces = async (callId: string): Promise<boolean> =>
    stored !== null && stored.mayHave(callId, (await partsFolder.of(callId)).length);

  /** Removes the parts of a call here and in the store. */
  const removeAllParts = async (callId: string): Promise<void> => {
    if (stored !== null) {
      const isNeeded = await hasPieces(callId);
      await stored.forget(callId);
      if (isNeeded) await stored.remove(callId);
    }
    await partsFolder.remove(callId);
  };

  const isTruncated = ({ parts, missing }: Collected): boolean =>
    missing.length > 0 ||
    parts.some(({ isCut }) => isCut) ||
    parts.at(-1)?.hasEnd !== true ||
    beginsLate(parts);

  /** Other gateways that may have parts of a call. */
  const holdersOf = async (callId: string, takenFrom?: string): Promise<Holders> => {
    const { known, areAll } = await formerHolders(database, callId);
    // A gateway that died while it took the call over does not appear in the journal, and hides the one before it.
    const living = areAll ? [] : (await livingNodes(database, node)).map(({ name }) => name);
    const holders = new Set([...known, ...living, ...(takenFrom === undefined ? [] : [takenFrom])]);
    holders.delete(node);
    return { names: [...holders], known };
  };

  const leave = async (callId: string, to: string): Promise<void> => {
    logger.info({ call_id: callId, to_node: to }, 'a recording is left to the gateway that wrote it');
    leaving.set(callId, to);
    await leaveAll();
  };

  const leaveAll = async (): Promise<void> => {
    for (const [callId, to] of leaving) {
      await leaveRecording(database, { callId, node: to });
      leaving.delete(callId);
    }
  };

  /**
   * Whether this gateway finishes the recording. A gateway that was cut off may have lost the call without knowing it;
   * its file would replace that of the next holder in the store.
   */
  const isOurs = async (callId: string): Promise<boolean> => {
    const states = await recordingStates(database, { node, callIds: [callId], oldAfterMs: numbers.keepMs });
    return states.get(callId)?.isHere ?? true;
  };

  const makeFirst = async (callId: string, holders: Holders): Promise<void> => {
    if (options.hasStore && !(await isOurs(callId))) return;
    const collected = await collectPatiently(callId, holders);
    const [missing] = collected.missing;
    if (collected.parts.length > 0)
      await encode(callId, collected, { truncated: isTruncated(collected), earlier: null });
    else if (missing !== undefined) await leave(callId, missing);
    else {
      logger.warn({ call_id: callId }, 'a recording was lost with the process that wrote it');
      made.set(callId, { file: null, parts: null, replacedAt: null, reportedAt: clock.now() });
      options.onFailed(callId);
    }
  };

  /**
   * Makes the recording of a gateway that never returned, of its parts in the store. The recording is assigned to this
   * gateway first: the journal rejects facts of a recording that another gateway finishes.
   */
  const makeAbandoned = async (callId: string): Promise<void> => {
    const collected = await collect(callId, await holdersOf(callId), {
      unavailable: new Set(),
      store: stored,
    });
    if (collected.parts.length === 0) await failAbandoned(callId);
    else
      await encode(callId, collected, {
        truncated: isTruncated(collected),
        earlier: null,
        isAbandoned: true,
      });
  };

  const failAbandoned = async (callId: string): Promise<void> => {
    await leaveRecording(database, { callId, node });
    options.onFailed(callId);
  };

  /** Makes a truncated recording again if all parts are available now, and removes them if the file has all of them. */
  const makeAgain = async (
    callId: string,
    state: RecordingState,
    unavailable: Set<string>,
  ): Promise<void> => {
    const { file, finishedAt } = state;
    const collected = await collect(callId, await holdersOf(callId), { unavailable, store: null });
    if (collected.missing.length > 0) return;
    const truncated = isTruncated(collected);
    const last = made.get(callId);
    if (file === null || (truncated && last?.parts === namesOf(collected.parts))) {
      const isStored = last?.replacedAt?.getTime() !== finishedAt?.getTime();
      if (isStored) await removeAllParts(callId);
      return;
    }
    // The new file has the name of the old one, whose local copy is removed soon after the database has its recording.
    if (truncated && options.hasStore && (await folder.holds(file))) return;
    await encode(callId, collected, { truncated, earlier: state });
  };

  /** Runs one task of a call at a time. After a failure, later looks retry it with backoff. */
  const run = (callId: string, work: () => Promise<void>): Promise<void> => {
    const running = underWay.get(callId);
    if (running !== undefined) return running;
    const begun = (async () => {
      try {
        await work();
        failures.delete(callId);
      } catch (error) {
        if (error instanceof EncodingStopped) return;
        const count = (failures.get(callId)?.count ?? 0) + 1;
        const againMs = Math.min(numbers.longestBackoffMs, numbers.everyMs * 2 ** (count - 1));
        failures.set(callId, { count, notBefore: clock.now() + againMs });
        if (error instanceof StoreFailure)
          logger.warn(
            { call_id: callId, err: error },
            'the store, which may have parts of a recording, is unavailable; a retry follows',
          );
        else logger.error({ call_id: callId, err: error }, 'making a recording failed; a retry follows');
      } finally {
        underWay.delete(callId);
      }
    })();
    underWay.set(callId, begun);
    return begun;
  };

  const removeParts = async (callId: string, { isHere, file, truncated }: RecordingState): Promise<void> => {
    await removeAllParts(callId);
    const mayReplace = made.get(callId)?.file?.replaces ?? true;
    made.delete(callId);
    if (!isHere || !mayReplace || file === null || truncated) return;
    const replaced = truncatedName(file);
    await folder.remove(replaced);
    await options.removeStored(replaced);
  };

  /** Removes parts. Once the store has failed, the calls after it in this look wait for the next one. */
  const tidy = async (callId: string, round: Look, work: () => Promise<void>): Promise<void> => {
    if (round.storeIsAway) return;
    await run(callId, work);
    round.storeIsAway = stored !== null && failures.has(callId);
  };

  const settle = async (callId: string, state: RecordingState | undefined, round: Look): Promise<void> => {
    if (state === undefined) {
      // The answer may not be stored yet.
      if (clock.now() - (await partsFolder.savedAt(callId)) > numbers.keepMs)
        await tidy(callId, round, () => removeAllParts(callId));
      return;
    }
    const { status, truncated, isErased, isOver, isOld, isHere } = state;
    if (isErased || status === 'failed' || (status === 'completed' && !truncated))
      return tidy(callId, round, () => removeParts(callId, state));
    if (!isOver) return;
    if (status === 'completed') {
      if (isOld) await tidy(callId, round, () => removeParts(callId, state));
      else if (isHere && made.get(callId)?.file?.truncated !== false)
        await run(callId, () => makeAgain(callId, state, round.unavailable));
      return;
    }
    if (!isHere || made.has(callId)) return;
    if (isOld) options.onFailed(callId);
    else void run(callId, async () => makeFirst(callId, await holdersOf(callId)));
  };

  const isDue = (callId: string): boolean =>
    !options.isRecording(callId) &&
    !underWay.has(callId) &&
    (failures.get(callId)?.notBefore ?? 0) <= clock.now();

  const lookAtParts = async (stopped: AbortSignal): Promise<void> => {
    // A recording that failed may have no part here, because its parts are in the store.
    const calls = [...new Set([...(await partsFolder.calls()), ...failures.keys()])].filter(isDue);
    const round: Look = { unavailable: new Set(), storeIsAway: false };
    for (let from = 0; from < calls.length; from += batch) {
      const callIds = calls.slice(from, from + batch);
      const states = await recordingStates(database, { node, callIds, oldAfterMs: numbers.keepMs });
      for (const callId of callIds) {
        if (stopped.aborted) return;
        if (isDue(callId)) await settle(callId, states.get(callId), round);
      }
    }
  };

  const lookAtLeft = async (): Promise<void> => {
    for (const callId of await recordingsLeftTo(database, node))
      if (isDue(callId) && !made.has(callId))
        void run(callId, async () => makeFirst(callId, await holdersOf(callId)));
  };

  /** The fact of a recording may be lost, for example if too many facts wait for the database. */
  const reportAgain = (callId: string, recording: Made): void => {
    if (clock.now() - recording.reportedAt < numbers.overdueMs) return;
    recording.reportedAt = clock.now();
    if (recording.file === null) options.onFailed(callId);
    else options.onComplete(recording.file);
  };

  /** Forgets recordings that the database has as finished. Recordings with parts here are forgotten with their parts. */
  const forgetFinished = async (): Promise<void> => {
    const withParts = await partsFolder.calls();
    const calls = [...made.keys()].filter((callId) => !withParts.has(callId));
    for (let from = 0; from < calls.length; from += batch) {
      const callIds = calls.slice(from, from + batch);
      const states = await recordingStates(database, { node, callIds, oldAfterMs: numbers.keepMs });
      for (const [callId, { status }] of states) if (status !== 'pending') made.delete(callId);
    }
  };

  const lookAtOverdue = async (): Promise<void> => {
    try {
      for (const callId of await overdueRecordings(database, { node, afterMs: numbers.overdueMs })) {
        if (!isDue(callId)) continue;
        const recording = made.get(callId);
        if (recording === undefined) void run(callId, async () => makeFirst(callId, await holdersOf(callId)));
        else reportAgain(callId, recording);
      }
      await forgetFinished();
    } catch (error) {
      logger.warn({ err: error }, 'looking for overdue recordings failed; a retry follows');
    }
  };

  const look = async (stopped: AbortSignal): Promise<void> => {
    try {
      await leaveAll();
      await lookAtLeft();
      await lookAtParts(stopped);
    } catch (error) {
      logger.warn({ err: error }, 'looking for unfinished recordings failed; a retry follows');
    }
  };

  const looking = createRepeatedTask({ work: look, everyMs: numbers.everyMs, clock });
  const lookingAtOverdue = createRepeatedTask({ work: lookAtOverdue, everyMs: numbers.overdueMs, clock });

  return {
    start() {
      looking.start(0);
      lookingAtOverdue.start(numbers.overdueMs);
    },
    make: (callId, of) =>
      run(callId, async () => {
        if (of === 'stored') return makeFirst(callId, await holdersOf(callId));
        return makeFirst(callId, of.takenFrom === null ? noHolders : await holdersOf(callId, of.takenFrom));
      }),
    async makeAbandoned(callId) {
      if (made.has(callId) || !isDue(callId)) return;
      await run(callId, () => (stored === null ? failAbandoned(callId) : makeAbandoned(callId)));
    },
    async isMade(callId, file) {
      const parts = file.truncated ? namesOf(await partsFolder.of(callId)) : null;
      made.set(callId, { file, parts, replacedAt: null, reportedAt: clock.now() });
    },
    async close() {
      closing.abort();
      await Promise.all([looking.stop(), lookingAtOverdue.stop()]);
      await Promise.all(underWay.values());
      if (leaving.size > 0) await leaveAll().catch(() => undefined);
    },
  };
};
