/**
 * Mutual supervision of gateways of one database: each periodically renews its registration (`membership.ts`), and the
 * first one that finds another dead (`sudden-deaths.ts`, `judge-nodes.ts`) cleans up after it (`clean-ups.ts`).
 *
 * A gateway that was declared dead but runs (it was cut off from the database, or frozen) learns this at its next
 * renewal: it releases its calls, which others have taken, and registers again. After a freeze it sends nothing before
 * that (`fence`).
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { FreezeFence } from '#src/domain/fence.ts';
import type { GatewayCondition } from '#src/domain/gateway-condition.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { otherNodes, type LeavesToOthers } from '#src/persistence/nodes/nodes.ts';
import { createCleanUps, type CleanUp } from './clean-ups.ts';
import type { Counting } from '#src/cluster/counting.ts';
import { createNodeJudge, type JudgeNumbers } from './judge-nodes.ts';
import { createMembership, type Membership, type Seen } from './membership.ts';
import { createSuddenDeaths, type SharedLines } from './sudden-deaths.ts';

export type NodeWatchNumbers = JudgeNumbers & {
  /** Interval of the checks, each of which also renews the registration. */
  beatMs: number;
  /** Lifetime of a claim, after which another gateway may take the clean-up over. */
  claimMs: number;
  /** See `SuddenDeathsOptions`. */
  confirmMs: readonly number[];
};

/** Duties when another gateway is dead, or when this one was declared dead. */
export type NodeDuties = {
  /** Steps after the death of a gateway, in this order. Failures are logged and do not prevent the other steps. */
  cleanUps: readonly CleanUp[];
  /** Called when others have ended what this gateway holds. */
  onLost: () => void;
  /** Reads the condition of this gateway, which is stored with each renewal. */
  condition: () => GatewayCondition;
  /** Runs at each check with an available database; a rejection is retried at the next check. */
  atEachLook: (seen: Pick<Seen, 'hasPendingHangups'>) => Promise<void>;
};

type Counted = Pick<Counting, 'look' | 'beginAnew'>;

export type NodeWatch = Pick<Membership, 'tellAddress' | 'tellTakes' | 'tellCountsAlone'> & {
  /** Registers this gateway, which must not hold anything before. */
  join(): Promise<void>;
  /** Starts the supervision of the others. */
  open(duties: NodeDuties, counting: Counted): void;
  /** The relay has lost its connection with this gateway. */
  leftRelay(name: string): void;
  /** Removes the registration once this gateway holds no calls. */
  close(): Promise<void>;
};

export const createNodeWatch = (options: {
  database: Database;
  /** Name of this gateway among those of the database. */
  node: string;
  /** The far ends that this gateway shares with others; null for none. */
  shared: SharedLines | null;
  numbers: NodeWatchNumbers;
  leaves: LeavesToOthers;
  /** Closed after a freeze of this process, until its registration is renewed. */
  fence: Pick<FreezeFence, 'ask'>;
  clock: Clock;
  /** Monotonic clock. */
  steadyClock: Pick<Clock, 'now'>;
  logger: Logger;
}): NodeWatch => {
  const { database, node, numbers, clock, steadyClock, logger } = options;
  const membership = createMembership(options);
  const judge = createNodeJudge(numbers);
  const cleanUps = createCleanUps({ ...options, claimMs: numbers.claimMs });
  const suddenDeaths = createSuddenDeaths({
    ...options,
    confirmMs: numbers.confirmMs,
    onDead: (dead) => cleanUps.begin(dead),
  });
  /** Reports of the relay before `open`; null afterwards. */
  let leftEarly: string[] | null = [];
  let isDatabaseAway = false;
  let atEachLook: NodeDuties['atEachLook'] = async () => {};
  let counting: Counted | null = null;

  const see = () => otherNodes(database, node);

  const look = async (): Promise<void> => {
    const at = steadyClock.now();
    const { others, hasPendingHangups } = await membership.sayAlive();
    await counting?.look({ others, at }, see);
    // Not awaited, so that this gateway continues to renew its registration.
    judge.look(others).forEach(cleanUps.begin);
    suddenDeaths.look(others);
    void atEachLook({ hasPendingHangups }).catch((error: unknown) =>
      logger.warn({ err: error }, 'a periodic check of the other gateways failed; the next check retries'),
    );
    await cleanUps.removeCleaned(others);
  };

  const beat = async (): Promise<void> => {
    try {
      await look();
      isDatabaseAway = false;
    } catch (error) {
      judge.blink();
      suddenDeaths.blink();
      if (!isDatabaseAway)
        logger.warn(
          { err: error },
          'this gateway cannot renew its registration: the database is unavailable',
        );
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
      membership.tellCondition(duties.condition);
      ({ atEachLook } = duties);
      leftEarly?.forEach(suddenDeaths.leftRelay);
      leftEarly = null;
      beating.start(0);
    },
    leftRelay(name) {
      if (leftEarly === null) suddenDeaths.leftRelay(name);
      else leftEarly.push(name);
    },
    async close() {
      await beating.stop();
      suddenDeaths.close();
      await cleanUps.settled();
      await membership.leave();
    },
  };
};
