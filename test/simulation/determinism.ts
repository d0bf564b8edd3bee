/**
 * Makes a run of this process reproducible. Imported first, it replaces the machine's time and randomness by the
 * simulation's:
 *
 * - `Date`, `performance.now`, `setTimeout`, `setInterval`, `setImmediate` and the exports of `node:timers`;
 * - `Math.random`, and the random functions of `node:crypto` and Web Crypto;
 * - `node:fs/promises`, `fs.readFile` and `WebAssembly.instantiate`, which complete synchronously, because the order in
 *   which their threads finish varies;
 * - information about the machine itself (`unwatched-machine.ts`).
 *
 * Promises and `process.nextTick` already run in the order in which they began. Without a running simulation all
 * functions are the machine's.
 */
import crypto from 'node:crypto';
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import type { Entry } from '#src/agenda.ts';
import { answerAtOnce, instantiateAtOnce, readFileAtOnce, type WebAssemblyApi } from './at-once.ts';
import type { Random } from './random.ts';
import { runningProcess, type SimulatedTime } from './simulated-time.ts';
import { leaveMachineUnwatched } from './unwatched-machine.ts';

export type Determined = { time: SimulatedTime; random: Random };

let determined: Determined | null = null;

const real = {
  Date,
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
  performanceNow: performance.now.bind(performance),
  timeOrigin: performance.timeOrigin,
  random: Math.random,
  randomUUID: crypto.randomUUID,
  randomBytes: crypto.randomBytes,
  randomInt: crypto.randomInt,
  getRandomValues: crypto.webcrypto.getRandomValues.bind(crypto.webcrypto),
};

/** Sets the source of time and randomness of the process; `null` restores the machine's. */
export const determine = (by: Determined | null): void => {
  determined = by;
};

let setsTimers = true;

/** Runs the work synchronously; timers that it sets never fire and draw no random numbers. */
export const withoutTimers = (work: () => void): void => {
  setsTimers = false;
  try {
    work();
  } finally {
    setsTimers = true;
  }
};

/** Runs all pending promises and callbacks; simulated time does not advance. */
export const settle = (): Promise<void> => new Promise((resolve) => void real.setImmediate(resolve));

/** Time of the machine, to measure the duration of a simulation. */
export const machineNow = (): number => real.performanceNow();

/** Return value of `setTimeout`. */
class Timer {
  entry: Entry | null = null;
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  refresh(): this {
    return this;
  }
  close(): this {
    clearTimer(this);
    return this;
  }
  [Symbol.toPrimitive](): number {
    return 0;
  }
  [Symbol.dispose](): void {
    clearTimer(this);
  }
}

const clearTimer = (timer: unknown): void => {
  if (!(timer instanceof Timer)) return real.clearTimeout(timer as NodeJS.Timeout);
  if (timer.entry !== null) determined?.time.cancel(timer.entry);
  timer.entry = null;
};

type Callback = (...values: unknown[]) => void;

const startTimer = (time: SimulatedTime, callback: Callback, ms: number, values: unknown[]): Timer => {
  const timer = new Timer();
  const start = (): void => {
    timer.entry = time.setTimer(() => {
      timer.entry = null;
      callback(...values);
    }, ms);
  };
  timer.refresh = () => {
    if (timer.entry !== null) time.cancel(timer.entry);
    start();
    return timer;
  };
  start();
  return timer;
};

const timerFunctions = {
  setTimeout(callback: Callback, ms = 1, ...values: unknown[]): unknown {
    if (!setsTimers) return new Timer();
    if (determined === null) return real.setTimeout(callback, ms, ...values);
    return startTimer(determined.time, callback, ms, values);
  },
  setInterval(callback: Callback, ms = 1, ...values: unknown[]): unknown {
    if (determined === null) return real.setInterval(callback, ms, ...values);
    const timer = startTimer(
      determined.time,
      () => {
        timer.refresh();
        callback(...values);
      },
      ms,
      [],
    );
    return timer;
  },
  setImmediate(callback: Callback, ...values: unknown[]): unknown {
    if (determined === null) return real.setImmediate(callback, ...values);
    const immediate = { isWanted: true };
    determined.time.soon(() => {
      if (immediate.isWanted) callback(...values);
    });
    return immediate;
  },
  clearTimeout: clearTimer,
  clearInterval: clearTimer,
  clearImmediate(immediate: unknown): void {
    if (immediate instanceof Object && 'isWanted' in immediate) immediate.isWanted = false;
    else real.clearImmediate(immediate as NodeJS.Immediate);
  },
};

const promisedTimers = {
  setTimeout: <Value>(ms: number, value: Value): Promise<Value> =>
    new Promise((resolve) => void timerFunctions.setTimeout(() => resolve(value), ms)),
  setImmediate: <Value>(value: Value): Promise<Value> =>
    new Promise((resolve) => void timerFunctions.setImmediate(() => resolve(value))),
};

/** Wall clock of the running process. */
const wallNow = ({ time }: Determined): number => time.now() + (runningProcess()?.wallOffsetMs ?? 0);

const dateNow = (): number => (determined === null ? real.Date.now() : wallNow(determined));

const determinedDate = new Proxy(real.Date, {
  construct: (target, values: unknown[], created) =>
    Reflect.construct(target, values.length === 0 ? [dateNow()] : values, created),
  get: (target, name) => (name === 'now' ? dateNow : Reflect.get(target, name)),
});

const bytes = (size: number): Buffer<ArrayBuffer> =>
  determined === null ? real.randomBytes(size) : determined.random.bytes(size);

const randomUUID = (): string => {
  if (determined === null) return real.randomUUID();
  const drawn = determined.random.bytes(16);
  drawn[6] = ((drawn[6] ?? 0) & 0x0f) | 0x40;
  drawn[8] = ((drawn[8] ?? 0) & 0x3f) | 0x80;
  return drawn.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const randomInt = (first: number, second?: number): number => {
  const [min, max] = second === undefined ? [0, first] : [first, second];
  return determined === null ? real.randomInt(min, max) : min + determined.random.below(max - min);
};

const getRandomValues = (array: Uint8Array): Uint8Array => {
  if (determined === null) return real.getRandomValues(array);
  Buffer.from(array.buffer, array.byteOffset, array.byteLength).set(
    determined.random.bytes(array.byteLength),
  );
  return array;
};

const requireHere = createRequire(import.meta.url);

Object.assign(globalThis, timerFunctions, { Date: determinedDate });
Object.assign(timers, timerFunctions);
Object.assign(timersPromises, promisedTimers);
Object.assign(Math, { random: () => (determined === null ? real.random() : determined.random.fraction()) });
Object.assign(crypto, { randomUUID, randomBytes: bytes, randomInt });
Object.defineProperties(globalThis.crypto, {
  getRandomValues: { value: getRandomValues, configurable: true },
  randomUUID: { value: randomUUID, configurable: true },
});
Object.defineProperties(performance, {
  // In whole milliseconds together with `now`, so that rounding of fractions does not vary.
  timeOrigin: {
    get: () => (determined === null ? real.timeOrigin : (runningProcess()?.steadyOffsetMs ?? 0)),
    configurable: true,
  },
  now: {
    value: () => (determined === null ? real.performanceNow() : determined.time.now()),
    configurable: true,
  },
});
Object.assign(
  requireHere('node:fs/promises'),
  answerAtOnce(fs, () => determined !== null),
);
Object.assign(fs, { readFile: readFileAtOnce(fs, () => determined !== null) });
const webAssembly = Reflect.get(globalThis, 'WebAssembly') as WebAssemblyApi;
Object.assign(webAssembly, { instantiate: instantiateAtOnce(webAssembly, () => determined !== null) });
leaveMachineUnwatched(() => determined !== null);
syncBuiltinESMExports();
