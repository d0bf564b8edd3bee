/** Polls changing data and retries after lost connections. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem, Unreachable } from './api/request.ts';

export type Polled<Value> = {
  /** The last value, which remains while the connection is lost or the gateway is asked too often. */
  value: Value | undefined;
  /** Problem document if the gateway rejected the request, for example for an unknown call. */
  problem: Problem | undefined;
  reload: () => void;
};

/** Retry interval while the connection is lost, and the shortest delay after "too many requests". */
const retryMs = 2_000;

const tooManyRequests = 429;

/**
 * Returns the delay in milliseconds after which a rejected read is repeated, because the connection is lost or the
 * gateway is asked too often; null for any other error.
 */
export const retryAfterMs = (error: unknown): number | null => {
  if (error instanceof Unreachable) return retryMs;
  if (!(error instanceof Problem) || error.status !== tooManyRequests) return null;
  return Math.max(retryMs, (error.retryAfterSec ?? 0) * 1_000);
};

/**
 * Reads a value immediately and whenever `key` changes, and again after `everyMs`; `null` disables polling. Polling
 * continues after a rejected read, at the interval of the last value, and pauses while the page is hidden.
 */
export const usePolled = <Value>(
  key: string,
  read: () => Promise<Value>,
  everyMs: (value: Value) => number | null = () => null,
): Polled<Value> => {
  const [state, setState] = useState<{ key: string; value?: Value; problem?: Problem }>({ key });
  const [round, setRound] = useState(0);
  const latest = useRef({ read, everyMs });
  latest.current = { read, everyMs };

  useEffect(() => {
    const over = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let everyMs: number | null = null;
    const again = (ms: number): void => {
      timer = setTimeout(() => (document.hidden ? again(ms) : void once()), ms);
    };
    const once = async (): Promise<void> => {
      try {
        const value = await latest.current.read();
        if (over.signal.aborted) return;
        setState({ key, value });
        everyMs = latest.current.everyMs(value);
        if (everyMs !== null) again(everyMs);
      } catch (error) {
        if (over.signal.aborted) return;
        const laterMs = retryAfterMs(error);
        if (laterMs !== null) again(laterMs);
        else if (!(error instanceof Problem)) throw error;
        else {
          setState({ key, problem: error });
          if (everyMs !== null) again(everyMs);
        }
      }
    };
    void once();
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [key, round]);

  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    problem: isCurrent ? state.problem : undefined,
    reload: () => setRound((before) => before + 1),
  };
};
