/**
 * Gateways that share a database look after each other: each says again and again that it lives, and the first one that
 * finds another dead (`judge-nodes.ts`) claims it and cleans up after it. Of several that find it, one gets the claim;
 * when that one dies as well, the claim lapses and another one goes on.
 *
 * A gateway that was found dead and lives (it was cut off from the database, or frozen) learns it when it wants to say
 * that it lives: it then lets go of what it holds, which is ended already, and begins anew.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { Database } from '#src/persistence/database.ts';
import {
  claimLostNode,
  joinNodes,
  otherNodes,
  removeNode,
  renewNode,
  tellAddress,
  type OtherNode,
} from '#src/persistence/nodes.ts';
import { createNodeJudge, type JudgeNumbers } from './judge-nodes.ts';

/** One thing to do for a gateway that has died; may be done again for the same one. */
export type CleanUp = {
  /** For the log: `ending its calls`. */
  what: string;
  run: (node: string) => Promise<unknown>;
};

export type NodeWatchNumbers = JudgeNumbers & {
  /** Between two looks, each of which also says that this gateway lives. */
  beatMs: number;
  /** How long a clean-up may take before another gateway takes it over. */
  claimMs: number;
};

export type NodeWatch = {
  /** Enters this gateway. Nothing that it holds may be born before. */
  join(): Promise<void>;
  /** Says where others reach this gateway, as a URL. */
  tellAddress(url: string): Promise<void>;
  /** Begins to look after the others. */
  open(): void;
  /** This gateway holds nothing any more. */
  close(): Promise<void>;
};

export const createNodeWatch = (options: {
  database: Database;
  /** The name of this gateway among those that share the database. */
  node: string;
  /** Done in this order for a dead gateway. What fails is logged and keeps none of the others from being done. */
  cleanUps: readonly CleanUp[];
  /** Others have ended what this gateway holds. */
  onLost: () => void;
  numbers: NodeWatchNumbers;
  clock: Clock;
  logger: Logger;
}): NodeWatch => {
  const { database, node, numbers, clock, logger } = options;
  const judge = createNodeJudge(numbers);
  const cleaning = new Map<string, Promise<void>>();
  /** Cleaned up, but for calls whose end is not written yet. */
  const leaving = new Map<string, OtherNode>();
  let instance = randomUUID();
  let address: string | null = null;
  let timer: unknown;
  let beating: Promise<void> | null = null;
  let isAway = false;
  let isClosed = false;

  const join = (): Promise<void> => joinNodes(database, { name: node, instance, address });

  const beginAnew = async (): Promise<void> => {
    logger.error(
      'other gateways found this one dead and have ended its calls; it hangs them up and begins anew',
    );
    options.onLost();
    instance = randomUUID();
    await join();
  };

  const claim = async (dead: OtherNode): Promise<boolean> => {
    try {
      return await claimLostNode(database, { ...dead, forMs: numbers.claimMs });
    } catch (error) {
      logger.warn(
        { dead_node: dead.name, err: error },
        'a dead gateway could not be claimed; the next look tries again',
      );
      return false;
    }
  };

  const cleanUpAfter = async (dead: OtherNode): Promise<void> => {
    if (!(await claim(dead))) return;
    logger.warn({ dead_node: dead.name }, 'another gateway has died; this one cleans up after it');
    for (const { what, run } of options.cleanUps) {
      try {
        await run(dead.name);
      } catch (error) {
        logger.error({ dead_node: dead.name, what, err: error }, 'a clean-up after a dead gateway failed');
      }
    }
    leaving.set(dead.name, dead);
  };

  const remove = async (): Promise<void> => {
    for (const dead of leaving.values()) {
      if (await removeNode(database, { ...dead, isLost: true })) leaving.delete(dead.name);
    }
  };

  const look = async (): Promise<void> => {
    if (!(await renewNode(database, { name: node, instance }))) await beginAnew();
    const others = await otherNodes(database, node);
    for (const dead of judge.look(others)) {
      if (cleaning.has(dead.name)) continue;
      // Not waited for: this gateway goes on saying that it lives.
      cleaning.set(
        dead.name,
        cleanUpAfter(dead).finally(() => cleaning.delete(dead.name)),
      );
    }
    for (const { name } of leaving.values()) {
      if (others.every((other) => other.name !== name || !other.isLost)) leaving.delete(name);
    }
    await remove();
  };

  const beat = async (): Promise<void> => {
    try {
      await look();
      isAway = false;
    } catch (error) {
      judge.blink();
      if (!isAway) logger.warn({ err: error }, 'this gateway cannot say that it lives: the database is away');
      isAway = true;
    }
  };

  const beatAfter = (milliseconds: number): void => {
    timer = clock.setTimeout(() => {
      beating = beat().finally(() => {
        beating = null;
        if (!isClosed) beatAfter(numbers.beatMs);
      });
    }, milliseconds);
  };

  return {
    join,
    tellAddress(url) {
      address = url;
      return tellAddress(database, { name: node, instance, address });
    },
    open: () => beatAfter(0),
    async close() {
      isClosed = true;
      clock.clearTimeout(timer);
      await beating;
      await Promise.all(cleaning.values());
      try {
        await removeNode(database, { name: node, instance, isLost: false });
      } catch (error) {
        logger.warn({ err: error }, 'this gateway could not say that it ends; others find it dead');
      }
    },
  };
};
