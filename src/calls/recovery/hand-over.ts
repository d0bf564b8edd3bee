/**
 * Handing calls over before this gateway ends (guides/design/start.md, "End"). A call is let go
 * of in a moment in which nobody speaks, where one comes in time: what another gateway begins with is what was kept of the
 * call, and a sentence that was cut is said again.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';

/** The heirs that go on with the calls: each of these gateways with some, or the next process of this one with all. */
export type Heirs = { are: 'others'; nodes: readonly string[] } | { are: 'next process' };

export type HandOver = {
  /** Hands over what can be, whatever is being said. Resolves when that is done; nothing more is handed over then. */
  finish(): Promise<void>;
};

export type HandOverNumbers = {
  /** Between two looks at which calls may be let go of. */
  lookMs: number;
  /** Calls that are given at once. */
  batch: number;
  /** So long the calls that go on in the next process are waited for until nobody speaks in any. */
  silenceMs: number;
};

/** `isQuiet`: nobody speaks in it, and nothing is being said. */
export type StandingCall = { callId: string; isQuiet: boolean };

export type HandOverOptions = {
  /** All calls that are held here. */
  count: () => number;
  /** Those with which another process could go on now. */
  standing: () => StandingCall[];
  /** Lets go of these calls here; resolves when all that is known of them is written. */
  letGo: (callIds: readonly string[]) => Promise<void>;
  /** Resolves to whether that gateway goes on with them. */
  give: (node: string, callIds: readonly string[]) => Promise<boolean>;
  numbers: HandOverNumbers;
  clock: Clock;
  logger: Logger;
};

/** To those that are there, in turns. */
const createGiving = (
  nodes: readonly string[],
  { give, logger }: Pick<HandOverOptions, 'give' | 'logger'>,
) => {
  let turn = 0;
  const giveTo = async (node: string, callIds: readonly string[]): Promise<boolean> => {
    try {
      return await give(node, callIds);
    } catch (error) {
      logger.warn({ to_node: node, err: error }, 'calls could not be handed over to a gateway');
      return false;
    }
  };
  return async (callIds: readonly string[]): Promise<void> => {
    for (let tries = 0; tries < nodes.length; tries += 1) {
      const node = nodes[turn++ % nodes.length] ?? '';
      if (!(await giveTo(node, callIds))) continue;
      logger.info({ to_node: node, calls: callIds.length }, 'calls were handed over to another gateway');
      return;
    }
    logger.error(
      { calls: callIds.length },
      'no other gateway goes on with calls that this one has let go of; the first that finds it gone does',
    );
  };
};

export const beginHandOver = (heirs: Heirs, options: HandOverOptions): HandOver => {
  const { count, standing, letGo, numbers, clock, logger } = options;
  const begunAt = clock.now();

  const giveToOthers = heirs.are === 'others' ? createGiving(heirs.nodes, options) : null;

  const leave = async (calls: readonly StandingCall[]): Promise<void> => {
    const callIds = calls.map(({ callId }) => callId);
    if (callIds.length === 0) return;
    await letGo(callIds);
    if (giveToOthers !== null) return giveToOthers(callIds);
    logger.info(
      { calls: callIds.length },
      'calls stand without a gateway until the next process goes on with them',
    );
  };

  /** Those that go on in the next process wait for each other: it begins when this one has ended. */
  const ready = (): StandingCall[] => {
    const calls = standing();
    if (heirs.are === 'others') return calls.filter(({ isQuiet }) => isQuiet);
    const isAll = calls.length === count();
    const isTime = clock.now() - begunAt >= numbers.silenceMs || calls.every(({ isQuiet }) => isQuiet);
    return isAll && isTime ? calls : [];
  };

  const looking = createRepeatedTask({
    work: () => leave(ready().slice(0, heirs.are === 'others' ? numbers.batch : Infinity)),
    everyMs: numbers.lookMs,
    clock,
  });
  looking.start(0);

  return {
    async finish() {
      await looking.stop();
      const calls = standing();
      for (let at = 0; at < calls.length; at += numbers.batch)
        await leave(calls.slice(at, at + numbers.batch));
    },
  };
};
