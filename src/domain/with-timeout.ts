/** Limits the time of waiting. */
import type { Clock } from './clock.ts';

type Timers = Pick<Clock, 'setTimeout' | 'clearTimeout'>;

export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';

  constructor(milliseconds: number, what = 'It') {
    super(`${what} took longer than ${milliseconds} ms`);
  }
}

/**
 * Resolves to the work's result, or rejects with `error` after `milliseconds`. After a time-out the work's signal is
 * aborted with the error, and its later result goes only to `late`.
 */
export const withTimeout = async <Result>(
  clock: Timers,
  milliseconds: number,
  work: (limit: AbortSignal) => Promise<Result>,
  options: {
    /** Creates the error; a TimeoutError by default. */
    error?: () => Error;
    /** Receives a result that arrived too late, so that the result can be released. */
    late?: (result: Result) => void;
  } = {},
): Promise<Result> => {
  const limit = new AbortController();
  const tooLate = Promise.withResolvers<never>();
  const timer = clock.setTimeout(() => {
    const error = options.error?.() ?? new TimeoutError(milliseconds);
    tooLate.reject(error);
    limit.abort(error);
  }, milliseconds);
  const doWork = async (): Promise<Result> => {
    const result = await work(limit.signal);
    if (limit.signal.aborted) options.late?.(result);
    return result;
  };
  try {
    return await Promise.race([tooLate.promise, doWork()]);
  } finally {
    clock.clearTimeout(timer);
  }
};

/**
 * Waits for the work up to a number of milliseconds. Resolves to whether the work finished; rejects if the work
 * rejects.
 */
export const doneWithin = async (
  clock: Timers,
  milliseconds: number,
  work: Promise<unknown>,
): Promise<boolean> => {
  const limit = Promise.withResolvers<false>();
  const timer = clock.setTimeout(() => limit.resolve(false), milliseconds);
  const done = async (): Promise<true> => {
    await work;
    return true;
  };
  try {
    return await Promise.race([limit.promise, done()]);
  } finally {
    clock.clearTimeout(timer);
  }
};
