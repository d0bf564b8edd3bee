/**
 * The keys that the other party presses where the agent has asked for secret ones. They are kept here, as long as the
 * call is held here, and are given to nobody but the agent: its call, and with that its journal, its transcript and
 * whoever looks on, get a dot for each.
 */
import { secretKey, secretKeys as turnOfSecrets } from '#machines/collected-keys.ts';
import type { Message } from '#machines/reply.ts';

export type SecretKeys = {
  /** A call that another process held goes on here; the secret keys of its history are known to nobody any more. */
  begin(callId: string, history: readonly Message[]): void;
  /** From now on keys are secret, but for the one that says that these were all. Those that wait are forgotten. */
  hide(callId: string, finish: string | null): void;
  /** Those that came are a turn of the history; those that follow are no secret. */
  keep(callId: string): void;
  /** Nobody gets those that came; those that follow are no secret. */
  forget(callId: string): void;
  /** A key was pressed: what its call is told of it. */
  press(callId: string, digit: string): string;
  /** The history of the call as the agent is to get it. */
  reveal(callId: string, messages: readonly Message[]): readonly Message[];
  release(callId: string): void;
};

/**
 * `known`: of each turn of secret keys, in order; null for one of another process. `hidden`: those that are coming now;
 * null while keys are no secret.
 */
type Keys = { known: (string | null)[]; hidden: { finish: string | null; keys: string } | null };

const isOfSecrets = ({ role, content }: Message): boolean => role === 'user' && content === turnOfSecrets;

export const createSecretKeys = (): SecretKeys => {
  const calls = new Map<string, Keys>();

  const forget = (callId: string): void => {
    const call = calls.get(callId);
    if (call !== undefined) call.hidden = null;
  };

  return {
    begin(callId, history) {
      const known = history.filter(isOfSecrets).map(() => null);
      if (known.length > 0) calls.set(callId, { known, hidden: null });
    },
    hide(callId, finish) {
      calls.set(callId, { known: calls.get(callId)?.known ?? [], hidden: { finish, keys: '' } });
    },
    keep(callId) {
      const call = calls.get(callId);
      // A turn without a key is no secret.
      if (call?.hidden?.keys) call.known.push(call.hidden.keys);
      forget(callId);
    },
    forget,
    press(callId, digit) {
      const hidden = calls.get(callId)?.hidden ?? null;
      if (hidden === null || digit === hidden.finish) return digit;
      hidden.keys += digit;
      return secretKey;
    },
    reveal(callId, messages) {
      const call = calls.get(callId);
      if (call === undefined) return messages;
      // A reply is asked for in the moment in which the last ones become a turn.
      const known = [...call.known, call.hidden?.keys ?? ''];
      return messages.map((message) => {
        const keys = isOfSecrets(message) ? known.shift() : null;
        return keys ? { ...message, content: `[keys] ${keys}` } : message;
      });
    },
    release: (callId) => void calls.delete(callId),
  };
};
