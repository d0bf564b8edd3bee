/** The last transfer of a call, as its row keeps it (guides/transfer.md). */
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

/** `call_ended`: the call was over before it was known who comes. */
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
  /** Domestic format. */
  to: string;
  mode: TransferMode;
  status: TransferStatus;
  /** Why it has failed. */
  reason: TransferReason | null;
  /** ISO 8601. */
  startedAt: string;
  connectedAt: string | null;
  /** What SIP said of the person's leg, where it has failed. */
  sip: SipDetails | null;
};

/** The part of a transfer that a fact changes in the call's row; all of it where it begins. */
export type TransferChange =
  CallTransfer | Partial<Pick<CallTransfer, 'status' | 'reason' | 'connectedAt' | 'sip'>>;

/** Those of which nothing has become yet. */
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
    // call.transfer_returned, the only one that is left.
    default:
      return { status: 'returned' };
  }
};

export const endedBeforeTransfer: TransferChange = { status: 'failed', reason: 'call_ended' };
