/** The other parts of the gateway as its calls use them; `createCallControl` takes them. */
import type { Logger } from 'pino';
import type { AgentCall, HandshakeResult } from '#src/domain/agent-call.ts';
import type { AgentContext } from '#src/domain/agent-context.ts';
import type { PolicySettings } from '#src/domain/call-policy.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { InCallRequest } from '#src/domain/in-call-request.ts';
import type { OwnCall } from '#src/domain/own-call.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { CallSettings } from '#src/persistence/calls/call-checkpoints.ts';
import type { CountedCall, CountedOutcome } from '#src/persistence/calls/counted-creation.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import type { TrunkHeaders } from '#src/persistence/trunks/trunks.ts';
import type { CallBus } from './call-bus.ts';
import type { Journal } from './journal/journal.ts';
import type { LiveCalls } from './live/live-calls.ts';
import type { Switchboard } from './live/switchboard.ts';
import type { DailyNotice } from './setup/daily-minutes.ts';
import type { LoadShedding } from './setup/load-shedding.ts';
import type { SummarizeSoFar } from './summaries/summaries.ts';

export type CallParts = {
  storage: { database: Database; sealing: Pick<Sealing, 'open'> };
  /** Calls in progress on this gateway. */
  live: {
    bus: CallBus;
    journal: Journal;
    liveCalls: LiveCalls;
    switchboard: Switchboard;
    /** Keeps the resume data of a call for another process until the call is released. */
    keepSettings: KeepSettings;
  };
  agents: {
    /** Keeps the agent of a call, with its operations on the call, until the call is released. */
    keepAgent: (callId: string, agentCall: AgentCall, workspaceId: string, own: OwnCall) => void;
    handshake: AuthenticateCaller;
    sentencesOf: SentencesOf;
    /** Null without a language model. */
    summarizeSoFar: SummarizeSoFar | null;
  };
  cluster: {
    /** The name of this gateway among those that share the database. */
    node: string;
    askNode: AskNode;
    counting: CallCounting;
    /** Maximum wait for a call that another gateway is taking over, and the polling interval. */
    underway: { forMs: number; lookMs: number };
  };
  telephony: {
    /** Whether this gateway is configured with telephone lines. */
    hasLines: boolean;
    /** Headers of the gateway's own trunk; null if there is none. */
    configuredHeaders: TrunkHeaders | null;
    country: Country;
  };
  limits: CallLimits;
  times: CallTimes;
  /** Monotonic clock. */
  clock: Clock;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  logger: Logger;
};

export type CallLimits = {
  admission: AdmissionLimits;
  load: Pick<LoadShedding, 'pressure'>;
  platformPolicy: PolicySettings;
  /** Maximum over all numbers of a workspace without its own maximum. */
  maxCallsInProgress: number;
  /** Daily minutes of outbound calls for a workspace without its own limit; null for no limit. */
  platformDailyMinutes: number | null;
  /** Called when the daily minutes are nearly used up, and when a call is refused for that reason. */
  onDailyNotice: (notice: DailyNotice) => void;
  queues: QueueLimits;
};

export type AdmissionLimits = {
  /** Calls in progress on this gateway. */
  maxCalls: number;
  /** Maximum of calls that begin at once: more would only wait for the database. */
  maxBeginning: number;
};

export type QueueLimits = {
  /** Facts of the call that wait for the database. */
  facts: number;
  /** Milliseconds until pending DTMF digits are sent, without the last request. */
  digitsMs: number;
  /** Failed transfers since the other party last spoke: each sends a message to the agent. */
  transfersInVain: number;
};

export type CallTimes = { farewellWaitMs: number; hangUpTimeoutMs: number; adoptTimeoutMs: number };

/** Keeps the settings of a call and the credentials of its agent for the checkpoint that is stored with its answer. */
export type KeepSettings = (
  callId: string,
  beginning: CallSettings,
  secrets: Pick<AgentCall, 'bearerToken' | 'headers'>,
) => void;

/** Whether a caller may reach a number, and the token for its agent. */
export type AuthenticateCaller = (request: {
  workspaceId: string;
  url: string;
  secret: string;
  context: AgentContext;
}) => Promise<HandshakeResult>;

/** Returns the speakable sentences of a text; empty for a text of marks only. */
export type SentencesOf = (text: string) => readonly string[];

/** Forwards a request to the gateway of this name. Rejects with its refusal, or if it is unreachable. */
export type AskNode = (node: string, request: InCallRequest) => Promise<void>;

/** Whether calls in progress are counted on this gateway only, or across several. */
export type CallCounting = {
  /**
   * Null while there are other gateways. Until the returned function is called, a call is being stored that they cannot
   * count.
   */
  alone: () => (() => void) | null;
  /** Stores a call and counts it across gateways. */
  store: (counted: CountedCall) => Promise<CountedOutcome>;
};
