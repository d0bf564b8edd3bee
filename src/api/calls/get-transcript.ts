import * as z from 'zod';
import { transcriptOf } from '#src/persistence/transcripts.ts';
import { callIdInPath } from '../ids.ts';
import { presentTurn } from '../present.ts';
import { defineRoute } from '../route.ts';
import { transcriptTurn } from './call-schema.ts';
import { findOwnCall } from './find-own-call.ts';

export const getTranscript = defineRoute({
  method: 'get',
  path: '/api/v1/calls/{call_id}/transcript',
  operationId: 'getTranscript',
  tag: 'Calls',
  summary: 'Read the transcript',
  description: 'What was really heard, turn by turn. For a call in progress: the turns up to now.',
  auth: 'number',
  params: callIdInPath,
  responses: {
    200: {
      description: 'The transcript; empty when nothing was said.',
      schema: z.object({ call_id: z.uuid(), transcript: z.array(transcriptTurn) }),
    },
  },
  refusals: ['call_not_found'],
}).handledBy(async ({ caller, params }, interior) => {
  const { id } = await findOwnCall(interior, { callId: params.call_id, numberId: caller.id });
  const turns = await transcriptOf(interior.database, id);
  const transcript = turns.map((turn) => presentTurn(turn, caller.workspace.timeZone));
  return { status: 200, body: { call_id: id, transcript } };
});
