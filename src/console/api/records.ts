/** API response types, limited to the fields that the console shows. */
import type {
  CallEvent as AnyCallEvent,
  PhoneNumber,
  RehearsalResults,
  ReplayStep,
  WorkspaceCall as Call,
} from '#src/client/client.ts';
import type { LineChartStates } from '#src/domain/chart-name.ts';

export type { Call };

export type {
  AdminToken,
  AgentBinding,
  AgentExchange,
  AgentTrial,
  AuditEntry,
  Delivery,
  Fleet,
  FleetCounts,
  Gateway,
  LatencyReport,
  LatencySummary,
  ListedCallee,
  Overview,
  PhoneNumber,
  Rehearsal,
  RehearsalResults,
  ReplayStep,
  SipLadder,
  SipMessage,
  Trunk,
  TrunkStatistics,
  TrunkCheckStep,
  TranscriptTurn as Turn,
  Usage,
  Webhook,
  Workspace,
  WorkspaceCallListItem as CallListItem,
  WorkspaceCallPage as CallListPage,
} from '#src/client/client.ts';

export type RehearsedCase = RehearsalResults['results'][number];

export type RehearsedCall = RehearsedCase['runs'][number];

export type ChartCoverage = RehearsalResults['coverage'][number];

export type Direction = Call['direction'];

export type Transfer = NonNullable<Call['transfer']>;

/** Reason why a transfer connected no person. */
export type TransferReason = NonNullable<Transfer['reason']>;

/** One journal entry of a call, with the data fields that the console reads. */
export type CallEvent = AnyCallEvent & {
  data: {
    /** Index of the turn in the transcript; only in `turn.spoken`. */
    turn?: number;
    role?: 'assistant' | 'user';
    text?: string;
    /** Whether the turn was played to its end. */
    whole?: boolean;
    latency?: Latency;
    digit?: string;
    keys?: string;
    /** Target of the transfer; only in `call.transfer_requested`. */
    to?: string;
    /** Reason of the failure; only in `call.transfer_failed`. */
    reason?: TransferReason;
  };
};

/**
 * Latencies in milliseconds: from the end of the other party's speech to the end of its turn, from then to the request
 * for the reply, and the others from the request.
 */
export type Latency = {
  endpointing_ms?: number;
  queued_ms?: number;
  first_token_ms?: number;
  first_sentence_ms?: number;
  first_audio_ms?: number;
};

/** Current states of a call's charts, as dotted paths. */
export type ChartState = Pick<ReplayStep, 'call' | 'conversation' | 'voicemail'> & LineChartStates;

/** Call policy of a number. A null field inherits the workspace's value, or else the platform's. */
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
