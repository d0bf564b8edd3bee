/** The count of open streams, and the way to end them all: a stream has no end of its own that could be waited for. */
import { Refusal } from '#src/domain/refusal.ts';

/** The permit of one open stream. */
export type StreamPermit = {
  /** Aborted when the gateway drains. */
  signal: AbortSignal;
  /** Releases the permit. Idempotent. */
  release(): void;
};

export type StreamPermits = {
  /** A permit for one more stream of this key. Refuses with `stream_limit`, or with `draining` once they were ended. */
  acquire(key: string): StreamPermit;
  /** Ends all streams; there will be no more. */
  close(): void;
};

export const createStreamPermits = ({ perKey }: { perKey: number }): StreamPermits => {
  const closing = new AbortController();
  const taken = new Map<string, Set<AbortController>>();
  return {
    acquire(key) {
      if (closing.signal.aborted) {
        throw new Refusal('draining', 'This gateway is shutting down; ask again, and another one answers.');
      }
      const ofKey = taken.get(key) ?? new Set();
      if (ofKey.size >= perKey) {
        throw new Refusal(
          'stream_limit',
          `This key has its maximum of ${perKey} streams open. Close one first.`,
          {
            extras: { maximum: perKey },
          },
        );
      }
      taken.set(key, ofKey);
      const permit = new AbortController();
      ofKey.add(permit);
      return {
        signal: permit.signal,
        release() {
          ofKey.delete(permit);
          if (ofKey.size === 0 && taken.get(key) === ofKey) taken.delete(key);
        },
      };
    },
    close() {
      closing.abort();
      for (const ofKey of taken.values()) for (const permit of ofKey) permit.abort();
    },
  };
};
