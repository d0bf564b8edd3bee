/** The last transfer of a call, as stored in its row (guides/transfer.md). */
import type { CallFact } from '#machines/facts.ts';
import type { SipDetails, TransferMode } from '#machines/line.ts';

export const transferStatuses = [
  'requested',
  'ringing',
  'briefing',
  'connected',
  'failed',
  'returned',
] as const;

export type TransferStatus = (typeof transferStatuses)[number];

/** `call_ended`: the call ended before the transfer was decided. */
export const transferReasons = [
  'no_answer',
  'busy',
  'declined',
  'cancelled',
  'invalid_number',
  'trunk_error',
  'media_error',
  'not_accepted',
  'call_ended',
] as const;

export type TransferReason = (typeof transferReasons)[number];

export type CallTransfer = {
  id: string;
  /** Number of the person in domestic format. */
  to: string;
  mode: TransferMode;
  status: TransferStatus;
  /** Reason for a failed transfer. */
  reason: TransferReason | null;
  /** Time at which the transfer began, in ISO 8601. */
  startedAt: string;
  connectedAt: string | null;
  /** SIP details of the person's leg, if the transfer failed. */
  sip: SipDetails | null;
};

/** Changes that a fact makes to a transfer. The first fact of a transfer sets all fields. */
export type TransferChange =
  | CallTransfer
  | Partial<Pick<CallTransfer, 'status' | 'reason' | 'connectedAt' | 'sip'>>;

/** States of a transfer in progress. */
export const openTransferStatuses: readonly TransferStatus[] = ['requested', 'ringing', 'briefing'];

type TransferFact = Extract<CallFact, { type: `call.transfer_${string}` }> & { at: number };

export const transferChange = (fact: TransferFact): TransferChange => {
  const at = new Date(fact.at).toISOString();
  switch (fact.type) {
    case 'call.transfer_requested': {
      const { transferId: id, to, mode } = fact;
      const nothingYet = { reason: null, connectedAt: null, sip: null };
      const status = fact.announced === true ? 'requested' : 'ringing';
      return { id, to, mode, status, startedAt: at, ...nothingYet };
    }
    case 'call.transfer_ringing':
      return { status: 'ringing' };
    case 'call.transfer_answered':
      return { status: 'briefing' };
    case 'call.transfer_connected':
      return { status: 'connected', connectedAt: at };
    case 'call.transfer_failed':
      return { status: 'failed', reason: fact.reason, sip: fact.sip ?? null };
    // The only remaining case is `call.transfer_returned`.
    default:
      return { status: 'returned' };
  }
};

export const endedBeforeTransfer: TransferChange = { status: 'failed', reason: 'call_ended' };
