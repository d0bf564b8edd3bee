/**
 * Simulated time: it jumps from one due event to the next, so a minute takes only as long as the work in it. All due
 * events are in one order, which the seed determines.
 *
 * A callback belongs to the process that requested it. After the death of that process it is no longer called, like the
 * timers of a dead process.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Agenda, type Entry } from '#src/agenda.ts';
import type { Random } from './random.ts';

/** A program that runs on the simulated machines; all its work ends with it. */
export type SimulatedProcess = {
  /** Name of its gateway. */
  readonly name: string;
  /** Unique in a world: a gateway's next process has another one. */
  readonly id: string;
  isAlive: boolean;
  /** Due timers and messages of a frozen process, as by SIGSTOP, in order. `null` while it runs. */
  held: (() => void)[] | null;
  /** How often it was frozen or cut off from the database. */
  interruptions: number;
  /** Offset of its wall clock from simulated time, in milliseconds. */
  wallOffsetMs: number;
  /** Offset of its monotonic clock, which begins like its wall clock and is never set. */
  readonly steadyOffsetMs: number;
  /** Last chart states of the calls that the process has owned. */
  readonly charts: Map<string, string>;
  /** Calls that have an actor in the process now. */
  readonly actors: Set<string>;
};

const running = new AsyncLocalStorage<SimulatedProcess | null>();

/** The process whose code is running; `null` for the world around the processes. */
export const runningProcess = (): SimulatedProcess | null => running.getStore() ?? null;

export const runIn = <Result>(process: SimulatedProcess | null, work: () => Result): Result =>
  running.run(process, work);

/** Delivers a message to a process: immediately, or when the process continues. */
export const arriveIn = (process: SimulatedProcess, work: () => void): void => {
  if (process.held === null) runIn(process, work);
  else process.held.push(work);
};

/** Start time of every simulation. */
export const beginningMs = Date.UTC(2026, 0, 5, 9);

/** Maximum delay of a timer, as on a machine with other work. */
const latestMs = 3;

export class SimulatedTime {
  readonly #agenda = new Agenda();
  readonly #random: Random;
  #immediates: (() => void)[] = [];
  /** After thawing, a process may cancel a timer that became due while it was frozen. */
  readonly #cancelled = new WeakSet<Entry>();
  #now = beginningMs;
  #steps = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Milliseconds since the epoch, by a clock that is never set. */
  now(): number {
    return this.#now;
  }

  /** Seconds since the start. */
  seconds(): number {
    return (this.#now - beginningMs) / 1_000;
  }

  steps(): number {
    return this.#steps;
  }

  /** Sets a timer of the running process. */
  setTimer(callback: () => void, milliseconds: number): Entry {
    const lateMs = this.#random.below(latestMs + 1);
    return this.after(Math.max(1, Math.trunc(milliseconds)) + lateMs, callback);
  }

  /** Sets a timer of the running process that is exact to the millisecond. */
  after(milliseconds: number, callback: () => void): Entry {
    const entry: Entry = this.#agenda.add(
      this.#now + milliseconds,
      this.#inItsProcess(() => {
        if (!this.#cancelled.has(entry)) callback();
      }),
    );
    return entry;
  }

  cancel(entry: Entry): void {
    this.#agenda.remove(entry);
    this.#cancelled.add(entry);
  }

  /** Runs before time advances. */
  soon(callback: () => void): void {
    this.#immediates.push(this.#inItsProcess(callback));
  }

  /** Stops a process without ending it: its connections stay open, and its timers do not fire. */
  freeze(process: SimulatedProcess): void {
    process.interruptions += 1;
    process.held ??= [];
  }

  /** Continues a frozen process: it does everything that became due before any other event happens. */
  thaw(process: SimulatedProcess): void {
    const held = process.held ?? [];
    process.held = null;
    runIn(process, () => held.forEach((work) => this.soon(work)));
  }

  #inItsProcess(callback: () => void): () => void {
    const process = runningProcess();
    return () => {
      if (process === null) runIn(null, callback);
      else if (process.isAlive) arriveIn(process, callback);
    };
  }

  /** Runs the next due event. False if there is none, or only after `until`. */
  step(until: number): boolean {
    this.#steps += 1;
    const [first] = this.#immediates.splice(0, 1);
    if (first !== undefined) {
      first();
      return true;
    }
    const next = this.#agenda.first();
    if (next === undefined || next.due > until) {
      this.#now = Math.max(this.#now, until);
      return false;
    }
    this.#agenda.remove(next);
    this.#now = Math.max(this.#now, next.due);
    next.callback();
    return true;
  }
}
