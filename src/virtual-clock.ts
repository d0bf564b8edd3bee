/**
 * Clock of simulated lines. The clock runs fast while the process is idle and in real time while the process works, so
 * that simulated callers wait for a busy gateway as on a fast machine (guides/design/start.md, "Clocks").
 */
import type { Clock } from '#src/domain/clock.ts';
import { Agenda, Entry } from './agenda.ts';
import { steadyClock } from './clocks.ts';

/** Real time of a process, in milliseconds. */
export type ProcessTime = {
  now(): number;
  /** Returns the total idle time of the event loop. */
  idle(): number;
  /**
   * Calls back after this time; with `0`, after pending input was handled. Returns a function that cancels the
   * callback.
   */
  wake(afterMs: number, callback: () => void): () => void;
};

const ownTime: ProcessTime = {
  now: () => performance.now(),
  idle: () => performance.nodeTiming.idleTime,
  wake(afterMs, callback) {
    if (afterMs === 0) {
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(callback, Math.ceil(afterMs));
    return () => clearTimeout(timer);
  },
};

/** Typical lateness of an undisturbed timer, in real milliseconds. */
const usuallyLateMs = 2;

/** A clock with real time in `now` and virtual time in its timers. */
export type VirtualClock = Clock & {
  /** Returns the virtual milliseconds since the clock was created. */
  elapsed(): number;
};

/** Creates a virtual clock. One idle millisecond counts as `speed` virtual ones, a busy millisecond as at most one. */
export const createVirtualClock = (speed: number, real: ProcessTime = ownTime): VirtualClock => {
  const atWork = Math.min(1, speed);
  const agenda = new Agenda();
  let elapsed = 0;
  let seen = { now: real.now(), idle: real.idle() };
  /** Time up to which timers are being called back; `null` outside of such a pass. */
  let passEnd: number | null = null;
  let forgetWake = (): void => {};

  /** Advances virtual time, which ends when a timer is due, because lateness beyond that is caused by load. */
  const catchUp = (): number => {
    const since = seen;
    seen = { now: real.now(), idle: real.idle() };
    const evenly = elapsed + (seen.now - since.now) * atWork;
    const hurried = evenly + (seen.idle - since.idle) * (speed - atWork);
    const next = agenda.first();
    return next === undefined
      ? hurried
      : Math.max(evenly, Math.min(hurried, next.due + usuallyLateMs * speed));
  };

  const lookAtTime = (): void => {
    if (passEnd === null) elapsed = catchUp();
  };

  const wakeForNext = (): void => {
    forgetWake();
    const next = agenda.first();
    if (next === undefined) return;
    // The delay is at least 1 ms, even after a wake-up that was slightly early.
    forgetWake = real.wake(Math.max(1, (next.due - elapsed) / speed), beginPass);
  };

  const beginPass = (): void => {
    passEnd = catchUp();
    goOn(passEnd);
  };

  /** Each timer gets its own turn of the event loop, so that input between two timers is handled between them. */
  const goOn = (end: number): void => {
    const next = agenda.first();
    if (next === undefined || next.due > end) {
      elapsed = end;
      passEnd = null;
      return wakeForNext();
    }
    agenda.remove(next);
    elapsed = Math.max(elapsed, next.due);
    forgetWake = real.wake(0, () => goOn(end));
    return next.callback();
  };

  return {
    now: steadyClock.now,
    elapsed() {
      lookAtTime();
      return elapsed;
    },
    setTimeout(callback, milliseconds) {
      lookAtTime();
      const timer = agenda.add(elapsed + Math.max(1, milliseconds), callback);
      if (passEnd === null && agenda.first() === timer) wakeForNext();
      return timer;
    },
    clearTimeout(timer) {
      if (timer instanceof Entry) agenda.remove(timer);
      if (passEnd === null && agenda.first() === undefined) forgetWake();
    },
  };
};
