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
  /** Interval between searches for successors while there are none. */
  chooseMs: number;
  /** Time for which released calls are offered again to gateways that do not respond. */
  giveMs: number;
  /** Maximum calls per hand-over request. The calls of a request have no holder until all of them are stored. */
  batch: number;
  /** Maximum requests in progress: the next calls are released when the earlier ones are taken. */
  atOnce: number;
  /** Maximum wait for a common silence of calls that continue in the next process. */
  silenceMs: number;
};

/** A call that could be handed over. `isQuiet`: neither party is speaking. */
export type StandingCall = { callId: string; isQuiet: boolean };

export type HandOverOptions = {
  /** Searches for successors; null while there are none. Never rejects. */
  choose: () => Promise<Successors | null>;
  /** All calls of this gateway. */
  count: () => number;
  /** Calls that another process could take over now. */
  standing: () => StandingCall[];
  /** Releases these calls here; resolves when all their facts and progress are written. */
  letGo: (callIds: readonly string[], to: Successors['are']) => Promise<void>;
  /**
   * Resolves to whether that gateway takes them over. Rejects if that is unknown. Repeating it is harmless: calls that
   * have a new holder are skipped.
   */
  give: (node: string, callIds: readonly string[]) => Promise<boolean>;
  numbers: HandOverNumbers;
  clock: Clock;
  logger: Logger;
};

/** Distributes calls among the available gateways in turn. */
const createGiving = (
  nodes: readonly string[],
  { give, numbers, clock, logger }: Pick<HandOverOptions, 'give' | 'numbers' | 'clock' | 'logger'>,
) => {
  let turn = 0;
  const giveTo = async (
    node: string,
    callIds: readonly string[],
  ): Promise<'taken' | 'refused' | 'unknown'> => {
    try {
      return (await give(node, callIds)) ? 'taken' : 'refused';
    } catch (error) {
      logger.warn({ to_node: node, err: error }, 'a gateway did not confirm that it takes calls over');
      return 'unknown';
    }
  };
  /** Asks each gateway once, until one takes the calls. */
  const giveOnce = async (callIds: readonly string[]): Promise<'taken' | 'refused' | 'unknown'> => {
    let isUnknown = false;
    for (let tries = 0; tries < nodes.length; tries += 1) {
      const node = nodes[turn++ % nodes.length] ?? '';
      const outcome = await giveTo(node, callIds);
      if (outcome === 'taken')
        logger.info({ to_node: node, calls: callIds.length }, 'calls were handed over to another gateway');
      if (outcome === 'taken') return outcome;
      if (outcome === 'unknown') isUnknown = true;
    }
    return isUnknown ? 'unknown' : 'refused';
  };
  return async (callIds: readonly string[]): Promise<void> => {
    const begunAt = clock.now();
    for (;;) {
      const outcome = await giveOnce(callIds);
      if (outcome === 'taken') return;
      // An overloaded gateway may respond late; a call whose gateway ends without a taker is silent for long.
      if (outcome === 'refused' || clock.now() - begunAt >= numbers.giveMs) break;
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, numbers.lookMs));
    }
    logger.error(
      { calls: callIds.length },
      'no gateway took over the released calls yet; another gateway takes them over when it detects that this one has ended',
    );
  };
};

/** Releases calls to these successors. */
const beginReleasing = (successors: Successors, options: HandOverOptions): HandOver => {
  const { count, standing, letGo, numbers, clock, logger } = options;
  const begunAt = clock.now();

  const giveToOthers = successors.are === 'others' ? createGiving(successors.nodes, options) : null;

  const leave = async (calls: readonly StandingCall[]): Promise<void> => {
    const callIds = calls.map(({ callId }) => callId);
    if (callIds.length === 0) return;
    await letGo(callIds, successors.are);
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

  /** Releases calls until `next` returns none. */
  const leaveAll = async (next: () => readonly StandingCall[]): Promise<void> => {
    const isShared = successors.are === 'others';
    const leaveInTurn = async (): Promise<void> => {
      for (;;) {
        const calls = next().slice(0, isShared ? numbers.batch : Infinity);
        if (calls.length === 0) return;
        await leave(calls);
      }
    };
    await Promise.all(Array.from({ length: isShared ? numbers.atOnce : 1 }, leaveInTurn));
  };

  const looking = createRepeatedTask({
    work: () => leaveAll(ready),
    everyMs: numbers.lookMs,
    clock,
  });
  looking.start(0);

  return {
    async finish() {
      await looking.stop();
      await leaveAll(standing);
    },
  };
};

/**
 * Begins the hand-over. Without successors, it begins when there are some: another gateway may be starting, or may not
 * respond at the moment.
 */
export const beginHandOver = (successors: Successors | null, options: HandOverOptions): HandOver => {
  let releasing = successors && beginReleasing(successors, options);
  const choosing = createRepeatedTask({
    async work(stopped) {
      const found = await options.choose();
      if (found === null || stopped.aborted) return;
      releasing = beginReleasing(found, options);
      void choosing.stop();
    },
    everyMs: options.numbers.chooseMs,
    clock: options.clock,
  });
  if (releasing === null) choosing.start(options.numbers.chooseMs);
  return {
    async finish() {
      await choosing.stop();
      await releasing?.finish();
    },
  };
};
