import * as z from 'zod';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../route.ts';

/** Common part of pausing and resuming. */
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
    'For what must not be kept, such as the number of a card. From the answer to this request on the recording holds silence for both parties, until it is resumed or the call ends; places in the recording stay places in the transcript, which goes on. A recording that is paused already stays so.',
  responses: { 200: { description: 'The recording is paused.', schema: stateOf(true) } },
  refusals,
}).handledBy(async ({ caller, params }, services) => {
  const { callId } = params;
  await services.pauseRecording({ callId, numberId: caller.id });
  return { status: 200, body: { callId, recording: { paused: true } } };
});

export const resumeRecording = defineRoute({
  ...declaration,
  path: '/api/v1/calls/{call_id}/recording/resume',
  operationId: 'resumeRecording',
  summary: 'Resume the recording',
  description:
    'Both parties are recorded again. The first moment stays silent: what was on its way when this request came was said before it. A recording that is not paused goes on as it was.',
  responses: { 200: { description: 'The recording goes on.', schema: stateOf(false) } },
  refusals: [...refusals, 'queue_full'],
}).handledBy(async ({ caller, params }, services) => {
  const { callId } = params;
  await services.resumeRecording({ callId, numberId: caller.id });
  return { status: 200, body: { callId, recording: { paused: false } } };
});
