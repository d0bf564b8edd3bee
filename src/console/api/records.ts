/** Answers of the API, as far as the console shows them. */
import type {
  CallEvent as AnyCallEvent,
  PhoneNumber,
  ReplayStep,
  WorkspaceCall as Call,
} from '#src/client/client.ts';

export type { Call };

export type {
  AdminToken,
  AgentBinding,
  AgentExchange,
  AgentTrial,
  AuditEntry,
  Delivery,
  Gateway,
  Overview,
  PhoneNumber,
  ReplayStep,
  SipLadder,
  SipMessage,
  Trunk,
  TrunkFigures,
  TrunkCheckStep,
  TranscriptTurn as Turn,
  Usage,
  Webhook,
  Workspace,
  WorkspaceCallListItem as CallListItem,
  WorkspaceCallPage as CallListPage,
} from '#src/client/client.ts';

export type Direction = Call['direction'];

export type Transfer = NonNullable<Call['transfer']>;

/** Why nobody was connected. */
export type TransferReason = NonNullable<Transfer['reason']>;

/** One fact of the journal of a call, with what the console reads of it. */
export type CallEvent = AnyCallEvent & {
  data: {
    /** Of `turn.spoken`: its sequence in the transcript. */
    turn?: number;
    role?: 'assistant' | 'user';
    text?: string;
    /** Whether it was heard to its end. */
    whole?: boolean;
    latency?: Latency;
    digit?: string;
    keys?: string;
    /** Of `call.transfer_requested`. */
    to?: string;
    /** Of `call.transfer_failed`. */
    reason?: TransferReason;
  };
};

/** Milliseconds; but for the first, counted from the words of the other party on. */
export type Latency = {
  endpointing_ms?: number;
  first_token_ms?: number;
  first_sentence_ms?: number;
  first_audio_ms?: number;
};

/** Where the charts of a call are, as dotted paths. */
export type ChartState = Pick<ReplayStep, 'call' | 'conversation' | 'voicemail'>;

/** Null falls back to what is below: the workspace's, then the platform's. */
export type CallPolicy = Pick<
  PhoneNumber,
  | 'max_duration_sec'
  | 'default_duration_sec'
  | 'silence_timeout_sec'
  | 'ring_timeout_sec'
  | 'max_concurrent_calls'
  | 'recording_enabled'
  | 'barge_in'
  | 'turn_end'
  | 'retention_days'
  | 'consent'
  | 'destinations'
>;

export type Destinations = NonNullable<PhoneNumber['destinations']>;
