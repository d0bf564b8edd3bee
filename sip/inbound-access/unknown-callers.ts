/**
 * Callers that nobody knows. Each is refused, counted, and named in the log at most once a minute; whoever does it again
 * and again waits longer and longer for the refusal.
 */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

export type AccessFault =
  'unknown_address' | 'wrong_credentials' | 'unanswered_challenge' | 'unusable_contact';

const minuteMs = 60_000;
/** Addresses that are remembered, and refusals that wait: beyond it nobody is remembered, or waits, any more. */
const most = 10_000;

/** Refused at once so many times within a minute, then with a delay that doubles. */
export type RefusalDelays = { atOnce: number; firstMs: number; longestMs: number };

type UnknownCaller = { times: number; lastAt: number; loggedAt: number; unlogged: number };

const advice: Readonly<Record<AccessFault, string>> = {
  unknown_address:
    'a call from an address of no trunk was refused (if it is a trunk, add it to its inbound_addresses)',
  wrong_credentials: 'a caller with wrong credentials was refused',
  unanswered_challenge: 'a caller that was asked for credentials gave none',
  unusable_contact: 'a request was left unanswered: its Contact does not name a host',
};

export const createUnknownCallers = (delays: RefusalDelays, clock: Clock, logger: Logger) => {
  const callers = new Map<string, UnknownCaller>();
  const counts: Record<AccessFault, number> = {
    unknown_address: 0,
    wrong_credentials: 0,
    unanswered_challenge: 0,
    unusable_contact: 0,
  };
  const waiting = new Set<unknown>();

  const remember = (address: string, now: number): UnknownCaller => {
    const known = callers.get(address);
    if (known !== undefined && now - known.lastAt < minuteMs) return known;
    for (const [other, { lastAt }] of callers) {
      if (now - lastAt < minuteMs && callers.size < most) break;
      callers.delete(other);
    }
    const caller = {
      times: 0,
      lastAt: now,
      loggedAt: known?.loggedAt ?? 0,
      unlogged: known?.unlogged ?? 0,
    };
    callers.set(address, caller);
    return caller;
  };

  const log = (address: string, caller: UnknownCaller, fault: AccessFault, now: number): void => {
    caller.unlogged += 1;
    if (caller.loggedAt !== 0 && now - caller.loggedAt < minuteMs) return;
    logger.warn({ address, times: caller.unlogged }, advice[fault]);
    caller.loggedAt = now;
    caller.unlogged = 0;
  };

  const count = (address: string, fault: AccessFault): void => {
    const now = clock.now();
    const caller = remember(address, now);
    caller.times += 1;
    caller.lastAt = now;
    counts[fault] += 1;
    log(address, caller, fault, now);
  };

  /** Answers at once, or when an address that was counted again and again has waited long enough. */
  const answer = (address: string, send: () => void): void => {
    const caller = callers.get(address);
    const isRecent = caller !== undefined && clock.now() - caller.lastAt < minuteMs;
    const again = isRecent ? caller.times - delays.atOnce : 0;
    if (again <= 0 || waiting.size >= most) return send();
    const timer = clock.setTimeout(
      () => {
        waiting.delete(timer);
        send();
      },
      Math.min(delays.longestMs, delays.firstMs * 2 ** Math.min(again - 1, 10)),
    );
    waiting.add(timer);
    return undefined;
  };

  return {
    /** How many were refused since the start. */
    counts: (): Readonly<Record<AccessFault, number>> => ({ ...counts }),

    count,
    answer,
    /** Counts a caller, and refuses it when it has waited long enough. */
    meet(address: string, fault: AccessFault, refuse: () => void): void {
      count(address, fault);
      answer(address, refuse);
    },

    /** Whoever still waits gets no answer. */
    close(): void {
      for (const timer of waiting) clock.clearTimeout(timer);
      waiting.clear();
    },
  };
};

export type UnknownCallers = ReturnType<typeof createUnknownCallers>;
