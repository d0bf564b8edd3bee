/**
 * Counting of the calls in progress (guides/design/limits.md, "Several gateways"). A single gateway counts in its
 * memory, which costs nothing; several gateways count in the database, serialized for each workspace.
 *
 * A gateway never counts alone beside others. Before a gateway counts alone, it writes a mark into its row and then
 * checks for other gateways; a joining gateway first registers and stores no calls while another row has the mark.
 * Therefore one of the two always sees the other. A gateway that sees another one stops counting alone at once, and
 * clears its mark once the calls that it counted are stored.
 */
import type { Clock } from '#src/domain/clock.ts';
import { once } from '#src/domain/once.ts';
import {
  insertCountedCalls,
  type CountedCall,
  type CountedOutcome,
  type CountingNodes,
} from '#src/persistence/calls/counted-creation.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { inBatches } from '#src/persistence/database/in-batches.ts';
import type { OtherNode } from '#src/persistence/nodes/nodes.ts';

export type CountingNumbers = {
  /**
   * Time for which a gateway counts alone after a check that found no others. The time also passes while the process is
   * frozen.
   */
  leaseMs: number;
  /**
   * Maximum wait for other gateways that count alone. The wait is longer than a lease, so gateways that still have the
   * mark are frozen or unreachable.
   */
  patienceMs: number;
  /** Time without further waits after a wait that timed out. By then the other gateway has been declared dead. */
  impatienceMs: number;
  /** Interval between two checks whether other gateways still count alone. */
  retryMs: number;
};

export type Counting = {
  /**
   * Returns null while other gateways exist. Otherwise this gateway's count in memory is valid until the returned
   * function is called, which must happen when the call is stored.
   */
  alone(): (() => void) | null;
  /** Whether this gateway counts alone now. */
  isAlone(): boolean;
  /** Stores a call that is counted together with those of other gateways. */
  store(counted: CountedCall): Promise<CountedOutcome>;
  /** Processes a check for other gateways and the time at which the check began; `again` repeats the check. */
  look(
    seen: { others: readonly OtherNode[]; at: number },
    again: () => Promise<readonly OtherNode[]>,
  ): Promise<void>;
  /** Resets the state after others declared this gateway dead. */
  beginAnew(): void;
};

/** Decides whether this gateway counts alone; `tell` writes the mark to its row. */
const createSolitude = (
  { leaseMs }: Pick<CountingNumbers, 'leaseMs'>,
  clock: Clock,
  tell: (countsAlone: boolean) => Promise<void>,
): Pick<Counting, 'alone' | 'isAlone' | 'look' | 'beginAnew'> => {
  /** `unsure`: the row of this gateway may or may not have the mark. */
  let row: 'together' | 'unsure' | 'alone' = 'together';
  /** Start of the last check without other gateways. */
  let aloneAt = -Infinity;
  /** Number of calls that are counted in memory but not stored yet. */
  let underWay = 0;

  const stop = async (): Promise<void> => {
    aloneAt = -Infinity;
    // If writing the mark fails, the next check writes it again.
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
  /** Writes the mark to the row of this gateway. */
  tell: (countsAlone: boolean) => Promise<void>;
  numbers: CountingNumbers;
  /** Monotonic clock. */
  clock: Clock;
}): Counting => {
  const { database, node, numbers, clock } = options;
  let impatientUntil = -Infinity;

  const mayCount = ({ isPresent, alone }: CountingNodes): boolean =>
    (isPresent && alone.length === 0) || clock.now() < impatientUntil;

  const insert = async (newCalls: readonly CountedCall[]) => {
    const outcomeOf = await insertCountedCalls(database, { newCalls, node, mayCount });
    return (counted: CountedCall): CountedOutcome | undefined => outcomeOf?.(counted);
  };
  const insertTogether = inBatches(insert);
  const insertOnce = async (counted: CountedCall): Promise<CountedOutcome | undefined> =>
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
