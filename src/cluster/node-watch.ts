/**
 * Gateways that share a database look after each other: each says again and again that it lives (`membership.ts`), and
 * the first one that finds another dead (`judge-nodes.ts`) cleans up after it (`clean-ups.ts`).
 *
 * A gateway that was found dead and lives (it was cut off from the database, or frozen) learns it when it wants to say
 * that it lives: it then lets go of what it holds, which is ended already, and begins anew.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import type { Database } from '#src/persistence/database.ts';
import { otherNodes } from '#src/persistence/nodes.ts';
import { createCleanUps, type CleanUp } from './clean-ups.ts';
import type { Counting } from './counting.ts';
import { createNodeJudge, type JudgeNumbers } from './judge-nodes.ts';
import { createMembership, type Membership } from './membership.ts';

export type NodeWatchNumbers = JudgeNumbers & {
  /** Between two looks, each of which also says that this gateway lives. */
  beatMs: number;
  /** How long a clean-up may take before another gateway takes it over. */
  claimMs: number;
};

/** Duties when another gateway is found dead, or this one learns that it was found dead itself. */
export type NodeDuties = {
  /** Done in this order for a dead gateway. What fails is logged and keeps none of the others from being done. */
  cleanUps: readonly CleanUp[];
  /** Others have ended what this gateway holds. */
  onLost: () => void;
  /** Begun at each look that found the database there; what rejects is done again at the next one. */
  atEachLook: () => Promise<void>;
};

type Counted = Pick<Counting, 'look' | 'beginAnew'>;

export type NodeWatch = Pick<Membership, 'tellAddress' | 'tellTakes' | 'tellCountsAlone'> & {
  /** Enters this gateway. Nothing that it holds may be born before. */
  join(): Promise<void>;
  /** Begins to look after the others. */
  open(duties: NodeDuties, counting: Counted): void;
  /** This gateway holds nothing any more. */
  close(): Promise<void>;
};

export const createNodeWatch = (options: {
  database: Database;
  /** The name of this gateway among those that share the database. */
  node: string;
  numbers: NodeWatchNumbers;
  clock: Clock;
  /** One that nobody sets. */
  steadyClock: Pick<Clock, 'now'>;
  logger: Logger;
}): NodeWatch => {
  const { database, node, numbers, clock, steadyClock, logger } = options;
  const membership = createMembership(options);
  const judge = createNodeJudge(numbers);
  const cleanUps = createCleanUps({ ...options, claimMs: numbers.claimMs });
  let isDatabaseAway = false;
  let atEachLook: NodeDuties['atEachLook'] = async () => {};
  let counting: Counted | null = null;

  const see = () => otherNodes(database, node);

  const look = async (): Promise<void> => {
    await membership.sayAlive();
    const at = steadyClock.now();
    const others = await see();
    await counting?.look({ others, at }, see);
    // Not waited for: this gateway goes on saying that it lives.
    judge.look(others).forEach(cleanUps.begin);
    void atEachLook().catch((error: unknown) =>
      logger.warn({ err: error }, 'what this gateway does at each look failed; the next one tries again'),
    );
    await cleanUps.removeCleaned(others);
  };

  const beat = async (): Promise<void> => {
    try {
      await look();
      isDatabaseAway = false;
    } catch (error) {
      judge.blink();
      if (!isDatabaseAway)
        logger.warn({ err: error }, 'this gateway cannot say that it lives: the database is away');
      isDatabaseAway = true;
    }
  };

  const beating = createRepeatedTask({ work: beat, everyMs: numbers.beatMs, clock });

  return {
    join: membership.join,
    tellAddress: membership.tellAddress,
    tellTakes: membership.tellTakes,
    tellCountsAlone: membership.tellCountsAlone,
    open(duties, counted) {
      counting = counted;
      membership.onLost(counted.beginAnew);
      membership.onLost(duties.onLost);
      cleanUps.add(duties.cleanUps);
      ({ atEachLook } = duties);
      beating.start(0);
    },
    async close() {
      await beating.stop();
      await cleanUps.settled();
      await membership.leave();
    },
  };
};
