/**
 * Limits of a trunk across all gateways of a database. Before dialling, a channel and a slot of the rate limit are
 * taken first in this process (`limits.ts`), then in the database. While the database is unavailable, each gateway
 * applies only its own limits, so that it can still place calls.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { once } from '#src/domain/once.ts';
import type { Trunk, TrunkChannel } from '#src/domain/trunk.ts';
import { TimeoutError, withTimeout } from '#src/domain/with-timeout.ts';
import { createCountedChannels } from './counted-channels.ts';
import { fullOf, pacedOf, waitOn, type Acquired, type Permit, type TrunkLimits } from './limits.ts';

/** Load of all gateways on a trunk. Each method rejects when the database is unavailable. */
export type SharedTrunkLoad = {
  /** Takes a channel. Resolves to whether one was free. */
  take(channel: TrunkChannel & { maxChannels: number }): Promise<boolean>;
  /** Counts a call that this gateway took over, even if the trunk is full. */
  keep(channel: TrunkChannel): Promise<void>;
  giveBack(channel: TrunkChannel): Promise<void>;
  /** Resolves to the milliseconds until the rate limit allows one more call; null if the wait exceeds the limit. */
  turn(call: { trunkId: string; callsPerSecond: number; patienceMs: number }): Promise<number | null>;
};

type Limited = Pick<Trunk, 'id' | 'name' | 'maxChannels' | 'callsPerSecond'>;

type CountedLeg = Pick<TrunkChannel, 'callId' | 'leg'>;

type WaitingCall = CountedLeg & {
  /** Signal that aborts when the call is cancelled. */
  signal: AbortSignal;
};

/**
 * Result of taking a channel. `hasChannel`: the other gateways leave a channel for the call. The permit must be
 * released in either case.
 */
type Joining = { permit: Permit; hasChannel: Promise<boolean> };

/**
 * Polling interval for a channel that another gateway released. There is no notification, because a dead gateway would
 * not send one and polling is needed anyway. The gateway polls only while a call waits at the last of its trunks, which
 * is full, and at most for the call's patience.
 */
const lookMs = 200;

export type SharedLimitsOptions = {
  limits: TrunkLimits;
  load: SharedTrunkLoad;
  clock: Clock;
  /** Maximum time for which a call waits for its turn, and this gateway for the database. */
  patienceMs: number;
  /** Runs work whose result is not awaited. */
  inBackground: (what: string, work: () => Promise<unknown>) => void;
  logger: Logger;
};

/** Counts the channels of this gateway together with those of the others. */
const createCounting = (options: Omit<SharedLimitsOptions, 'limits'>) => {
  const { load, clock, patienceMs, inBackground, logger } = options;
  const channels = createCountedChannels((channel) => load.giveBack(channel));

  /**
   * Returns the database's decision, or `alone` when the database is unavailable, because then this gateway's own
   * limits decide.
   */
  const asked = async <Answer>(what: string, work: () => Promise<Answer>, alone: Answer): Promise<Answer> => {
    try {
      const error = (): Error => new TimeoutError(patienceMs, what);
      return await withTimeout(clock, patienceMs, work, { error });
    } catch (error) {
      logger.warn(
        { err: error },
        'the database is unavailable: the limits of a trunk apply to this gateway alone',
      );
      return alone;
    }
  };

  /**
   * Takes a channel of this gateway from the database as well. When the permit is released, the channel is returned to
   * the database once the result of `statement` is known.
   */
  const takeFor = (
    channel: TrunkChannel,
    here: Permit,
    what: string,
    statement: () => Promise<boolean>,
  ): Joining => {
    const use = channels.use(channel);
    const inTheEnd = (work: () => Promise<void>): void =>
      inBackground('giving a channel of a trunk back', work);
    const hasChannel = asked(what, () => use.take(statement), true).then((isTaken) => {
      if (isTaken) use.taken();
      else inTheEnd(use.end);
      return isTaken;
    });
    const release = once(() => {
      here.release();
      inTheEnd(async () => {
        if (await hasChannel) await use.end();
      });
    });
    return { permit: { release }, hasChannel };
  };

  const joinOthers = (
    { id: trunkId, maxChannels }: Limited,
    { callId, leg }: CountedLeg,
    here: Permit,
  ): Joining => {
    if (maxChannels === null) return { permit: here, hasChannel: Promise.resolve(true) };
    const channel = { trunkId, callId, leg };
    return takeFor(channel, here, 'Taking a channel of a trunk', () =>
      load.take({ ...channel, maxChannels }),
    );
  };

  const keep = (trunkId: string, { callId, leg }: CountedLeg, here: Permit): Permit => {
    const channel = { trunkId, callId, leg };
    return takeFor(channel, here, 'Keeping a channel of a trunk', async () => {
      await load.keep(channel);
      return true;
    }).permit;
  };

  /** Waits for a channel that another gateway releases, if `until` is in the future. */
  const joinUntil = async (
    until: number,
    trunk: Limited,
    { signal, ...counted }: WaitingCall,
    here: Permit,
  ): Promise<Permit | null> => {
    for (;;) {
      const { permit, hasChannel } = joinOthers(trunk, counted, here);
      if (await hasChannel) return permit;
      if (signal.aborted || clock.now() >= until) {
        here.release();
        return null;
      }
      await waitOn(clock, lookMs, signal);
    }
  };

  return { asked, keep, joinOthers, joinUntil };
};

export const createSharedLimits = (options: SharedLimitsOptions) => {
  const { limits, load, clock, patienceMs } = options;
  const { asked, keep, joinOthers, joinUntil } = createCounting(options);

  return {
    channelsOf: limits.channelsOf,
    count: limits.count,

    /** Takes a channel for an inbound call; null if this gateway's own limit is reached. */
    arrive(trunk: Limited, callId: string): Joining | null {
      const here = limits.tryAcquire(trunk);
      return here && joinOthers(trunk, { callId, leg: 'first' }, here);
    },

    /** Takes a channel for a leg of a call that was taken over, even if the trunk is full. */
    goOn(trunk: Limited, counted: CountedLeg): Permit {
      const permit = limits.tryAcquire(trunk) ?? { release() {} };
      return trunk.maxChannels === null ? permit : keep(trunk.id, counted, permit);
    },

    /** Takes a channel for an outbound call. `isLast`: there is no other trunk, so the call waits for a channel. */
    async acquire(trunk: Limited, isLast: boolean, call: WaitingCall): Promise<Acquired> {
      const until = clock.now() + (isLast ? patienceMs : 0);
      const acquired = await limits.acquire(trunk, isLast, call.signal);
      if ('full' in acquired) return acquired;
      const permit = await joinUntil(until, trunk, call, acquired.permit);
      if (permit === null) return fullOf(trunk);
      const { callsPerSecond, id: trunkId } = trunk;
      if (callsPerSecond === null) return { permit };
      const turn = (): Promise<number | null> => load.turn({ trunkId, callsPerSecond, patienceMs });
      const waitMs = await asked('Waiting for a turn on a trunk', turn, 0);
      if (waitMs === null) {
        permit.release();
        return pacedOf(trunk);
      }
      if (waitMs > 0) await waitOn(clock, waitMs, call.signal);
      return { permit };
    },
  };
};

export type SharedLimits = ReturnType<typeof createSharedLimits>;

/** Load for a gateway that shares no trunks: every request is granted. */
export const loadOfOtherNodes: SharedTrunkLoad = {
  take: () => Promise.resolve(true),
  keep: () => Promise.resolve(),
  giveBack: () => Promise.resolve(),
  turn: () => Promise.resolve(0),
};
