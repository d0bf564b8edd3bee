/** Words and DTMF digits that a program sends in the agent's place (guides/design/wire.md, "Acts in a call"). */
import type { KeysWanted } from '#machines/collected-keys.ts';
import type { CallCommand } from '#machines/call-context.ts';
import type { CallOfNumber } from '#src/domain/in-call-request.ts';
import type { PressKeys } from '#src/domain/own-call.ts';
import { invalidField, Refusal } from '#src/domain/refusal.ts';
import type { CallActor } from '../live/switchboard.ts';
import type { CallParts } from '../call-parts.ts';
import { notActive, type InCallRequests } from './in-call-requests.ts';

/** Throws unless both parties of a call of this gateway can talk. */
const requireTalking = (actor: CallActor): void => {
  const snapshot = actor.getSnapshot();
  // A call whose line is not connected is moving between gateways, so the request is retried.
  if (snapshot.hasTag('taken-over'))
    throw new Refusal('room_unknown', 'The call is just being taken over; try once more.');
  if (snapshot.matches({ active: 'bridged' }))
    throw new Refusal(
      'call_not_active',
      'The other party talks with a person to whom this call was transferred; the agent is out.',
    );
  if (!snapshot.hasTag('talking'))
    throw new Refusal('call_not_active', 'This call is being ended; nothing more is said in it.');
  if (snapshot.matches({ active: { talking: 'leaving-message' } }))
    throw new Refusal(
      'call_not_active',
      'A machine has answered this call, and a message is being left on it.',
    );
  if (snapshot.hasTag('consenting'))
    throw new Refusal('call_not_active', 'The other party has not agreed to the call yet.');
};

const speakFor = (
  actor: CallActor,
  request: Extract<CallCommand, { type: 'say.requested' | 'collect.requested' }>,
  admit: () => void,
): void => {
  requireTalking(actor);
  admit();
  actor.send(request);
};

/**
 * Sends DTMF digits in a call of this gateway. `admit` throws if too many requests are pending in the call, here and in
 * the other two functions.
 */
export const pressKeys = (actor: CallActor, keys: string, admit: () => void): void => {
  requireTalking(actor);
  if (!actor.getSnapshot().context.keys.canPress)
    throw new Refusal(
      'keys_not_available',
      'The other party takes keys neither as telephone events (RFC 4733) nor by INFO; none was pressed.',
    );
  admit();
  actor.send({ type: 'keys.requested', keys });
};

export const say = (
  actor: CallActor,
  { sentences, interrupt }: { sentences: readonly string[]; interrupt: boolean },
  admit: () => void,
): void => speakFor(actor, { type: 'say.requested', sentences, interrupt }, admit);

export const collectKeys = (actor: CallActor, wanted: KeysWanted, admit: () => void): void =>
  speakFor(actor, { type: 'collect.requested', wanted }, admit);

export type SpeakingRequests = {
  /**
   * Sends DTMF digits immediately. Rejects with `call_not_found`, `call_not_active`, `keys_not_available`,
   * `room_unknown`, `queue_full`, `service_unavailable` or `outcome_unknown`.
   */
  pressKeys(request: CallOfNumber & { keys: string }): Promise<void>;
  /**
   * Speaks words as soon as the floor is free, or, with `interrupt`, in place of the agent's current speech or pending
   * reply. Rejects like `pressKeys`, and with `invalid_request` for a text without speakable words.
   */
  say(request: CallOfNumber & { text: string; interrupt: boolean }): Promise<void>;
  /** Collects the other party's DTMF digits and passes them to the agent as one turn. Rejects like `pressKeys`. */
  collectKeys(request: CallOfNumber & { wanted: KeysWanted }): Promise<void>;
  /** Sends DTMF digits for the built-in agent's own call. */
  pressOwnKeys: PressKeys;
};

export const createSpeakingRequests = (
  requests: InCallRequests,
  { live: { liveCalls }, agents: { sentencesOf } }: CallParts,
): SpeakingRequests => {
  const press: SpeakingRequests['pressKeys'] = (request) =>
    requests.send({ ...request, action: 'press_keys' });
  return {
    pressKeys: press,
    async say({ text, ...request }) {
      const sentences = sentencesOf(text);
      if (sentences.length === 0)
        throw invalidField({ path: 'text', message: 'Nothing of it can be spoken.' });
      await requests.send({ ...request, action: 'say', sentences });
    },
    collectKeys: (request) => requests.send({ ...request, action: 'collect' }),
    async pressOwnKeys(callId, keys) {
      const numberId = liveCalls.get(callId)?.numberId;
      if (numberId === undefined) throw notActive();
      await press({ callId, numberId, keys });
    },
  };
};
