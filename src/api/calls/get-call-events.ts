import * as z from 'zod';
import type { CallRecord } from '#src/calls/stored-calls.ts';
import { callIdInPath } from '../ids.ts';
import type { ApiServices } from '../api-services.ts';
import { defineRoute, type Accepts } from '../http/route.ts';
import { callEvent, presentEvent } from './call-event-schema.ts';
import { callEventStream } from './call-event-stream.ts';

const eventStream = 'text/event-stream';

const exampleStream = `retry: 2000

id: 1
event: fact
data: {"sequence":1,"type":"call.answered","at":"2026-11-21T12:00:00.000+09:00","t_offset_sec":0,"data":{}}

event: state
data: {"call":"active.talking.conversing","conversation":"replying.speaking","voicemail":null,"saying":"Good morning.","hearing":null}

event: end
data: {}

`;

/** Common part of the event routes of the client and admin APIs. */
export const callEventsDeclaration = {
  description:
    'The journal of the call: its events, in order. With `Accept: text/event-stream` as Server-Sent Events: first the past ones, then new ones live. `event: fact` is an event with its `sequence` as `id`, so `Last-Event-ID` resumes after an interruption. `event: state` has the current states of the call\'s charts and the current words of both sides (`{"call": "active.talking.conversing", "conversation": "replying.speaking", "voicemail": null, "saying": "Good morning.", "hearing": null}`): `saying` is what was heard of the agent\'s turn, and the sentence being spoken; `hearing` is what the other party has said so far in its turn, preliminary, not stored, at most five times a second, and only if the recognizer has words before the end of a sentence; `line-life`, `outbound-leg`, `inbound-leg` and `second-leg` are there while the line and its legs have them; it is sent as long as this gateway owns the call or can reach its owner. `event: end` is the last one. The stream may end without it when the gateway shuts down: connect again. It also ends within a few seconds after its key or token is revoked, reissued or expired.',
  params: callIdInPath,
  headers: z.object({
    'last-event-id': z
      .string()
      .regex(/^\d{1,9}$/, { error: 'This is the id of no event.' })
      .optional()
      .meta({ description: 'The last `id` of an interrupted stream.', example: '7' }),
  }),
  responses: {
    200: {
      description: 'The events until now, or the stream.',
      schema: z.object({ events: z.array(callEvent) }),
      media: [eventStream],
      examples: { [eventStream]: exampleStream },
    },
  },
  refusals: ['call_not_found', 'stream_limit', 'draining'],
} as const;

export const getCallEvents = defineRoute({
  ...callEventsDeclaration,
  method: 'get',
  path: '/api/v1/calls/{call_id}/events',
  operationId: 'getCallEvents',
  tag: 'Calls',
  summary: 'Read or stream the events of a call',
  auth: 'number',
}).handledBy(async ({ caller, params, ...request }, services) => {
  const call = await services.calls.storedCalls.find({ callId: params.callId, numberId: caller.id });
  const { timeZone } = caller.workspace;
  return answerCallEvents(call, { ...request, timeZone, key: `number ${caller.id}` }, services);
});

export const answerCallEvents = async (
  call: CallRecord,
  request: {
    headers: z.output<typeof callEventsDeclaration.headers>;
    accepts: Accepts;
    isHead: boolean;
    isStillValid: () => Promise<boolean>;
    timeZone: string;
    /** Key of the stream limit, shared by all streams with the same key. */
    key: string;
  },
  services: ApiServices,
) => {
  const { timeZone, isStillValid } = request;
  if (request.accepts('application/json', eventStream) !== eventStream) {
    const events = await services.calls.storedCalls.journal(call.id);
    const body = { events: events.map((event) => presentEvent(event, timeZone)) };
    return { status: 200, body } as const;
  }
  const after = Number(request.headers['last-event-id'] ?? 0);
  const stream = request.isHead
    ? null
    : callEventStream(
        call,
        { after, timeZone, isStillValid, permit: services.calls.streams.acquire(request.key) },
        services,
      );
  // Disables buffering in proxies that would hold a stream until its end (nginx: X-Accel-Buffering).
  return { status: 200, media: eventStream, headers: { 'X-Accel-Buffering': 'no' }, body: stream } as const;
};
