/**
 * Stores the remote legs of calls in the database, in the background: a call never waits for it. While the database is
 * down only the latest state of each leg waits, however often it changes.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';
import { firstEpoch } from '#src/persistence/call-facts.ts';
import type { Database } from '#src/persistence/database.ts';
import type { Sealing } from '#src/persistence/sealing.ts';
import { legsOf, writeLegs, type KeptLeg } from '#src/persistence/sip-legs.ts';

export type LegKeeper = {
  keep(id: string, kept: Omit<KeptLeg, 'id'>): void;
  /** This leg is already in the database: it was written by another process, whose call continues here. */
  takeOver(id: string, callId: string): void;
  remove(id: string): void;
  /** Legs that an earlier process of this or another node has left behind. */
  orphans(node?: string): Promise<KeptLeg[]>;
  /** Resolves when all changes so far are written. */
  written(): Promise<void>;
  /** Resolves when all changes are written, or after this many milliseconds. */
  settled(atMostMs: number): Promise<void>;
};

/** Delay after which an ended leg is deleted, if no other leg is written before: ending it again would be harmless. */
const dropMs = 1_000;
const firstDelayMs = 100;
const longestDelayMs = 5_000;

/** Legs to write, by id; `null`: the leg has ended. */
type Changes = ReadonlyMap<string, Omit<KeptLeg, 'id'> | null>;

type LegKeeperOptions = {
  database: Database;
  sealing: Pick<Sealing, 'seal' | 'open'>;
  node: string;
  /** The call's holder number (epoch) of this gateway. */
  epochOf: (callId: string) => number;
  /** Whether a call of an earlier process continues here: its remote leg is not orphaned. */
  goesOn: (callId: string) => boolean;
  clock: Clock;
  logger: Logger;
};

/** Writes legs, and tracks which may be in the database, with their epochs there, so that only those are deleted. */
const createLegWriter = ({
  database,
  sealing,
  node,
  epochOf,
}: Omit<LegKeeperOptions, 'clock' | 'logger'>) => {
  const written = new Map<string, number>();
  const epochNow = ({ callId }: { callId: string | null }): number =>
    callId === null ? firstEpoch : epochOf(callId);

  return {
    mayBeThere: (id: string): boolean => written.has(id),
    expect(id: string, callId: string): void {
      if (!written.has(id)) written.set(id, epochOf(callId));
    },
    async write(batch: Changes): Promise<void> {
      const kept = [...batch].flatMap(([id, change]) =>
        change === null ? [] : [{ id, ...change, epoch: epochNow(change) }],
      );
      const over = [...batch].flatMap(([id, change]) => {
        const epoch = written.get(id);
        return change === null && epoch !== undefined ? [{ id, epoch }] : [];
      });
      for (const { id, epoch } of kept) written.set(id, epoch);
      if (kept.length + over.length > 0) await writeLegs(database, sealing, node, { kept, over });
      for (const { id } of over) written.delete(id);
    },
    async read(of: string) {
      const legs = await legsOf(database, sealing, of);
      for (const { id, epoch } of legs) written.set(id, epoch);
      return legs.map(({ id, callId, leg }) => ({ id, callId, leg }));
    },
  };
};

export const createLegKeeper = (options: LegKeeperOptions): LegKeeper => {
  const { node, clock, logger } = options;
  const { mayBeThere, expect, write, read } = createLegWriter(options);
  let changes = new Map<string, Omit<KeptLeg, 'id'> | null>();
  let writing: Promise<void> | null = null;
  let dropping: unknown;
  let isLast = false;

  const writeAll = async (): Promise<void> => {
    let delayMs = firstDelayMs;
    while (changes.size > 0) {
      const batch = changes;
      changes = new Map();
      try {
        await write(batch);
        delayMs = firstDelayMs;
      } catch (error) {
        logger.warn({ err: error, legs: batch.size }, 'what would end a call after a crash is not written');
        // Changes made meanwhile are newer.
        changes = new Map([...batch, ...changes]);
        if (isLast) return;
        await new Promise<void>((resolve) => void clock.setTimeout(resolve, delayMs));
        delayMs = Math.min(2 * delayMs, longestDelayMs);
      }
    }
  };

  const begin = (): void => {
    clock.clearTimeout(dropping);
    dropping = undefined;
    writing ??= writeAll().finally(() => {
      writing = null;
    });
  };

  const change = (id: string, to: Omit<KeptLeg, 'id'> | null): void => {
    // A leg that ended before it was written is never stored.
    if (to === null && !mayBeThere(id)) changes.delete(id);
    else changes.set(id, to);
    if (changes.size === 0) return;
    if (to === null && !isLast) dropping ??= clock.setTimeout(begin, dropMs);
    else begin();
  };

  return {
    keep: (id, kept) => change(id, kept),
    takeOver: expect,
    remove: (id) => change(id, null),
    async orphans(of = node) {
      return (await read(of)).filter(({ callId }) => callId === null || !options.goesOn(callId));
    },
    async written() {
      await writing;
    },
    async settled(atMostMs) {
      isLast = true;
      begin();
      await doneWithin(clock, atMostMs, writing ?? Promise.resolve());
    },
  };
};
