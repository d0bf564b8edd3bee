/**
 * Hands calls over before this gateway shuts down (guides/design/start.md, "End"). If possible in time, a call is
 * released while neither party speaks. The other gateway resumes from the stored progress, and repeats an interrupted
 * sentence.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';

/**
 * The gateways that take over the calls: several gateways with a share each, or the next process of this node with all.
 */
export type Successors = { are: 'others'; nodes: readonly string[] } | { are: 'next process' };

export type HandOver = {
  /** Hands over all possible calls, even during speech. Resolves when done; no further calls are handed over then. */
  finish(): Promise<void>;
};

export type HandOverNumbers = {
  /** Interval between checks for calls that can be released. */
  lookMs: number;
  /** Maximum calls per hand-over request. */
  batch: number;
  /** Maximum wait for a common silence of calls that continue in the next process. */
  silenceMs: number;
};

/** A call that could be handed over. `isQuiet`: neither party is speaking. */
export type StandingCall = { callId: string; isQuiet: boolean };

export type HandOverOptions = {
  /** All calls of this gateway. */
  count: () => number;
  /** Calls that another process could take over now. */
  standing: () => StandingCall[];
  /** Releases these calls here; resolves when all their facts and progress are written. */
  letGo: (callIds: readonly string[]) => Promise<void>;
  /** Resolves to whether that gateway takes them over. */
  give: (node: string, callIds: readonly string[]) => Promise<boolean>;
  numbers: HandOverNumbers;
  clock: Clock;
  logger: Logger;
};

/** Distributes calls among the available gateways in turn. */
const createGiving = (
  nodes: readonly string[],
  { give, logger }: Pick<HandOverOptions, 'give' | 'logger'>,
) => {
  let turn = 0;
  const giveTo = async (node: string, callIds: readonly string[]): Promise<boolean> => {
    try {
      return await give(node, callIds);
    } catch (error) {
      logger.warn(
        { to_node: node, err: error },
        'calls could not be handed over to a gateway; the next one, if any, is tried',
      );
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
      'no gateway took over the released calls yet; another gateway takes them over when it detects that this one has ended',
    );
  };
};

export const beginHandOver = (successors: Successors, options: HandOverOptions): HandOver => {
  const { count, standing, letGo, numbers, clock, logger } = options;
  const begunAt = clock.now();

  const giveToOthers = successors.are === 'others' ? createGiving(successors.nodes, options) : null;

  const leave = async (calls: readonly StandingCall[]): Promise<void> => {
    const callIds = calls.map(({ callId }) => callId);
    if (callIds.length === 0) return;
    await letGo(callIds);
    if (giveToOthers !== null) return giveToOthers(callIds);
    logger.info(
      { calls: callIds.length },
      'calls were released; the next process of this gateway takes them over',
    );
  };

  /**
   * Returns the calls to release now. Calls that continue in the next process are released together, because it starts
   * after this one has ended.
   */
  const ready = (): StandingCall[] => {
    const calls = standing();
    if (successors.are === 'others') return calls.filter(({ isQuiet }) => isQuiet);
    const isAll = calls.length === count();
    const isTime = clock.now() - begunAt >= numbers.silenceMs || calls.every(({ isQuiet }) => isQuiet);
    return isAll && isTime ? calls : [];
  };

  const looking = createRepeatedTask({
    work: () => leave(ready().slice(0, successors.are === 'others' ? numbers.batch : Infinity)),
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
