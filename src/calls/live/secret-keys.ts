/**
 * Values of DTMF digits that the agent requested as secret. The values are kept in memory while the call runs here, and
 * are passed only to the agent. The call, and with it the journal, transcript and observers, receives a dot for each
 * digit. Digits after secret ones stay hidden until other digits are requested, because a party that presses too many
 * digits, or presses too late, is still entering the secret.
 */
import { secretKey, secretKeys as turnOfSecrets } from '#machines/collected-keys.ts';
import type { Message } from '#machines/reply.ts';

export type SecretKeys = {
  /** Continues with a call of another process. The secret digits of the call's earlier turns are unknown. */
  begin(callId: string, history: readonly Message[]): void;
  /** Treats later digits as secret, except the finish key. Pending digits are dropped. */
  hide(callId: string, finish: string | null): void;
  /**
   * Called when the collected digits became a turn of the history. Digits that follow are hidden and become part of no
   * turn.
   */
  keep(callId: string): void;
  /** Drops the collected digits. Digits that follow are hidden and become part of no turn. */
  forget(callId: string): void;
  /** Treats later digits as not secret. */
  show(callId: string): void;
  /** Records a pressed digit; returns the character that the call receives. */
  press(callId: string, digit: string): string;
  /** Returns the history of the call for the agent, with the secret values. */
  reveal(callId: string, messages: readonly Message[]): readonly Message[];
  release(callId: string): void;
};

/** Treatment of new digits. `wanted` digits become a turn, without the `finish` key. */
type Taking = { as: 'shown' } | { as: 'hidden' } | { as: 'wanted'; finish: string | null; keys: string };

/**
 * Secret digits of a call. `known` contains the digits of each secret turn, in order; null for a turn of another
 * process.
 */
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
      // A turn without digits contains no secret.
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
      // The reply is requested at the moment at which the last digits become a turn, so these digits are added here.
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
