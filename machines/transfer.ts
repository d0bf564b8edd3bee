/**
 * Transfers, as a call and its conversation speak of them: the other party is handed to a person, and the agent is out
 * from when both are connected (guides/transfer.md).
 */
import type { TransferMode, UnansweredCause } from './line.ts';

/**
 * Why nobody was connected; `cancelled` where whoever had asked for it took it back, `not_accepted` where the person who
 * answered has not pressed the key that takes the call.
 */
export type TransferFailure = UnansweredCause | 'not_accepted';

/** The fate of the call when nobody was connected. */
export type OnTransferFailure = 'resume' | 'hang_up';

export type TransferRequest = {
  type: 'transfer.requested';
  transferId: string;
  /** Domestic format. */
  to: string;
  mode: TransferMode;
  /** Said to the other party before the person is rung. */
  sentences: readonly string[];
  /** Said to the person of a warm transfer before they are connected. */
  briefing: string;
  /** The key by which that person takes the call; null where none is asked for. */
  acceptKey: string | null;
  ringTimeoutSec: number;
  onFailure: OnTransferFailure;
  /** Whether a recorded call is recorded from when they are connected. */
  isRecorded: boolean;
  /** How long the other party and the person may talk with each other. */
  maxDurationSec: number;
};

/** A better briefing for a transfer under way. It is heard where the person has not picked up yet. */
export type BriefingWritten = { type: 'transfer.briefing_written' } & Pick<
  TransferRequest,
  'transferId' | 'briefing'
>;

/** A transfer as an agent wrote it in its reply. Whether the number allows it is known outside of the charts. */
export type TransferWanted = Pick<TransferRequest, 'mode' | 'acceptKey' | 'ringTimeoutSec' | 'onFailure'> & {
  /** As it was written. */
  to: string;
  /** To the other party, before the person is rung; null for nothing. */
  say: string | null;
  /** To the person of a warm transfer; null for what is known of the call. */
  briefing: string | null;
  /** The other party asks for it, not the agent. */
  forOtherParty?: true;
};

/** A transfer as the other party asks for it (REFER). */
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

/** Why nobody was rung whom the agent wanted to be rung. */
export type TransferRefusal = 'not_allowed' | 'invalid_number' | 'unavailable';

/** To the call, and from it to its conversation where the agent wanted it. `to` is as it was wanted. */
export type TransferRefused = {
  type: 'transfer.refused';
  reason: TransferRefusal;
  to: string;
  forOtherParty?: true;
};

/** A transfer that is under way, or has come about. */
export type Transfer = Omit<TransferRequest, 'type'> & {
  /** Why it is being given up; null where it is not. */
  givenUp: TransferFailure | null;
  /** Milliseconds for which they had talked when this gateway took the call over. */
  talkedMs: number;
};

/** Messages of a call to its conversation. */
export type TransferMessage =
  /** Somebody is rung for the other party: the agent says nothing until it is told more. */
  | { type: 'transfer.begun'; sentences: readonly string[] }
  | { type: 'transfer.over'; reason: TransferFailure; to: string }
  /** Nobody is rung; whatever the agent says goes on. */
  | TransferRefused;

/** The turn of the agent's partner in which it learns that nobody was connected. */
export const failedTransferTurn = ({
  reason,
  to,
}: {
  reason: TransferFailure | TransferRefusal;
  to: string;
}): string =>
  `[transfer failed: ${reason}] The other party is still on the line. You speak first.\n[to] ${to}`;

/** Of the history of a call (`reply.ts`), what tells whether a transfer has failed. */
export type History = readonly { role: string; content: string }[];

/** Transfers that came to nothing since the other party has said something. */
export const transfersInVain = (messages: History): number => {
  const heard = messages.filter(({ role }) => role === 'user');
  return heard.length - 1 - heard.findLastIndex(({ content }) => !content.startsWith('[transfer failed: '));
};

/** The conversation to its call: what the other party was to be told before the person is rung has been heard. */
export type TransferAnnounced = { type: 'transfer.announced' };
