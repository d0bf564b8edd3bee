/**
 * Limits of pending requests in one call: texts to say, DTMF digits to send, facts to write and messages to the agent.
 * A client that sends requests faster than its call can process them is refused with `queue_full`, so that one call
 * cannot use up the gateway's memory. These limits never refuse a hang-up.
 */
import { charactersOf, mayWait, mostAsked } from '#machines/asked-words.ts';
import { transfersInVain } from '#machines/transfer.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { InCallRequest } from '#src/domain/in-call-request.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { QueueLimits } from '../call-parts.ts';
import type { Journal } from '../journal/journal.ts';
import type { CallActor } from '../live/switchboard.ts';

export type CallQueues = {
  /** Counts this request among the pending ones of the call. Throws `queue_full` at the limit. */
  admit(actor: CallActor, request: InCallRequest): void;
};

/** Duration of a digit with its pause, and of a `w`, in milliseconds. */
const digitMs = 260;
const pauseMs = 500;

const durationOf = (keys: string): number =>
  Array.from(keys).reduce((sum, key) => sum + (key === 'w' ? pauseMs : digitMs), 0);

const conversationOf = (actor: CallActor) => actor.getSnapshot().children.conversation?.getSnapshot().context;

export const createCallQueues = (options: {
  journal: Pick<Journal, 'waitingOf'>;
  limits: QueueLimits;
  clock: Clock;
}): CallQueues => {
  const { journal, limits, clock } = options;
  /** Time at which the last digit of each call will have been sent. */
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
