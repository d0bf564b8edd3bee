/** A call that is replayed: a stored one, or a file. */
import type { Call, ReplayStep, SipMessage, Turn } from '../api/records.ts';

export type LoadedCall = {
  source: { is: 'stored' } | { is: 'file'; name: string; masked: boolean };
  call: Pick<
    Call,
    'id' | 'direction' | 'counterparty' | 'status' | 'end_reason' | 'language' | 'started_at' | 'answered_at'
  >;
  steps: readonly ReplayStep[];
  turns: readonly Pick<Turn, 'sequence' | 'role' | 'text' | 't_offset_sec'>[];
  sip: readonly SipMessage[];
  /** The recording of a file; null without one. That of a stored call is played on the call's own page. */
  audio: Blob | null;
};
