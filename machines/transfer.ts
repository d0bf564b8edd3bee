/**
 * Transfers in the terms of a call and its conversation: the other party is connected with a person, and the agent
 * leaves the call at the connection (guides/transfer.md).
 */
import type { TransferMode, UnansweredCause } from './line.ts';

/**
 * Reason for a failed transfer. `cancelled`: the requester cancelled the transfer. `not_accepted`: the person who
 * answered did not press the digit that accepts the call.
 */
export type TransferFailure = UnansweredCause | 'not_accepted';

/** Continuation of the call after a failed transfer. */
export type OnTransferFailure = 'resume' | 'hang_up';

export type TransferRequest = {
  type: 'transfer.requested';
  transferId: string;
  /** Number of the person in domestic format. */
  to: string;
  mode: TransferMode;
  /** Announcement to the other party before the person is rung. */
  sentences: readonly string[];
  /** Briefing that the person of a warm transfer hears before the connection. */
  briefing: string;
  /** Digit by which the person accepts the call; null if acceptance is not required. */
  acceptKey: string | null;
  ringTimeoutSec: number;
  onFailure: OnTransferFailure;
  /** Whether a recorded call is still recorded after the connection. */
  isRecorded: boolean;
  /** Maximum duration of the conversation between the two persons. */
  maxDurationSec: number;
};

/**
 * A briefing that was written after the transfer began. This briefing replaces the earlier one if the person has not
 * answered yet.
 */
export type BriefingWritten = { type: 'transfer.briefing_written' } & Pick<
  TransferRequest,
  'transferId' | 'briefing'
>;

/** A transfer as an agent requests it in its reply. The charts do not decide whether the number allows the transfer. */
export type TransferWanted = Pick<TransferRequest, 'mode' | 'acceptKey' | 'ringTimeoutSec' | 'onFailure'> & {
  /** Number as the agent has written it. */
  to: string;
  /** Announcement to the other party before the person is rung; null for no announcement. */
  say: string | null;
  /** Briefing of the person of a warm transfer; null for a default briefing created from the call's data. */
  briefing: string | null;
  /** True if the other party requested the transfer; absent if the agent did. */
  forOtherParty?: true;
};

/** Creates a transfer that the other party requested (REFER). */
export const transferForOtherParty = (to: string): TransferWanted => ({
  to,
  mode: 'cold',
  say: null,
  briefing: null,
  acceptKey: null,
  ringTimeoutSec: 25,
  onFailure: 'resume',
  forOtherParty: true,
});

export type TransferWish = { type: 'transfer.wanted'; wanted: TransferWanted };

/** Reason why a transfer requested by the agent was refused. */
export type TransferRefusal = 'not_allowed' | 'invalid_number' | 'unavailable';

/**
 * A refused transfer, reported to the call. The call reports it to its conversation if the agent requested the
 * transfer. `to` is the number as requested.
 */
export type TransferRefused = {
  type: 'transfer.refused';
  reason: TransferRefusal;
  to: string;
  forOtherParty?: true;
};

/** A transfer in progress, or a connected one. */
export type Transfer = Omit<TransferRequest, 'type'> & {
  /** Reason of a pending cancellation; null if the transfer is not being cancelled. */
  givenUp: TransferFailure | null;
  /** Milliseconds for which the two persons had been connected when the call was taken over. */
  talkedMs: number;
};

/** Messages of a call to its conversation. */
export type TransferMessage =
  /** A transfer has started. The agent is silent until the next message. */
  | { type: 'transfer.begun'; sentences: readonly string[] }
  | { type: 'transfer.over'; reason: TransferFailure; to: string }
  /** The transfer was refused, and the agent continues. */
  | TransferRefused;

/** User turn that reports a failed transfer to the agent. */
export const failedTransferTurn = ({
  reason,
  to,
}: {
  reason: TransferFailure | TransferRefusal;
  to: string;
}): string =>
  `[transfer failed: ${reason}] The other party is still on the line. You speak first.\n[to] ${to}`;

/** The part of the call history (`reply.ts`) that shows failed transfers. */
export type History = readonly { role: string; content: string }[];

/** Returns the number of failed transfers since the last words of the other party. */
export const transfersInVain = (messages: History): number => {
  const heard = messages.filter(({ role }) => role === 'user');
  return heard.length - 1 - heard.findLastIndex(({ content }) => !content.startsWith('[transfer failed: '));
};

/** Message from the conversation to its call: the announcement before the transfer was heard. */
export type TransferAnnounced = { type: 'transfer.announced' };
