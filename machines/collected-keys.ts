/** Keys of the telephone that the agent wants from the other party, to hear them as one turn. */

export type KeysWanted = {
  /** So many are all; null for as many as come. */
  digits: number | null;
  /** The key that says that these were all, and is none of them; null for none. */
  finish: string | null;
  /** So long is waited for the first key, and for each next one, while the floor is free. */
  timeoutSec: number;
  /** Nobody but the agent is to know them. */
  secret: boolean;
};

export type CollectRequest = { type: 'collect.requested'; wanted: KeysWanted };

/**
 * The agent is about to ask for secret keys: those that come before it was heard whole are a secret as well, though
 * they are none of those that it gets. Or it is not, for it was interrupted.
 */
export type SecretNotice = { type: 'secret.awaited'; wanted: KeysWanted } | { type: 'secret.dropped' };

/** Of secret keys each is a dot here: what they are is told to nobody who looks on (`src/calls/live/secret-keys.ts`). */
export type CollectedKeys = {
  wanted: KeysWanted;
  keys: string;
  /** Whether nothing more is waited for. */
  areAll: boolean;
  /** Of the first key, and of the last; null before. */
  startedAt: number | null;
  endedAt: number | null;
};

/** Stands for a secret key, and for all of them in a turn. */
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

/** The turn that the agent hears: `[keys] 1234`, or `[keys]` where none was pressed. */
export const turnOfKeys = ({ wanted, keys }: CollectedKeys): string => {
  if (keys === '') return '[keys]';
  return wanted.secret ? secretKeys : `[keys] ${keys}`;
};
