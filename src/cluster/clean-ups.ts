/**
 * Cleaning up after gateways that have died. Of several that find one dead, one gets the claim; when that one dies as
 * well, the claim lapses and another one goes on. The row of a dead gateway stays until the last of its calls has ended.
 */
import type { Logger } from 'pino';
import type { Database } from '#src/persistence/database.ts';
import { claimLostNode, removeNode, type OtherNode } from '#src/persistence/nodes.ts';

/** One thing to do for a gateway that has died; may be done again for the same one. */
export type CleanUp = {
  /** For the log: `ending its calls`. */
  what: string;
  run: (node: string) => Promise<unknown>;
};

export type CleanUps = {
  /** Done in this order for a dead gateway. What fails is logged and keeps none of the others from being done. */
  add(cleanUps: readonly CleanUp[]): void;
  /** Cleans up after a gateway that was found dead. Nobody waits for it. */
  begin(dead: OtherNode): void;
  /** Removes those that are cleaned up and hold no call any more; `others` are all that are there now. */
  removeCleaned(others: readonly OtherNode[]): Promise<void>;
  /** Resolves when what was begun has ended. */
  settled(): Promise<void>;
};

export const createCleanUps = (options: {
  database: Database;
  /** How long a clean-up may take before another gateway takes it over. */
  claimMs: number;
  logger: Logger;
}): CleanUps => {
  const { database, claimMs, logger } = options;
  const cleanUps: CleanUp[] = [];
  const underWay = new Map<string, Promise<void>>();
  /** Cleaned up, but for calls whose end is not written yet. */
  const cleaned = new Map<string, OtherNode>();

  const claim = async (dead: OtherNode): Promise<boolean> => {
    try {
      return await claimLostNode(database, { ...dead, forMs: claimMs });
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
    for (const { what, run } of cleanUps) {
      try {
        await run(dead.name);
      } catch (error) {
        logger.error({ dead_node: dead.name, what, err: error }, 'a clean-up after a dead gateway failed');
      }
    }
    cleaned.set(dead.name, dead);
  };

  return {
    add: (more) => void cleanUps.push(...more),
    begin(dead) {
      const { name } = dead;
      if (underWay.has(name)) return;
      underWay.set(
        name,
        cleanUpAfter(dead).finally(() => underWay.delete(name)),
      );
    },
    async removeCleaned(others) {
      const lost = new Set(others.filter(({ isLost }) => isLost).map(({ name }) => name));
      for (const name of cleaned.keys()) if (!lost.has(name)) cleaned.delete(name);
      for (const dead of cleaned.values())
        if (await removeNode(database, { ...dead, isLost: true })) cleaned.delete(dead.name);
    },
    async settled() {
      await Promise.all(underWay.values());
    },
  };
};
