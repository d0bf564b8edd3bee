import { eraseCallOf } from '#src/administration/erase-call.ts';
import { callIdInPath } from '../ids.ts';
import { defineRoute } from '../http/route.ts';
import { answerRecording, recordingDeclaration } from '../calls/get-recording.ts';
import { answerTranscript, transcriptDeclaration } from '../calls/get-transcript.ts';
import { answerCallEvents, callEventsDeclaration } from '../calls/get-call-events.ts';
import { presentWorkspaceCall, workspaceCall } from './workspace-call-schema.ts';
import * as z from 'zod';
import { callListQuery } from '../calls/list-calls.ts';
import { callCursorInQuery, encodeCallCursor, nextCursor } from '../http/cursor.ts';
import { invalidField } from '#src/domain/refusal.ts';
import { listedCall, presentListedCall, wantedCalls, workspaceCallFilters } from './workspace-call-list.ts';

export const listWorkspaceCalls = defineRoute({
  method: 'get',
  path: '/api/v1/admin/calls',
  operationId: 'listWorkspaceCalls',
  tag: 'Workspace',
  summary: 'List and search the calls of all numbers',
  description:
    'Ordered by `started_at`, then by `id`, unless `order` says otherwise. Follow `next_cursor` until it is null, with the same query.',
  auth: 'viewer',
  query: workspaceCallFilters.extend({
    ...callListQuery.pick({ limit: true }).shape,
    cursor: callCursorInQuery.optional(),
  }),
  responses: {
    200: {
      description: 'A page of calls.',
      schema: z
        .object({ calls: z.array(listedCall), next_cursor: nextCursor })
        .meta({ id: 'WorkspaceCallPage' }),
    },
  },
  refusals: ['search_too_broad'],
}).handledBy(async ({ caller, query: { cursor, limit, ...filters } }, services) => {
  const { storedCalls } = services.calls;
  const wanted = wantedCalls(services, caller.workspace, filters);
  const isByLength = wanted.order === 'longest';
  if (cursor !== undefined && isByLength !== (cursor.durationSec !== undefined))
    throw invalidField({ path: 'cursor', message: 'This is no cursor of this list.' });
  const { calls, next } = await storedCalls.workspacePage({
    ...wanted,
    after: cursor && { startedAt: cursor.at, id: cursor.id, durationSec: cursor.durationSec },
    limit,
  });
  const ids = calls.map(({ id }) => id);
  const excerpts = await storedCalls.excerpts(ids, wanted.search);
  return {
    status: 200,
    body: {
      calls: calls.map((call) => presentListedCall(call, excerpts.get(call.id))),
      nextCursor:
        next &&
        encodeCallCursor({
          at: next.startedAt,
          id: next.id,
          durationSec: isByLength ? next.durationSec : undefined,
        }),
    },
  };
});

export const getWorkspaceCall = defineRoute({
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}',
  operationId: 'getWorkspaceCall',
  tag: 'Workspace',
  summary: 'Read a call of any number',
  description: 'Like `getCall`, for the whole workspace, with the trunk and the addresses of the call.',
  auth: 'viewer',
  params: callIdInPath,
  responses: { 200: { description: 'The call.', schema: workspaceCall } },
  refusals: ['call_not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const { call, latency } = await services.calls.storedCalls.findWithLatency({
    callId: params.callId,
    workspaceId: caller.workspace.id,
  });
  return { status: 200, body: presentWorkspaceCall(call, latency) };
});

export const getWorkspaceCallEvents = defineRoute({
  ...callEventsDeclaration,
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}/events',
  operationId: 'getWorkspaceCallEvents',
  tag: 'Workspace',
  summary: 'Read or stream the events of a call of any number',
  auth: 'viewer',
}).handledBy(async ({ caller, params, ...request }, services) => {
  const { id: workspaceId, timeZone } = caller.workspace;
  const call = await services.calls.storedCalls.find({ callId: params.callId, workspaceId });
  return answerCallEvents(call, { ...request, timeZone, key: `admin ${caller.id}` }, services);
});

export const getWorkspaceTranscript = defineRoute({
  ...transcriptDeclaration,
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}/transcript',
  operationId: 'getWorkspaceTranscript',
  tag: 'Workspace',
  summary: 'Read the transcript of a call of any number',
  auth: 'viewer',
}).handledBy(async ({ caller, params }, services) => {
  const call = await services.calls.storedCalls.find({
    callId: params.callId,
    workspaceId: caller.workspace.id,
  });
  return answerTranscript(call, services);
});

export const getWorkspaceRecording = defineRoute({
  ...recordingDeclaration,
  method: 'get',
  path: '/api/v1/admin/calls/{call_id}/recording',
  operationId: 'getWorkspaceRecording',
  tag: 'Workspace',
  summary: 'Download the recording of a call of any number',
  description: 'Like `getRecording`, for the whole workspace.',
  auth: 'viewer',
}).handledBy(async ({ caller, params, headers, isHead }, services) => {
  const wanted = { callId: params.callId, workspaceId: caller.workspace.id };
  return answerRecording(await services.calls.storedCalls.find(wanted), { headers, isHead }, services);
});

export const eraseCall = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/calls/{call_id}',
  operationId: 'eraseCall',
  tag: 'Workspace',
  summary: 'Erase a call',
  description:
    'Deletes personal data at once, for good: the transcript, the recording, the instruction, the summary, the metadata, names, DTMF digits, SIP headers and messages. The last two digits of the number remain, as do times, durations, the end reason and statistics. Undelivered events of the call are delivered without the data. `call.erased` is sent. The file of the recording is removed within seconds, or as soon as its store is available. Backups are unchanged. Idempotent.',
  auth: 'admin',
  params: callIdInPath,
  responses: { 204: { description: 'Erased.' } },
  refusals: ['call_not_found', 'call_active'],
}).handledBy(async ({ caller, params }, services) => {
  await eraseCallOf(services.directory.administrator(caller), params.callId);
  return { status: 204 };
});
