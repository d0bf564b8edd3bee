/** No longer than: how everything that may take too long is waited for. */
import type { Clock } from './clock.ts';

type Timers = Pick<Clock, 'setTimeout' | 'clearTimeout'>;

export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';

  constructor(milliseconds: number, what = 'It') {
    super(`${what} took longer than ${milliseconds} ms`);
  }
}

/**
 * Resolves with the result of the work, or rejects with `error` after so many milliseconds: then the work's signal is
 * aborted with that error too, and what becomes of the work is told to nobody but `late`.
 */
export const withTimeout = async <Result>(
  clock: Timers,
  milliseconds: number,
  work: (limit: AbortSignal) => Promise<Result>,
  options: {
    /** Usually a TimeoutError. */
    error?: () => Error;
    /** Gets the result of work that was done too late, so that it can be ended. */
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

/** Waits for the work, but no longer than so many milliseconds. Resolves to whether it was done; rejects as it does. */
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
