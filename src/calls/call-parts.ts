/** Declares which other parts of the gateway the calls use. `createCallControl` takes these parts. */
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
import type { CallRate } from './setup/call-rate.ts';
import type { LoadShedding } from './setup/load-shedding.ts';
import type { SummarizeSoFar } from './summaries/summaries.ts';

export type CallParts = {
  storage: { database: Database; sealing: Sealing };
  /** Calls in progress on this gateway. */
  live: {
    bus: CallBus;
    journal: Journal;
    liveCalls: LiveCalls;
    switchboard: Switchboard;
    /** Stores the data from which another process could resume the call, until the call is released. */
    keepSettings: KeepSettings;
  };
  agents: {
    /** Stores the agent of a call, with its operations on the call, until the call is released. */
    keepAgent: (callId: string, agentCall: AgentCall, workspaceId: string, own: OwnCall) => void;
    handshake: AuthenticateCaller;
    sentencesOf: SentencesOf;
    /** Summarizes a call so far; null without a language model. */
    summarizeSoFar: SummarizeSoFar | null;
  };
  cluster: {
    /** Name of this gateway among those that share the database. */
    node: string;
    askNode: AskNode;
    counting: CallCounting;
    /** Maximum wait for a call that another gateway is taking over, and the interval between two checks. */
    underway: { forMs: number; lookMs: number };
  };
  telephony: {
    /** Whether this gateway is configured with telephone lines. */
    hasLines: boolean;
    /** Headers of the gateway's own trunk; null without such a trunk. */
    configuredHeaders: TrunkHeaders | null;
    country: Country;
  };
  limits: CallLimits;
  times: CallTimes;
  /** Monotonic clock. */
  clock: Clock;
  /** Returns wall-clock milliseconds since the epoch. */
  now: () => number;
  logger: Logger;
};

export type CallLimits = {
  admission: AdmissionLimits;
  load: Pick<LoadShedding, 'pressure' | 'share'> & Pick<CallRate, 'hasRoom' | 'take'>;
  platformPolicy: PolicySettings;
  /** Maximum number of calls in progress over all numbers of a workspace that has no maximum of its own. */
  maxCallsInProgress: number;
  /** Daily minutes of outbound calls for a workspace that has no limit of its own; null for no limit. */
  platformDailyMinutes: number | null;
  /** Called when the daily minutes are nearly used up, and when a call is refused because they are used up. */
  onDailyNotice: (notice: DailyNotice) => void;
  queues: QueueLimits;
};

export type AdmissionLimits = {
  /** Maximum number of calls in progress on this gateway. */
  maxCalls: number;
  /** Maximum number of calls in setup; more calls would only wait for the database. */
  maxBeginning: number;
};

export type QueueLimits = {
  /** Number of the call's facts that wait for the database. */
  facts: number;
  /** Milliseconds until the pending DTMF digits are sent, excluding those of the last request. */
  digitsMs: number;
  /** Number of failed transfers since the other party last spoke. Each failed transfer sends a message to the agent. */
  transfersInVain: number;
};

export type CallTimes = { farewellWaitMs: number; hangUpTimeoutMs: number; adoptTimeoutMs: number };

/** Stores settings and agent credentials of a call for the checkpoint that is written with its answer. */
export type KeepSettings = (
  callId: string,
  beginning: CallSettings,
  secrets: Pick<AgentCall, 'bearerToken' | 'headers'>,
) => void;

/** Result of the handshake: whether the caller is accepted, and the token for the agent. */
export type AuthenticateCaller = (request: {
  workspaceId: string;
  url: string;
  secret: string;
  context: AgentContext;
}) => Promise<HandshakeResult>;

/** Returns the speakable sentences of a text; empty if the text contains only markup. */
export type SentencesOf = (text: string) => readonly string[];

/**
 * Forwards a request to the gateway of this name. Rejects with the refusal of that gateway, or with another error if the
 * gateway does not answer; the request may then have been performed, unless it is a `NodeUnreachable` with `isWithdrawn`.
 */
export type AskNode = (node: string, request: InCallRequest) => Promise<void>;

/** Whether calls in progress are counted on this gateway only, or across several. */
export type CallCounting = {
  /**
   * Begins counting a call on this gateway only. Returns the function to call when the call is stored; null while other
   * gateways exist, because they could not count the call.
   */
  alone: () => (() => void) | null;
  /** Stores a call and counts it across gateways. */
  store: (counted: CountedCall) => Promise<CountedOutcome>;
};
