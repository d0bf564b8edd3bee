import type { Clock } from '#src/domain/clock.ts';

export type Cancel = () => void;

/** The time of one line. It owns all timers of the line and ends them together. */
export type LineTime = {
  /** Wall-clock milliseconds since the epoch. */
  now(): number;
  /**
   * Milliseconds on the line from one moment of the wall clock to another, by default to now. On a line that runs ten
   * times faster they are ten times as many.
   */
  since(moment: number, until?: number): number;
  /** Calls back in a later task, after milliseconds on the line; never once the time was stopped. */
  after(milliseconds: number, callback: () => void): Cancel;
  /** Ends all timers; nothing is called back any more. */
  stop(): void;
};

/** One timer at most: setting it anew takes the place of what it was set to before. */
export type Alarm = {
  set(milliseconds: number, callback: () => void): void;
  cancel(): void;
};

/** An object of a class, as are the times below: a line has a dozen, and each function of its own would weigh more. */
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

/** `speed` says how many times faster than the wall clock the timers of `clock` run. */
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
