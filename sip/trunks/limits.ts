/**
 * Limits of a trunk in this process (`shared-limits.ts` applies them across gateways): concurrent calls, and new calls
 * per second. A call that exceeds a limit waits in a short queue. If the queue is full or the wait too long, the call
 * is rejected with a reason.
 */
import type { Clock } from '#src/domain/clock.ts';
import { once } from '#src/domain/once.ts';
import type { Trunk } from '#src/domain/trunk.ts';

/** Permit for one channel of a trunk. Releasing the permit is idempotent. */
export type Permit = { release(): void };

/** A permit, or why no permit was given, as a plain sentence. */
export type Acquired = { permit: Permit } | { full: string };

type Limited = Pick<Trunk, 'id' | 'name' | 'maxChannels' | 'callsPerSecond'>;

type Waiter = { goOn: (hasChannel: boolean) => void };

type Load = { channels: number; nextCallAt: number; waiters: Set<Waiter> };

/** Maximum number of calls that wait for a channel of one trunk. */
const mostWaiting = 50;

/** Waits for this time, or until the signal aborts. */
export const waitOn = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });

/** Resolves to whether this call got a channel before its time limit. */
const waitForChannel = (load: Load, clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (hasChannel: boolean): void => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      load.waiters.delete(waiter);
      resolve(hasChannel);
    };
    const giveUp = (): void => end(false);
    const waiter: Waiter = { goOn: end };
    const timer = clock.setTimeout(giveUp, ms);
    signal.addEventListener('abort', giveUp);
    load.waiters.add(waiter);
    if (signal.aborted) giveUp();
  });

/**
 * Creates the permit for a channel that is already counted. Releasing the permit passes the channel to the longest
 * waiting call.
 */
const permitFor = (load: Load): Permit => ({
  release: once(() => {
    const [next] = load.waiters;
    if (next === undefined) load.channels -= 1;
    else next.goOn(true);
  }),
});

const takeChannel = (load: Load): Permit => {
  load.channels += 1;
  return permitFor(load);
};

export const fullOf = ({ name, maxChannels }: Limited): { full: string } => ({
  full: `The trunk "${name}" has no free channel (of ${maxChannels}).`,
});

export const pacedOf = ({ name, callsPerSecond }: Limited): { full: string } => ({
  full: `More calls than ${callsPerSecond} a second wait for the trunk "${name}".`,
});

export const createTrunkLimits = (options: {
  clock: Clock;
  /** Maximum time for which a call waits for its turn. */
  patienceMs: number;
}) => {
  const { clock, patienceMs } = options;
  const loads = new Map<string, Load>();

  const loadOf = (id: string): Load => {
    const known = loads.get(id);
    if (known !== undefined) return known;
    const load: Load = { channels: 0, nextCallAt: 0, waiters: new Set() };
    loads.set(id, load);
    return load;
  };

  return {
    channelsOf: (id: string): number => loads.get(id)?.channels ?? 0,

    /** Takes a channel for one more call, even above the limit. */
    count: (key: string): Permit => takeChannel(loadOf(key)),

    /** Takes a channel for an inbound call if one is free, without waiting. */
    tryAcquire({ id, maxChannels }: Limited): Permit | null {
      const load = loadOf(id);
      return maxChannels !== null && load.channels >= maxChannels ? null : takeChannel(load);
    },

    /** Takes a channel for an outbound call. `isLast`: there is no other trunk, so the call waits for a channel. */
    async acquire(trunk: Limited, isLast: boolean, signal: AbortSignal): Promise<Acquired> {
      const { maxChannels, callsPerSecond } = trunk;
      const load = loadOf(trunk.id);
      const isTooEarly = (): boolean => callsPerSecond !== null && load.nextCallAt - clock.now() > patienceMs;
      if (isTooEarly()) return pacedOf(trunk);

      let permit: Permit;
      if (maxChannels === null || load.channels < maxChannels) permit = takeChannel(load);
      else if (!isLast || load.waiters.size >= mostWaiting) return fullOf(trunk);
      else if (await waitForChannel(load, clock, patienceMs, signal)) permit = permitFor(load);
      else return fullOf(trunk);

      if (callsPerSecond === null) return { permit };
      if (isTooEarly()) {
        permit.release();
        return pacedOf(trunk);
      }
      const at = Math.max(clock.now(), load.nextCallAt);
      load.nextCallAt = at + 1_000 / callsPerSecond;
      const waitMs = at - clock.now();
      if (waitMs > 0) await waitOn(clock, waitMs, signal);
      return { permit };
    },
  };
};

export type TrunkLimits = ReturnType<typeof createTrunkLimits>;
