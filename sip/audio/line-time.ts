import type { Clock } from '#src/domain/clock.ts';

export type Cancel = () => void;

/** Clock of one line, which owns all timers of the line and cancels them together. */
export type LineTime = {
  /** Returns wall-clock milliseconds since the epoch. */
  now(): number;
  /**
   * Returns the milliseconds of line time between two wall-clock times, by default until now. Line time may run faster
   * than the wall clock.
   */
  since(moment: number, until?: number): number;
  /** Calls back in a later task after this much line time, unless `stop` was called before. */
  after(milliseconds: number, callback: () => void): Cancel;
  /** Cancels all timers. */
  stop(): void;
};

/** A single timer. Setting the timer replaces the previous time. */
export type Alarm = {
  set(milliseconds: number, callback: () => void): void;
  cancel(): void;
};

/** A class is used instead of closures, because a line has a dozen timers. */
class TimeAlarm implements Alarm {
  readonly #time: Pick<LineTime, 'after'>;
  #cancel: Cancel | null = null;

  constructor(time: Pick<LineTime, 'after'>) {
    this.#time = time;
  }

  set(milliseconds: number, callback: () => void): void {
    this.cancel();
    this.#cancel = this.#time.after(milliseconds, callback);
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}

export const createAlarm = (time: Pick<LineTime, 'after'>): Alarm => new TimeAlarm(time);

/** Creates the clock of a line. `speed` is the ratio of line time to the time of `clock`. */
export const createLineTime = (clock: Clock, speed: number): LineTime => {
  const timers = new Set<unknown>();
  let isStopped = false;
  return {
    now: () => clock.now(),
    since: (moment, until = clock.now()) => Math.max(0, until - moment) * speed,
    after(milliseconds, callback) {
      if (isStopped) return () => {};
      const timer = clock.setTimeout(() => {
        timers.delete(timer);
        callback();
      }, milliseconds);
      timers.add(timer);
      return () => {
        if (timers.delete(timer)) clock.clearTimeout(timer);
      };
    },
    stop() {
      isStopped = true;
      for (const timer of timers) clock.clearTimeout(timer);
      timers.clear();
    },
  };
};
