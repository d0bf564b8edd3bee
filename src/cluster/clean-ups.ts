/**
 * Cleaning up after gateways that have died. Of several that find one dead, one gets the claim; when that one dies as
 * well, the claim lapses and another one goes on. What fails is done again at the next look, a few times. The row of a
 * dead gateway stays until the last of its calls has ended.
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
  /** Done in this order for a dead gateway. What fails keeps none of the others from being done. */
  add(cleanUps: readonly CleanUp[]): void;
  /** Cleans up after a gateway that was found dead. Nobody waits for it. */
  begin(dead: OtherNode): void;
  /** Removes those that are cleaned up and hold no call any more; `others` are all that are there now. */
  removeCleaned(others: readonly OtherNode[]): Promise<void>;
  /** Resolves when what was begun has ended. */
  settled(): Promise<void>;
};

type Unfinished = { instance: string; todo: readonly CleanUp[]; tries: number };

/** One each look: whatever has not worked by then fails for other reasons than a database that was away. */
const mostTries = 10;

/** Does these, and resolves to those which failed. */
const runAll = async (dead: string, todo: readonly CleanUp[], logger: Logger): Promise<CleanUp[]> => {
  const failed: CleanUp[] = [];
  for (const cleanUp of todo) {
    const { what, run } = cleanUp;
    try {
      await run(dead);
    } catch (error) {
      logger.error({ dead_node: dead, what, err: error }, 'a clean-up after a dead gateway failed');
      failed.push(cleanUp);
    }
  }
  return failed;
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
  /** Claimed by this gateway, and to be done again. */
  const unfinished = new Map<string, Unfinished>();
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

  const begun = async (dead: OtherNode): Promise<Unfinished | undefined> => {
    if (!(await claim(dead))) return undefined;
    logger.warn({ dead_node: dead.name }, 'another gateway has died; this one cleans up after it');
    return { instance: dead.instance, todo: cleanUps, tries: 0 };
  };

  const cleanUpAfter = async (dead: OtherNode): Promise<void> => {
    const { name, instance } = dead;
    const left = unfinished.get(name);
    unfinished.delete(name);
    const begin = left?.instance === instance ? left : await begun(dead);
    if (begin === undefined) return;
    const todo = await runAll(name, begin.todo, logger);
    const tries = begin.tries + 1;
    if (todo.length > 0 && tries < mostTries) unfinished.set(name, { instance, todo, tries });
    else cleaned.set(name, dead);
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
      for (const known of [cleaned, unfinished])
        for (const name of known.keys()) if (!lost.has(name)) known.delete(name);
      for (const dead of cleaned.values())
        if (await removeNode(database, { ...dead, isLost: true })) cleaned.delete(dead.name);
    },
    async settled() {
      await Promise.all(underWay.values());
    },
  };
};
