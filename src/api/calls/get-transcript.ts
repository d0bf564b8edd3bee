import * as z from 'zod';
import type { CallRecord } from '#src/calls/stored-calls.ts';
import { callIdInPath } from '../ids.ts';
import type { ApiServices } from '../api-services.ts';
import { defineRoute } from '../http/route.ts';
import { transcriptTurn } from './call-schema.ts';

export const transcript = z.object({ call_id: z.uuid(), transcript: z.array(transcriptTurn) });

/** Common part of the transcript routes of the client and admin APIs. */
export const transcriptDeclaration = {
  description: 'The words that were heard, turn by turn. For a call in progress: the turns so far.',
  params: callIdInPath,
  responses: {
    200: {
      description: 'The transcript; empty when nothing has been said.',
      schema: transcript,
    },
  },
  refusals: ['call_not_found'],
} as const;

export const getTranscript = defineRoute({
  ...transcriptDeclaration,
  method: 'get',
  path: '/api/v1/calls/{call_id}/transcript',
  operationId: 'getTranscript',
  tag: 'Calls',
  summary: 'Read the transcript',
  auth: 'number',
}).handledBy(async ({ caller, params }, services) => {
  const call = await services.calls.storedCalls.find({ callId: params.callId, numberId: caller.id });
  return answerTranscript(call, services);
});

export const answerTranscript = async ({ id }: CallRecord, { calls: { storedCalls } }: ApiServices) => {
  const turns = await storedCalls.transcript(id);
  const told = turns.map((turn) => ({ ...turn, timestamp: turn.spokenAt }));
  return { status: 200, body: { callId: id, transcript: told } } as const;
};
