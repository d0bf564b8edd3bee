/**
 * The time of a simulation: nothing happens between two things that are due, so a minute takes as long as what happens in
 * it. Everything that is due has a place in one order, which the seed decides.
 *
 * A callback belongs to a process, that of whoever asked for it: when the process has died it is not called any more, as
 * no timer of a dead process is.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Agenda, type Entry } from '#src/agenda.ts';
import type { Random } from './random.ts';

/** A program that runs on the simulated machines; what it began ends with it. */
export type SimulatedProcess = {
  readonly name: string;
  isAlive: boolean;
  /** While it is frozen, as by SIGSTOP: its timers that are due and messages for it, in order. `null` while it runs. */
  held: (() => void)[] | null;
  /** How far its wall clock is from the time of the simulation, in milliseconds. */
  wallOffsetMs: number;
  /** The same of its steady clock, which begins as its wall clock does, and is never set. */
  readonly steadyOffsetMs: number;
  /** Where the charts of the calls are that it has held. */
  readonly charts: Map<string, string>;
};

const running = new AsyncLocalStorage<SimulatedProcess | null>();

/** The process whose code runs just now; `null` for the world around them. */
export const runningProcess = (): SimulatedProcess | null => running.getStore() ?? null;

export const runIn = <Result>(process: SimulatedProcess | null, work: () => Result): Result =>
  running.run(process, work);

/** Delivers a message to a process: at once, or when the process runs again. */
export const arriveIn = (process: SimulatedProcess, work: () => void): void => {
  if (process.held === null) runIn(process, work);
  else process.held.push(work);
};

/** When every simulation begins. */
export const beginningMs = Date.UTC(2026, 0, 5, 9);

/** A timer is late by up to so much, as on a machine that has other things to do. */
const latestMs = 3;

export class SimulatedTime {
  readonly #agenda = new Agenda();
  readonly #random: Random;
  #immediates: (() => void)[] = [];
  /** A frozen process may cancel a timer that became due meanwhile, when it runs again. */
  readonly #cancelled = new WeakSet<Entry>();
  #now = beginningMs;
  #steps = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Milliseconds since the epoch, by a clock that nobody sets. */
  now(): number {
    return this.#now;
  }

  /** Since the beginning. */
  seconds(): number {
    return (this.#now - beginningMs) / 1_000;
  }

  steps(): number {
    return this.#steps;
  }

  /** In the name of the process that runs. */
  setTimer(callback: () => void, milliseconds: number): Entry {
    const lateMs = this.#random.below(latestMs + 1);
    return this.after(Math.max(1, Math.trunc(milliseconds)) + lateMs, callback);
  }

  /** On time to the millisecond; in the name of the process that runs. */
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

  /** Before time goes on. */
  soon(callback: () => void): void {
    this.#immediates.push(this.#inItsProcess(callback));
  }

  /** Stops a process without ending it: its connections stay open, and its timers do not fire. */
  freeze(process: SimulatedProcess): void {
    process.held ??= [];
  }

  /** Lets a frozen process run again: it does everything that has become due before anything else happens. */
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

  /** Does what is due next. False when nothing is, or only after `until`. */
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
