/**
 * Counting of the calls in progress (guides/design/limits.md, "Several gateways"): by a gateway that is alone in its
 * memory, which costs nothing; by several in the database, one call of a workspace after the other.
 *
 * Nobody counts alone beside others. Who wants to says so in its row first, and looks then whether anybody else is
 * there; who joins enters its row first, and stores nothing while another row says so. So one of both sees the other,
 * whichever was first. Who sees another one stops at once, and says so as soon as what it had counted is stored.
 */
import type { Clock } from '#src/domain/clock.ts';
import { once } from '#src/domain/once.ts';
import {
  insertCountedCalls,
  type CountedBirth,
  type CountedOutcome,
  type CountingNodes,
} from '#src/persistence/counted-births.ts';
import type { Database } from '#src/persistence/database.ts';
import { inBatches } from '#src/persistence/in-batches.ts';
import type { OtherNode } from '#src/persistence/nodes.ts';

export type CountingNumbers = {
  /** So long after a look that found nobody else a gateway counts alone: one that was frozen meanwhile does not. */
  leaseMs: number;
  /** Others that count alone are waited for so long, longer than a lease: they are frozen, or cannot be reached. */
  patienceMs: number;
  /** Whoever was waited for in vain is not waited for again within this. It is found dead before. */
  impatienceMs: number;
  /** Between two looks whether they still do. */
  retryMs: number;
};

export type Counting = {
  /**
   * Null while others are there. Otherwise what this gateway counts in memory is right until the returned function is
   * called, which is when the call is stored.
   */
  alone(): (() => void) | null;
  /** Whether it counts so now. */
  isAlone(): boolean;
  /** Stores a call that is counted with those of the others. */
  store(counted: CountedBirth): Promise<CountedOutcome>;
  /** Is told of each look at the others, and when it began; `again` looks once more. */
  look(
    seen: { others: readonly OtherNode[]; at: number },
    again: () => Promise<readonly OtherNode[]>,
  ): Promise<void>;
  /** Others have found this gateway dead. */
  beginAnew(): void;
};

/** Whether this gateway counts alone; `tell` writes it into its row. */
const createSolitude = (
  { leaseMs }: Pick<CountingNumbers, 'leaseMs'>,
  clock: Pick<Clock, 'now'>,
  tell: (countsAlone: boolean) => Promise<void>,
): Pick<Counting, 'alone' | 'isAlone' | 'look' | 'beginAnew'> => {
  /** `unsure`: it may stand in the row. */
  let row: 'together' | 'unsure' | 'alone' = 'together';
  /** When nobody else was seen last. */
  let aloneAt = -Infinity;
  /** Calls that are counted in memory and not stored yet. */
  let underWay = 0;

  const stop = async (): Promise<void> => {
    aloneAt = -Infinity;
    // The next look is soon.
    if (row === 'together' || underWay > 0) return;
    row = 'unsure';
    await tell(false);
    row = 'together';
  };

  const begin = async (again: () => Promise<readonly OtherNode[]>): Promise<void> => {
    row = 'unsure';
    await tell(true);
    row = 'alone';
    const at = clock.now();
    if ((await again()).length > 0) await stop();
    else aloneAt = at;
  };

  const isAlone = (): boolean => clock.now() - aloneAt < leaseMs;

  return {
    isAlone,
    alone() {
      if (!isAlone()) return null;
      underWay += 1;
      return once(() => (underWay -= 1));
    },
    async look({ others, at }, again) {
      if (others.length > 0) await stop();
      else if (row === 'alone') aloneAt = at;
      else await begin(again);
    },
    beginAnew() {
      row = 'together';
      aloneAt = -Infinity;
    },
  };
};

export const createCounting = (options: {
  database: Database;
  node: string;
  /** Writes it into the row of this gateway. */
  tell: (countsAlone: boolean) => Promise<void>;
  numbers: CountingNumbers;
  /** One that nobody sets. */
  clock: Clock;
}): Counting => {
  const { database, node, numbers, clock } = options;
  let impatientUntil = -Infinity;

  const mayCount = ({ isPresent, alone }: CountingNodes): boolean =>
    (isPresent && alone.length === 0) || clock.now() < impatientUntil;

  const insert = async (births: readonly CountedBirth[]) => {
    const outcomeOf = await insertCountedCalls(database, { births, node, mayCount });
    return (counted: CountedBirth): CountedOutcome | undefined => outcomeOf?.(counted);
  };
  const insertTogether = inBatches(insert);
  const insertOnce = async (counted: CountedBirth): Promise<CountedOutcome | undefined> =>
    counted.within === null ? insertTogether(counted) : (await insert([counted]))(counted);

  const pause = (): Promise<void> =>
    new Promise((resolve) => void clock.setTimeout(resolve, numbers.retryMs));

  return {
    ...createSolitude(numbers, clock, options.tell),
    async store(counted) {
      const begun = clock.now();
      for (;;) {
        const outcome = await insertOnce(counted);
        if (outcome !== undefined) return outcome;
        if (clock.now() - begun >= numbers.patienceMs) impatientUntil = clock.now() + numbers.impatienceMs;
        else await pause();
      }
    },
  };
};
