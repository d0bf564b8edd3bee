import * as z from 'zod';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../http/route.ts';

/** Common part of the routes for pausing and resuming a recording. */
const declaration = {
  method: 'post',
  tag: 'Calls',
  auth: 'number',
  params: callIdInPath,
} as const;

const refusals = ['call_not_found', 'call_not_active', 'room_unknown', 'recording_not_available'] as const;

const stateOf = (paused: boolean) =>
  z.object({ call_id: z.uuid(), recording: z.object({ paused: z.literal(paused) }) });

export const pauseRecording = defineRoute({
  ...declaration,
  path: '/api/v1/calls/{call_id}/recording/pause',
  operationId: 'pauseRecording',
  summary: 'Pause the recording',
  description:
    'For confidential content, such as a card number. From the response on, the recording contains silence for both parties until it is resumed or the call ends; positions in the recording still match the transcript, which continues. Idempotent.',
  responses: { 200: { description: 'The recording is paused.', schema: stateOf(true) } },
  refusals,
}).handledBy(async ({ caller, params }, services) => {
  const { callId } = params;
  await services.calls.pauseRecording({ callId, numberId: caller.id });
  return { status: 200, body: { callId, recording: { paused: true } } };
});

export const resumeRecording = defineRoute({
  ...declaration,
  path: '/api/v1/calls/{call_id}/recording/resume',
  operationId: 'resumeRecording',
  summary: 'Resume the recording',
  description:
    'Records both parties again. The first moment stays silent, because audio in transit was spoken before the request. Idempotent.',
  responses: { 200: { description: 'The recording continues.', schema: stateOf(false) } },
  refusals: [...refusals, 'queue_full'],
}).handledBy(async ({ caller, params }, services) => {
  const { callId } = params;
  await services.calls.resumeRecording({ callId, numberId: caller.id });
  return { status: 200, body: { callId, recording: { paused: false } } };
});
