/**
 * Transfers the other party of a call to a person (guides/transfer.md): permitted targets, and the states in which a
 * transfer is possible.
 */
import { randomUUID } from 'node:crypto';
import type { TransferRequest } from '#machines/transfer.ts';
import type { CallOfNumber } from '#src/domain/in-call-request.ts';
import type { Country } from '#src/domain/phone-number.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { mayBeTransferredTo } from '#src/domain/transfer-targets.ts';
import { findCall } from '#src/persistence/calls/calls.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { transferPolicyOf } from '#src/persistence/numbers/numbers.ts';
import { transcriptOf } from '#src/persistence/calls/transcripts.ts';
import type { CallParts } from '../call-parts.ts';
import type { CallActor } from '../live/switchboard.ts';
import { briefingOf } from './briefing.ts';
import type { InCallRequests } from './in-call-requests.ts';

/** Transfers a call of this gateway. */
export const transfer = (actor: CallActor, request: TransferRequest, admit: () => void): void => {
  const snapshot = actor.getSnapshot();
  if (snapshot.hasTag('taken-over'))
    throw new Refusal('room_unknown', 'The call is just being taken over; try once more.');
  if (snapshot.matches({ active: 'bridged' }))
    throw new Refusal('transfer_in_progress', 'The other party talks with a person already.');
  if (snapshot.hasTag('transferring'))
    throw new Refusal('transfer_in_progress', 'Somebody is rung for this call already.');
  if (snapshot.hasTag('consenting'))
    throw new Refusal('call_not_active', 'The other party has not agreed to the call yet.');
  if (!snapshot.matches({ active: { talking: 'conversing' } }))
    throw new Refusal('call_not_active', 'The agent does not talk with the other party any more.');
  const { from, to } = snapshot.context.input;
  if (request.to === from || request.to === to)
    throw new Refusal(
      'transfer_not_allowed',
      'This is a number of the call itself: its other party is busy, and its own number would answer with the agent.',
    );
  admit();
  actor.send(request);
};

/** Cancels the transfer of a call of this gateway. A connected transfer can no longer be cancelled. */
export const cancelTransfer = (actor: CallActor): void => {
  const snapshot = actor.getSnapshot();
  if (snapshot.matches({ active: 'bridged' }))
    throw new Refusal('call_not_active', 'The other party talks with the person already.');
  if (snapshot.matches({ active: { talking: { transferring: 'referring' } } }))
    throw new Refusal(
      'transfer_not_cancellable',
      'The trunk was asked to call the person itself (REFER), and nobody can take that back.',
    );
  if (!snapshot.matches({ active: { talking: 'transferring' } }))
    throw new Refusal('call_not_active', 'Nobody is being rung for this call.');
  actor.send({ type: 'transfer.taken_back' });
};

export type RequestedTransfer = CallOfNumber &
  Pick<TransferRequest, 'to' | 'mode' | 'acceptKey' | 'ringTimeoutSec' | 'onFailure'> & {
    country: Country;
    /** Words for the other party before the target is dialled; null for silence. */
    say: string | null;
    /** Briefing for the target of a warm transfer; null for a briefing derived from the call. */
    briefing: string | null;
  };

export type TransferRequests = {
  /**
   * Dials the target of a transfer. Resolves to the id of the transfer. Rejects with `transfer_not_allowed`,
   * `transfer_in_progress`, `call_not_found`, `call_not_active`, `room_unknown`, `queue_full`, `service_unavailable` or
   * `outcome_unknown`.
   */
  transfer(request: RequestedTransfer): Promise<string>;
  /**
   * Cancels a transfer. Rejects with `transfer_not_cancellable`, `call_not_found`, `call_not_active`, `room_unknown` or
   * `service_unavailable`.
   */
  cancelTransfer(request: CallOfNumber): Promise<void>;
};

/** Adds the default briefing. A call of another number is refused by a later check. */
const briefed = async (
  database: Database,
  { callId, numberId, mode, briefing: given, acceptKey }: RequestedTransfer,
): Promise<string> => {
  if (mode === 'cold') return '';
  const call = await findCall(database, { callId, numberId });
  if (call === undefined) return '';
  const turns = given === null ? await transcriptOf(database, callId) : [];
  return briefingOf({ language: call.language, given, acceptKey, turns });
};

export const createTransferRequests = (
  requests: InCallRequests,
  { storage: { database }, agents: { sentencesOf } }: CallParts,
): TransferRequests => ({
  async transfer(asked) {
    const { callId, numberId, to, mode, acceptKey, ringTimeoutSec, onFailure, country, say } = asked;
    const { targets, recordTransfers, transferMaxDurationSec } = await transferPolicyOf(database, numberId);
    if (!mayBeTransferredTo(to, targets, country))
      throw new Refusal(
        'transfer_not_allowed',
        'Calls of this number may not be transferred there; its setting transfer_to says where they may be.',
      );
    const transferId = randomUUID();
    await requests.send({
      action: 'transfer',
      callId,
      numberId,
      transferId,
      to,
      mode,
      sentences: say === null ? [] : sentencesOf(say),
      briefing: await briefed(database, asked),
      summarize: mode === 'warm' && asked.briefing === null,
      acceptKey: mode === 'warm' ? acceptKey : null,
      ringTimeoutSec,
      onFailure,
      isRecorded: recordTransfers,
      maxDurationSec: transferMaxDurationSec,
    });
    return transferId;
  },
  cancelTransfer: ({ callId, numberId }) => requests.send({ callId, numberId, action: 'cancel_transfer' }),
});
