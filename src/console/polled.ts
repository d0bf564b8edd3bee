/** Polls changing data and retries after lost connections. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem, Unreachable } from './api/request.ts';
import { repeatRead, type CallLater, type RepeatedRead } from './repeated-read.ts';

export type Polled<Value> = {
  /** The last value, which remains while the connection is lost or the gateway is asked too often. */
  value: Value | undefined;
  /** Problem document if the gateway rejected the request, for example for an unknown call. */
  problem: Problem | undefined;
  /** Reads now, or once more after a read in progress. */
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

const callLater: CallLater = (callback, milliseconds) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
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
  const latest = useRef({ read, everyMs });
  latest.current = { read, everyMs };
  const current = useRef<RepeatedRead | null>(null);

  useEffect(() => {
    const repeated = repeatRead<Value>({
      read: () => latest.current.read(),
      onValue(value) {
        setState({ key, value });
        return latest.current.everyMs(value);
      },
      retryMs: retryAfterMs,
      onError(error) {
        if (!(error instanceof Problem)) throw error;
        setState({ key, problem: error });
      },
      isHidden: () => document.hidden,
      callLater,
    });
    current.current = repeated;
    repeated.again();
    return repeated.close;
  }, [key]);

  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    problem: isCurrent ? state.problem : undefined,
    reload: () => current.current?.again(),
  };
};
