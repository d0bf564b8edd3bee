/**
 * Call control: all operations on calls (place, receive, hang up, cancel, send DTMF digits, say something, transfer,
 * pause the recording), and admission.
 */
import type { Logger } from 'pino';
import { effectivePolicy, type PolicySettings } from '#src/domain/call-policy.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { CallableNumber } from '#src/persistence/callable-numbers.ts';
import { findNumberByDigits } from '#src/persistence/callable-numbers.ts';
import type { Database } from '#src/persistence/database.ts';
import type { TrunkHeaders } from '#src/persistence/trunks.ts';
import type { Sealing } from '#src/persistence/sealing.ts';
import { createAdmission, type Admission, type AdmissionLimits } from './setup/admission.ts';
import type { LoadShedding } from './setup/load-shedding.ts';
import type { QueueLimits } from './in-call/call-queues.ts';
import {
  createInCallRequests,
  type AskNode,
  type InCallRequests,
  type InCallRequestsOptions,
} from './in-call/in-call-requests.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { OwnCall } from '#src/domain/own-call.ts';
import type { CallTimes } from './setup/call-input.ts';
import { createDailyMinutes, type DailyNotice } from './setup/daily-minutes.ts';
import type { CallObserver } from './observer.ts';
import type { PolicyOf } from './setup/open-number.ts';
import type { Beginnings } from './journal/beginnings.ts';
import type { Journal } from './journal/journal.ts';
import type { LiveCalls } from './live/live-calls.ts';
import { openNumber } from './setup/open-number.ts';
import { createRecordingRequests, type RecordingRequests } from './in-call/pause-recording.ts';
import { createWriteBriefing } from './in-call/summarized-briefing.ts';
import type { SummarizeSoFar } from './summaries/summaries.ts';
import { createPerformRequest } from './in-call/perform-request.ts';
import { createPlaceCall, type PlaceCallRequest, type PlacedCall } from './setup/place-call.ts';
import { createReceiveCall, type AuthenticateCaller, type ReceiveCall } from './setup/receive-call.ts';
import { createHangupRequests, type HangupRequests } from './in-call/hang-up.ts';
import {
  createSpeakingRequests,
  type SentencesOf,
  type SpeakingRequests,
} from './in-call/speak-for-agent.ts';
import { createTransferRequests, type TransferRequests } from './in-call/transfer.ts';
import { createTransferOwnCall, type TransferOwnCall } from './in-call/transfer-own-call.ts';
import { createStartCall, type CallCounting } from './setup/start-call.ts';
import type { Switchboard } from './live/switchboard.ts';

export type CallControl = HangupRequests &
  RecordingRequests &
  SpeakingRequests &
  TransferRequests & {
    /**
     * Stores the call and begins to dial; `to` is normalised, the bounds of 60 to 1800 seconds are checked. Refuses as
     * described at `PlaceCall`.
     */
    placeCall(number: CallableNumber, request: PlaceCallRequest): Promise<PlacedCall>;
    receiveCall: ReceiveCall;
    /** Operations that the agent of a call may perform on it. */
    own: OwnCall;
    /** Performs a transfer that the agent of a call has written in its reply. */
    transferOwnCall: TransferOwnCall;
    /** Performs a request of another gateway on a call of this gateway. */
    performHere: InCallRequests['performHere'];
    admission: Admission;
  };

export const createCallControl = (options: {
  database: Database;
  sealing: Pick<Sealing, 'open'>;
  journal: Journal;
  liveCalls: LiveCalls;
  switchboard: Switchboard;
  observer: CallObserver;
  /** Keeps the agent of a call, with its operations on the call, until the call is released. */
  keepAgent: (callId: string, agentCall: AgentCall, workspaceId: string, own: OwnCall) => void;
  keepBeginning: Beginnings['keep'];
  handshake: AuthenticateCaller;
  sentencesOf: SentencesOf;
  /** Null without a language model. */
  summarizeSoFar: SummarizeSoFar | null;
  /** Whether this gateway is configured with telephone lines. */
  hasLines: boolean;
  askNode: AskNode;
  counting: CallCounting;
  limits: AdmissionLimits;
  load: Pick<LoadShedding, 'pressure'>;
  platformPolicy: PolicySettings;
  /** Headers of the gateway's own trunk; null if there is none. */
  configuredHeaders: TrunkHeaders | null;
  country: Country;
  /** Maximum over all numbers of a workspace without its own maximum. */
  maxCallsInProgress: number;
  /** Daily minutes of outbound calls for a workspace without its own limit; null for no limit. */
  platformDailyMinutes: number | null;
  /** Called when the daily minutes are nearly used up, and when a call is refused for that reason. */
  onDailyNotice: (notice: DailyNotice) => void;
  times: CallTimes;
  /** The name of this gateway among those that share the database. */
  node: string;
  underway: InCallRequestsOptions['underway'];
  queueLimits: QueueLimits;
  /** Monotonic clock. */
  clock: Clock;
  /** Wall-clock milliseconds since the epoch. */
  now: () => number;
  logger: Logger;
}): CallControl => {
  const { database, sealing, liveCalls } = options;
  const admission = createAdmission(options);
  const policyOf: PolicyOf = ({ policy, workspace }) =>
    effectivePolicy(policy, workspace.policy, options.platformPolicy);
  const requests = createInCallRequests({
    ...options,
    hasMedia: options.hasLines,
    perform: createPerformRequest({ ...options, writeBriefing: createWriteBriefing(options) }),
  });
  const hangups = createHangupRequests(requests, liveCalls);
  const speaking = createSpeakingRequests(requests, liveCalls, options.sentencesOf);
  const transfers = createTransferRequests(requests, database, options.sentencesOf);
  const own: OwnCall = { hangUp: hangups.hangUpOwnCall, pressKeys: speaking.pressOwnKeys };
  const startCall = createStartCall({
    ...options,
    keepAgent: (callId, agentCall, workspaceId) => options.keepAgent(callId, agentCall, workspaceId, own),
    admission,
    dailyMinutes: createDailyMinutes(options.onDailyNotice),
  });
  const placeCall = createPlaceCall({ ...options, startCall, policyOf });
  return {
    ...hangups,
    ...createRecordingRequests(requests),
    ...speaking,
    ...transfers,
    transferOwnCall: createTransferOwnCall({ ...options, transfer: transfers.transfer }),
    performHere: requests.performHere,
    placeCall: (number, request) => placeCall(openNumber(number, sealing), request),
    receiveCall: createReceiveCall({
      ...options,
      findNumber: async (digits) => {
        const number = await findNumberByDigits(database, digits);
        return number && openNumber(number, sealing);
      },
      policyOf,
      startCall,
      admission,
    }),
    own,
    admission,
  };
};
