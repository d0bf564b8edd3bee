/** How many streams are open, and the way to end them all: a stream has no end of its own that could be waited for. */
import { Refusal } from '#src/domain/refusal.ts';

/** The place of one open stream. */
export type StreamPlace = {
  /** Aborted when the gateway drains. */
  signal: AbortSignal;
  /** Gives the place back. Idempotent. */
  leave(): void;
};

export type StreamPlaces = {
  /** A place for one more stream of this key. Refuses with `stream_limit`, or with `draining` once they were ended. */
  take(key: string): StreamPlace;
  /** Ends all streams; there will be no more. */
  close(): void;
};

export const createStreamPlaces = ({ perKey }: { perKey: number }): StreamPlaces => {
  const closing = new AbortController();
  const taken = new Map<string, Set<AbortController>>();
  return {
    take(key) {
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
      const place = new AbortController();
      ofKey.add(place);
      return {
        signal: place.signal,
        leave() {
          ofKey.delete(place);
          if (ofKey.size === 0 && taken.get(key) === ofKey) taken.delete(key);
        },
      };
    },
    close() {
      closing.abort();
      for (const ofKey of taken.values()) for (const place of ofKey) place.abort();
    },
  };
};
