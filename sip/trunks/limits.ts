/**
 * Limits of a trunk, as this process holds them (`shared-limits.ts` holds them with the others): calls at once, and new
 * ones a second. A call that comes too early waits a little in a short queue; when that is full, or the wait would be too
 * long, it is told why.
 */
import type { Clock } from '#src/domain/clock.ts';
import { once } from '#src/domain/once.ts';
import type { Trunk } from '#src/domain/trunk.ts';

/** For one channel of a trunk. Releasing it is idempotent. */
export type Permit = { release(): void };

/** `full` is a plain sentence. */
export type Acquired = { permit: Permit } | { full: string };

type Limited = Pick<Trunk, 'id' | 'name' | 'maxChannels' | 'callsPerSecond'>;

type Waiter = { goOn: (hasChannel: boolean) => void };

type Load = { channels: number; nextCallAt: number; waiters: Set<Waiter> };

/** Calls that may wait for a channel of one trunk. */
const mostWaiting = 50;

/** Resolves when the time is over, or with the signal. */
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

/** Resolves to whether a channel was left to this call. */
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

/** For a channel that is counted already. Whoever waits longest gets it next. */
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
  /** The longest wait of a call for its turn. */
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

    /** For one more call there, without any limit. */
    count: (key: string): Permit => takeChannel(loadOf(key)),

    /** For a call that comes in: there is a channel for it now, or there is none. */
    tryAcquire({ id, maxChannels }: Limited): Permit | null {
      const load = loadOf(id);
      return maxChannels !== null && load.channels >= maxChannels ? null : takeChannel(load);
    },

    /** For a call that goes out; `isLast`: there is no other trunk, so that it waits for a channel. */
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
      if (at > clock.now()) await waitOn(clock, at - clock.now(), signal);
      return { permit };
    },
  };
};

export type TrunkLimits = ReturnType<typeof createTrunkLimits>;
