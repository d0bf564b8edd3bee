/**
 * Clean-up after dead gateways. If several gateways find one dead, one obtains the claim; if that one dies as well, the
 * claim expires and another continues. Failed steps are retried at the next check, up to a limit. The row of a dead
 * gateway remains until its last call has ended. A gateway that cannot resume its calls leaves the clean-up to others
 * for some time (`LeavesToOthers`).
 */
import type { Logger } from 'pino';
import type { Database } from '#src/persistence/database/database.ts';
import {
  claimLostNode,
  removeNode,
  type LeavesToOthers,
  type OtherNode,
} from '#src/persistence/nodes/nodes.ts';

/** One step of the clean-up after a dead gateway; it must be safe to repeat. */
export type CleanUp = {
  /** Description for the log: `ending its calls`. */
  what: string;
  run: (node: string) => Promise<unknown>;
};

export type CleanUps = {
  /** Adds steps, which run in this order. A failed step does not prevent the others. */
  add(cleanUps: readonly CleanUp[]): void;
  /** Starts the clean-up after a dead gateway in the background. */
  begin(dead: OtherNode): void;
  /** Removes cleaned-up gateways without calls; `others` are all currently registered gateways. */
  removeCleaned(others: readonly OtherNode[]): Promise<void>;
  /** Resolves when the started clean-ups have ended. */
  settled(): Promise<void>;
};

type Unfinished = { instance: string; todo: readonly CleanUp[]; tries: number };

/** One attempt per check: a step that still fails has other causes than an unavailable database. */
const mostTries = 10;

/** Runs the steps and resolves to the failed ones. */
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
  /** Lifetime of a claim, after which another gateway may take the clean-up over. */
  claimMs: number;
  leaves: LeavesToOthers;
  logger: Logger;
}): CleanUps => {
  const { database, claimMs, leaves, logger } = options;
  const cleanUps: CleanUp[] = [];
  const underWay = new Map<string, Promise<void>>();
  /** Dead nodes claimed by this gateway, with the steps to retry. */
  const unfinished = new Map<string, Unfinished>();
  /** Nodes that are cleaned up, except for calls whose end is not written yet. */
  const cleaned = new Map<string, OtherNode>();

  const claim = async (dead: OtherNode): Promise<boolean> => {
    try {
      return await claimLostNode(database, { ...dead, forMs: claimMs, leaves });
    } catch (error) {
      logger.warn(
        { dead_node: dead.name, err: error },
        'the clean-up after a dead gateway could not be claimed; the next check retries',
      );
      return false;
    }
  };

  const begun = async (dead: OtherNode): Promise<Unfinished | undefined> => {
    if (!(await claim(dead))) return undefined;
    logger.warn(
      { dead_node: dead.name },
      'another gateway died; this gateway takes over its calls and cleans up',
    );
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
