/**
 * Limits of what requests may leave waiting in one call: words to be said, DTMF digits to be sent, facts to be written
 * and messages to the agent. A client that asks faster than its call can act is refused with `queue_full`, so that one
 * call cannot use up the memory of all. A hang-up is never refused for this.
 */
import { charactersOf, mayWait, mostAsked } from '#machines/asked-words.ts';
import { transfersInVain } from '#machines/transfer.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { InCallRequest } from '#src/domain/in-call-request.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { Journal } from '../journal/journal.ts';
import type { CallActor } from '../live/switchboard.ts';

export type QueueLimits = {
  /** Facts of the call that wait for the database. */
  facts: number;
  /** Milliseconds that the DTMF digits before the last request take. */
  digitsMs: number;
  /** Transfers that came to nothing since the other party last spoke: the agent is sent a message for each. */
  transfersInVain: number;
};

export type CallQueues = {
  /** Counts this request among those that wait in the call. Throws `queue_full` where there is no room for it. */
  admit(actor: CallActor, request: InCallRequest): void;
};

/** Of a digit with the pause behind it, and of `w`. */
const digitMs = 260;
const pauseMs = 500;

const durationOf = (keys: string): number =>
  Array.from(keys).reduce((sum, key) => sum + (key === 'w' ? pauseMs : digitMs), 0);

const conversationOf = (actor: CallActor) => actor.getSnapshot().children.conversation?.getSnapshot().context;

export const createCallQueues = (options: {
  journal: Pick<Journal, 'waitingOf'>;
  limits: QueueLimits;
  clock: Pick<Clock, 'now'>;
}): CallQueues => {
  const { journal, limits, clock } = options;
  /** When the last digit of each call will have been sent. */
  const digitsUntil = new WeakMap<CallActor, number>();

  const admitDigits = (actor: CallActor, keys: string): void => {
    const now = clock.now();
    const from = Math.max(now, digitsUntil.get(actor) ?? now);
    const until = from + durationOf(keys);
    if (from > now && until - now > limits.digitsMs)
      throw new Refusal(
        'queue_full',
        `The digits that wait in this call take ${Math.ceil((from - now) / 1_000)} seconds to send; at most ${limits.digitsMs / 1_000} may wait. Try again when some have been sent.`,
      );
    digitsUntil.set(actor, until);
  };

  const checkWords = (actor: CallActor, sentences: readonly string[]): void => {
    const waiting = conversationOf(actor)?.asked ?? [];
    if (!mayWait(waiting, sentences))
      throw new Refusal(
        'queue_full',
        `${waiting.length} sentences with ${charactersOf(waiting)} characters wait to be said in this call; at most ${mostAsked.sentences} with ${mostAsked.characters} may. Try again when some have been said.`,
      );
  };

  const checkTransfers = (actor: CallActor): void => {
    if (transfersInVain(conversationOf(actor)?.messages ?? []) >= limits.transfersInVain)
      throw new Refusal(
        'queue_full',
        `${limits.transfersInVain} transfers in a row came to nothing. Try again when the other party has said something.`,
      );
  };

  const checkFacts = (callId: string): void => {
    if (journal.waitingOf(callId) >= limits.facts)
      throw new Refusal(
        'queue_full',
        `${limits.facts} events of this call wait to be stored. Try again when some have been.`,
      );
  };

  return {
    admit(actor, request) {
      checkFacts(request.callId);
      if (request.action === 'say') checkWords(actor, request.sentences);
      if (request.action === 'transfer') checkTransfers(actor);
      if (request.action === 'press_keys') admitDigits(actor, request.keys);
    },
  };
};
