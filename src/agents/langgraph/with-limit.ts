import type { Clock } from '#src/domain/clock.ts';

/** Does `work` with a signal that is aborted when its time is up. */
export const withLimit = async <Value>(
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>,
  milliseconds: number,
  work: (limit: AbortSignal) => Promise<Value>,
): Promise<Value> => {
  const limit = new AbortController();
  const timer = clock.setTimeout(() => limit.abort(), milliseconds);
  try {
    return await work(limit.signal);
  } finally {
    clock.clearTimeout(timer);
  }
};
