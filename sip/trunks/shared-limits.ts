/**
 * The limits of a trunk, held by all gateways of a database together: a channel and a turn are taken in this process
 * first (`limits.ts`), then in the database, before anything is dialled. While the database cannot be asked, each gateway
 * holds them for itself, so that no call is refused for that.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { once } from '#src/domain/once.ts';
import type { Trunk, TrunkChannel } from '#src/domain/trunk.ts';
import { TimeoutError, withTimeout } from '#src/domain/with-timeout.ts';
import { fullOf, pacedOf, waitOn, type Acquired, type Permit, type TrunkLimits } from './limits.ts';

/** The load of all gateways on a trunk; each rejects when the database cannot be asked. */
export type SharedTrunkLoad = {
  /** Resolves to whether there was a channel. */
  take(channel: TrunkChannel & { maxChannels: number }): Promise<boolean>;
  /** The call goes on here, also where the trunk is full. */
  keep(channel: TrunkChannel): Promise<void>;
  giveBack(channel: TrunkChannel): Promise<void>;
  /** Milliseconds until it is the turn of one more call; null where that is further away than its patience. */
  turn(call: { trunkId: string; callsPerSecond: number; patienceMs: number }): Promise<number | null>;
};

type Limited = Pick<Trunk, 'id' | 'name' | 'maxChannels' | 'callsPerSecond'>;

type WaitingCall = {
  callId: string;
  /** It is not wanted any more. */
  signal: AbortSignal;
};

/** `hasChannel`: the others have room for it, too. Whatever comes of it, the permit is to be released. */
type Joining = { permit: Permit; hasChannel: Promise<boolean> };

/**
 * Between two looks for a channel that another gateway has given back. Nobody is woken for it, because nobody gives back
 * what a dead gateway had: there has to be a look anyway. There is one only while a call waits at the last of its trunks,
 * which is full, and for as long as its patience lasts.
 */
const lookMs = 200;

export type SharedLimitsOptions = {
  limits: TrunkLimits;
  load: SharedTrunkLoad;
  clock: Clock;
  /** The longest wait of a call for its turn, and of this gateway for the database. */
  patienceMs: number;
  /** Does what nobody waits for. */
  inBackground: (what: string, work: () => Promise<unknown>) => void;
  logger: Logger;
};

/** Counts the channels of this gateway with those of the others. */
const createCounting = (options: Omit<SharedLimitsOptions, 'limits'>) => {
  const { load, clock, patienceMs, inBackground, logger } = options;

  /** What this gateway says alone, where the others cannot be asked. */
  const asked = async <Answer>(what: string, work: () => Promise<Answer>, alone: Answer): Promise<Answer> => {
    try {
      const error = (): Error => new TimeoutError(patienceMs, what);
      return await withTimeout(clock, patienceMs, work, { error });
    } catch (error) {
      logger.warn({ err: error }, 'the limits of a trunk are held by this gateway alone right now');
      return alone;
    }
  };

  /** Of a channel of this gateway; it is given back when it is known whether the others had one. */
  const permitFor = (channel: TrunkChannel, here: Permit, taking: Promise<unknown>): Permit => ({
    release: once(() => {
      here.release();
      inBackground('giving a channel of a trunk back', async () => {
        await taking;
        await load.giveBack(channel);
      });
    }),
  });

  const joinOthers = ({ id: trunkId, maxChannels }: Limited, callId: string, here: Permit): Joining => {
    if (maxChannels === null) return { permit: here, hasChannel: Promise.resolve(true) };
    const channel = { trunkId, callId };
    const take = (): Promise<boolean> => load.take({ ...channel, maxChannels });
    const hasChannel = asked('Taking a channel of a trunk', take, true);
    return { permit: permitFor(channel, here, hasChannel), hasChannel };
  };

  /** Waits for a channel that another gateway gives back, where `until` is later than now. */
  const joinUntil = async (
    until: number,
    trunk: Limited,
    { callId, signal }: WaitingCall,
    here: Permit,
  ): Promise<Permit | null> => {
    for (;;) {
      const { permit, hasChannel } = joinOthers(trunk, callId, here);
      if (await hasChannel) return permit;
      if (signal.aborted || clock.now() >= until) {
        here.release();
        return null;
      }
      await waitOn(clock, lookMs, signal);
    }
  };

  return { asked, permitFor, joinOthers, joinUntil };
};

export const createSharedLimits = (options: SharedLimitsOptions) => {
  const { limits, load, clock, patienceMs } = options;
  const { asked, permitFor, joinOthers, joinUntil } = createCounting(options);

  return {
    channelsOf: limits.channelsOf,
    count: limits.count,

    /** For a call that comes in: null where not even this gateway has a channel for it. */
    arrive(trunk: Limited, callId: string): Joining | null {
      const here = limits.tryAcquire(trunk);
      return here && joinOthers(trunk, callId, here);
    },

    /** For a call that goes on here, also where the trunk is full. */
    goOn(trunk: Limited, callId: string): Permit {
      const permit = limits.tryAcquire(trunk) ?? { release() {} };
      if (trunk.maxChannels === null) return permit;
      const channel = { trunkId: trunk.id, callId };
      const keeping = asked('Keeping a channel of a trunk', () => load.keep(channel), undefined);
      return permitFor(channel, permit, keeping);
    },

    /** For a call that goes out; `isLast`: there is no other trunk, so that it waits for a channel. */
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

/** Of a gateway that shares its trunks with nobody. */
export const loadOfNobodyElse: SharedTrunkLoad = {
  take: () => Promise.resolve(true),
  keep: () => Promise.resolve(),
  giveBack: () => Promise.resolve(),
  turn: () => Promise.resolve(0),
};
