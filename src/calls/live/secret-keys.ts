/**
 * The keys that the other party presses where the agent has asked for secret ones. They are kept here, as long as the
 * call is held here, and are given to nobody but the agent: its call, and with that its journal, its transcript and
 * whoever looks on, get a dot for each. Keys that come behind secret ones are hidden too, until others are wanted: whoever
 * presses more keys than were wanted, or presses them too late, presses the rest of the secret.
 */
import { secretKey, secretKeys as turnOfSecrets } from '#machines/collected-keys.ts';
import type { Message } from '#machines/reply.ts';

export type SecretKeys = {
  /** A call that another process held goes on here; the secret keys of its history are known to nobody any more. */
  begin(callId: string, history: readonly Message[]): void;
  /** From now on keys are secret, but for the one that says that these were all. Those that wait are forgotten. */
  hide(callId: string, finish: string | null): void;
  /** Those that came are a turn of the history; those that follow are hidden and part of no turn. */
  keep(callId: string): void;
  /** Those that came are part of no turn, nor are those that follow, which are hidden. */
  forget(callId: string): void;
  /** Keys are no secret any more. */
  show(callId: string): void;
  /** A key was pressed: what its call is told of it. */
  press(callId: string, digit: string): string;
  /** The history of the call as the agent is to get it. */
  reveal(callId: string, messages: readonly Message[]): readonly Message[];
  release(callId: string): void;
};

/** How keys that come now are taken: `wanted` ones become a turn, of which `finish` is no part. */
type Taking = { as: 'shown' } | { as: 'hidden' } | { as: 'wanted'; finish: string | null; keys: string };

/** `known`: of each turn of secret keys, in order; null for one of another process. */
type Keys = { known: (string | null)[]; taking: Taking };

const isOfSecrets = ({ role, content }: Message): boolean => role === 'user' && content === turnOfSecrets;

export const createSecretKeys = (): SecretKeys => {
  const calls = new Map<string, Keys>();

  const take = (callId: string, taking: Taking): void => {
    calls.set(callId, { known: calls.get(callId)?.known ?? [], taking });
  };

  return {
    begin(callId, history) {
      const known = history.filter(isOfSecrets).map(() => null);
      if (known.length > 0) calls.set(callId, { known, taking: { as: 'shown' } });
    },
    hide: (callId, finish) => take(callId, { as: 'wanted', finish, keys: '' }),
    keep(callId) {
      const call = calls.get(callId);
      // A turn without a key is no secret.
      if (call?.taking.as === 'wanted' && call.taking.keys !== '') call.known.push(call.taking.keys);
      take(callId, { as: 'hidden' });
    },
    forget: (callId) => take(callId, { as: 'hidden' }),
    show(callId) {
      if (calls.has(callId)) take(callId, { as: 'shown' });
    },
    press(callId, digit) {
      const taking = calls.get(callId)?.taking ?? { as: 'shown' };
      if (taking.as === 'shown') return digit;
      if (taking.as === 'wanted') {
        if (digit === taking.finish) return digit;
        taking.keys += digit;
      }
      return secretKey;
    },
    reveal(callId, messages) {
      const call = calls.get(callId);
      if (call === undefined) return messages;
      // A reply is asked for in the moment in which the last ones become a turn.
      const coming = call.taking.as === 'wanted' ? call.taking.keys : '';
      const known = coming === '' ? [...call.known] : [...call.known, coming];
      return messages.map((message) => {
        const keys = isOfSecrets(message) ? known.shift() : null;
        return keys ? { ...message, content: `[keys] ${keys}` } : message;
      });
    },
    release: (callId) => void calls.delete(callId),
  };
};
