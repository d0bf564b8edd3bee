/** DTMF digits of the other party that the agent collects into one turn. */

export type KeysWanted = {
  /** Number of digits after which the entry is complete; null for no limit. */
  digits: number | null;
  /** Digit that ends the entry and is not part of it; null if no digit does. */
  finish: string | null;
  /** Time limit for the first digit and between two digits, counted while the floor is free. */
  timeoutSec: number;
  /** Whether the digits are visible to the agent only. */
  secret: boolean;
};

export type CollectRequest = { type: 'collect.requested'; wanted: KeysWanted };

/**
 * State of secret digits outside of an entry. `secret.awaited`: the agent is about to ask for secret digits; digits
 * that arrive before the question was completely heard are hidden, but do not belong to the entry. `secret.dropped`:
 * the question was interrupted.
 */
export type SecretNotice = { type: 'secret.awaited'; wanted: KeysWanted } | { type: 'secret.dropped' };

/** Digits collected so far. Secret digits are dots in this object; `src/calls/live/secret-keys.ts` has their values. */
export type CollectedKeys = {
  wanted: KeysWanted;
  keys: string;
  /** Whether the entry is complete. */
  areAll: boolean;
  /** Times of the first and the last digit; null before the first digit. */
  startedAt: number | null;
  endedAt: number | null;
};

/** Placeholder for a secret digit, and for a whole secret entry in a turn. */
export const secretKey = '•';
export const secretKeys = '[keys] ••••';

export const noKeysYet = (wanted: KeysWanted): CollectedKeys => ({
  wanted,
  keys: '',
  areAll: false,
  startedAt: null,
  endedAt: null,
});

export const withKey = (
  collected: CollectedKeys,
  { digit, at }: { digit: string; at: number },
): CollectedKeys => {
  const { wanted, startedAt } = collected;
  const isFinish = digit === wanted.finish;
  const keys = isFinish ? collected.keys : collected.keys + digit;
  return {
    wanted,
    keys,
    areAll: isFinish || keys.length === wanted.digits,
    startedAt: startedAt ?? at,
    endedAt: at,
  };
};

export const isTurnOfKeys = (text: string): boolean => text.startsWith('[keys]');

/** Returns the turn for the agent: `[keys] 1234`, or `[keys]` without digits. */
export const turnOfKeys = ({ wanted, keys }: CollectedKeys): string => {
  if (keys === '') return '[keys]';
  return wanted.secret ? secretKeys : `[keys] ${keys}`;
};
