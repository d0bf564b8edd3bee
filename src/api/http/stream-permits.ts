/** Counts open event streams, and ends all of them at shutdown, because such streams do not end by themselves. */
import type { Clock } from '#src/domain/clock.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { doneWithin } from '#src/domain/with-timeout.ts';

/** The permit of one open stream. */
export type StreamPermit = {
  /** Signal that aborts when the gateway shuts down. The stream then sends the stored facts and ends. */
  signal: AbortSignal;
  /** Releases the permit. Idempotent. */
  release(): void;
};

export type StreamPermits = {
  /**
   * Returns a permit for one more stream of this key. Throws a Refusal: `stream_limit`, or `draining` after the
   * shutdown.
   */
  acquire(key: string): StreamPermit;
  /**
   * Waits up to `withinMs` for streams that end by themselves, such as those of calls that have just ended. Then ends
   * the other streams and refuses new ones.
   */
  close(withinMs: number): Promise<void>;
};

export const createStreamPermits = ({ perKey, clock }: { perKey: number; clock: Clock }): StreamPermits => {
  const closing = new AbortController();
  const taken = new Map<string, Set<AbortController>>();
  /** Called when no stream is open. */
  let onNone: (() => void) | undefined;
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
          if (taken.size === 0) onNone?.();
        },
      };
    },
    async close(withinMs) {
      if (taken.size > 0) {
        const none = new Promise<void>((resolve) => {
          onNone = resolve;
        });
        await doneWithin(clock, withinMs, none);
      }
      closing.abort();
      for (const ofKey of taken.values()) for (const permit of ofKey) permit.abort();
    },
  };
};
