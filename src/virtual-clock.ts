/**
 * The time of simulated lines. It hurries while the process has nothing to do and goes on evenly while there is work, so
 * that a gateway that is busy, or gets little of its processor, is late for nobody: whoever is on its lines waits for it
 * as on a quick machine (guides/design/start.md, "Clocks").
 */
import type { Clock } from '#src/domain/clock.ts';
import { Agenda, Entry } from './agenda.ts';
import { steadyClock } from './clocks.ts';

/** The real time of a process, in milliseconds. */
export type ProcessTime = {
  now(): number;
  /** How long its event loop has had nothing to do so far. */
  idle(): number;
  /** Calls back after so long; `0`: when what has arrived meanwhile was dealt with. Returns how to forget it. */
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

/** By so much a process wakes up late that nothing has kept from running, in real milliseconds. */
const usuallyLateMs = 2;

/** `now` goes on in real time, its timers in virtual time. */
export type VirtualClock = Clock & {
  /** Virtual milliseconds since it was made. */
  elapsed(): number;
};

/** In a millisecond in which the process has nothing to do `speed` virtual ones go by, in one of work no more than one. */
export const createVirtualClock = (speed: number, real: ProcessTime = ownTime): VirtualClock => {
  const atWork = Math.min(1, speed);
  const agenda = new Agenda();
  let elapsed = 0;
  let seen = { now: real.now(), idle: real.idle() };
  /** Up to where timers are called back now, one after the other; `null` between such passes. */
  let passEnd: number | null = null;
  let forgetWake = (): void => {};

  /** The haste ends where a timer is due: who wakes up later than that was kept from running. */
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
    // At least a moment, for all that is left of an early awakening.
    forgetWake = real.wake(Math.max(1, (next.due - elapsed) / speed), beginPass);
  };

  const beginPass = (): void => {
    passEnd = catchUp();
    goOn(passEnd);
  };

  /** Each timer has a turn of the event loop, so that what arrives between two of them is dealt with between them. */
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
