/**
 * Refuses unknown callers, counts them, and logs them at most once a minute per address. Repeated attempts wait
 * increasingly long for the refusal.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

export type AccessFault =
  | 'unknown_address'
  | 'wrong_credentials'
  | 'unanswered_challenge'
  | 'unusable_contact';

const minuteMs = 60_000;
/**
 * Maximum number of remembered addresses, and of delayed refusals. Beyond it, addresses are not remembered and refusals
 * are not delayed.
 */
const most = 10_000;

/** Number of immediate refusals per minute; later refusals are delayed with doubling delays. */
export type RefusalDelays = { atOnce: number; firstMs: number; longestMs: number };

type UnknownCaller = { times: number; lastAt: number; loggedAt: number; unlogged: number };

const advice: Readonly<Record<AccessFault, string>> = {
  unknown_address:
    'a call from an address of no trunk was refused (if it is a trunk, add it to its inbound_addresses)',
  wrong_credentials: 'a caller with wrong credentials was refused',
  unanswered_challenge: 'a caller that was asked for credentials gave none',
  unusable_contact: 'a request was left unanswered: its Contact does not name a host',
};

/** Callers of the last minute by address. */
const createRecentCallers = (clock: Pick<Clock, 'now'>) => {
  const callers = new Map<string, UnknownCaller>();

  const isRecent = ({ lastAt }: UnknownCaller): boolean => clock.now() - lastAt < minuteMs;

  const remember = (address: string): UnknownCaller => {
    const known = callers.get(address);
    if (known !== undefined && isRecent(known)) return known;
    for (const [other, caller] of callers) {
      if (isRecent(caller) && callers.size < most) break;
      callers.delete(other);
    }
    const { loggedAt = 0, unlogged = 0 } = known ?? {};
    const caller = { times: 0, lastAt: clock.now(), loggedAt, unlogged };
    callers.set(address, caller);
    return caller;
  };

  return {
    /** Records another attempt. */
    count(address: string): UnknownCaller {
      const caller = remember(address);
      caller.times += 1;
      caller.lastAt = clock.now();
      return caller;
    },
    /** Number of recent attempts. */
    timesOf(address: string): number {
      const caller = callers.get(address);
      return caller !== undefined && isRecent(caller) ? caller.times : 0;
    },
  };
};

/** Refusals that wait for their delay. */
const createWaitingAnswers = ({ longestMs, firstMs }: RefusalDelays, clock: Clock) => {
  const waiting = new Set<unknown>();
  return {
    /** Sends a refusal after its delay. `again`: number of attempts beyond the immediate ones. */
    send(again: number, answer: () => void): void {
      if (again <= 0 || waiting.size >= most) return answer();
      const delayMs = Math.min(longestMs, firstMs * 2 ** Math.min(again - 1, 10));
      const timer = clock.setTimeout(() => {
        waiting.delete(timer);
        answer();
      }, delayMs);
      waiting.add(timer);
      return undefined;
    },
    close(): void {
      for (const timer of waiting) clock.clearTimeout(timer);
      waiting.clear();
    },
  };
};

export const createUnknownCallers = (delays: RefusalDelays, clock: Clock, logger: Logger) => {
  const callers = createRecentCallers(clock);
  const waiting = createWaitingAnswers(delays, clock);
  const counts: Record<AccessFault, number> = {
    unknown_address: 0,
    wrong_credentials: 0,
    unanswered_challenge: 0,
    unusable_contact: 0,
  };

  const log = (address: string, caller: UnknownCaller, fault: AccessFault): void => {
    const now = clock.now();
    caller.unlogged += 1;
    if (caller.loggedAt !== 0 && now - caller.loggedAt < minuteMs) return;
    logger.warn({ address, times: caller.unlogged }, advice[fault]);
    caller.loggedAt = now;
    caller.unlogged = 0;
  };

  const count = (address: string, fault: AccessFault): void => {
    counts[fault] += 1;
    log(address, callers.count(address), fault);
  };

  /** Sends a refusal at once, or after the delay of a repeated caller. */
  const answer = (address: string, send: () => void): void =>
    waiting.send(callers.timesOf(address) - delays.atOnce, send);

  return {
    /** Numbers of refused callers since the start. */
    counts: (): Readonly<Record<AccessFault, number>> => ({ ...counts }),

    count,
    answer,
    /** Counts a caller and refuses it, possibly after a delay. */
    meet(address: string, fault: AccessFault, refuse: () => void): void {
      count(address, fault);
      answer(address, refuse);
    },

    /** Drops all delayed refusals. */
    close: waiting.close,
  };
};

export type UnknownCallers = ReturnType<typeof createUnknownCallers>;
