/**
 * Call control: all operations on calls (place, receive, hang up, cancel, send DTMF digits, say something, transfer,
 * pause the recording), and admission.
 */
import type { OwnCall } from '#src/domain/own-call.ts';
import type { CallParts } from './call-parts.ts';
import {
  createHangupRequests,
  createInCallRequests,
  type HangupRequests,
  type InCallRequests,
} from './in-call/in-call-requests.ts';
import { createRecordingRequests, type RecordingRequests } from './in-call/pause-recording.ts';
import { createPerformRequest } from './in-call/perform-request.ts';
import { createSpeakingRequests, type SpeakingRequests } from './in-call/speak-for-agent.ts';
import { createWriteBriefing } from './in-call/summarized-briefing.ts';
import { createTransferOwnCall, type TransferOwnCall } from './in-call/transfer-own-call.ts';
import { createTransferRequests, type TransferRequests } from './in-call/transfer.ts';
import { createAdmission, type Admission } from './setup/admission.ts';
import { createPlaceCall, type PlaceCall } from './setup/place-call.ts';
import { createReceiveCall, type ReceiveCall } from './setup/receive-call.ts';
import { createStartCall } from './setup/start-call.ts';

export type CallControl = HangupRequests &
  RecordingRequests &
  SpeakingRequests &
  TransferRequests & {
    /**
     * Stores the call and begins to dial. `to` must be normalized, and the maximum duration must be within 60 to 1800
     * seconds. Rejects as described at `PlaceCall`.
     */
    placeCall: PlaceCall;
    receiveCall: ReceiveCall;
    /** Operations that the agent of a call may perform on it. */
    own: OwnCall;
    /** Performs a transfer that the agent of a call has written in its reply. */
    transferOwnCall: TransferOwnCall;
    /** Performs a request of another gateway on a call of this gateway. */
    performHere: InCallRequests['performHere'];
    admission: Admission;
  };

export const createCallControl = (parts: CallParts): CallControl => {
  const { storage, live, agents, telephony, limits, clock, logger } = parts;
  const admission = createAdmission(parts);
  const perform = createPerformRequest({
    database: storage.database,
    journal: live.journal,
    queueLimits: limits.queues,
    writeBriefing: createWriteBriefing({
      database: storage.database,
      summarizeSoFar: agents.summarizeSoFar,
      logger,
    }),
    clock,
  });
  const requests = createInCallRequests(parts, perform);
  const hangups = createHangupRequests(requests, parts);
  const speaking = createSpeakingRequests(requests, parts);
  const transfers = createTransferRequests(requests, parts);
  const own: OwnCall = { hangUp: hangups.hangUpOwnCall, pressKeys: speaking.pressOwnKeys };
  const startCall = createStartCall(parts, { admission, own });
  return {
    ...hangups,
    ...createRecordingRequests(requests),
    ...speaking,
    ...transfers,
    transferOwnCall: createTransferOwnCall({
      transfer: transfers.transfer,
      liveCalls: live.liveCalls,
      switchboard: live.switchboard,
      country: telephony.country,
      logger,
    }),
    performHere: requests.performHere,
    placeCall: createPlaceCall(parts, startCall),
    receiveCall: createReceiveCall(parts, { admission, startCall }),
    own,
    admission,
  };
};
