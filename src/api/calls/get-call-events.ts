import * as z from 'zod';
import type { CallRecord } from '#src/calls/stored-calls.ts';
import { callIdInPath } from '../ids.ts';
import type { ApiServices } from '../api-services.ts';
import { defineRoute, type Accepts } from '../route.ts';
import { callEvent, presentEvent } from './call-event-schema.ts';
import { callEventStream } from './call-event-stream.ts';

const eventStream = 'text/event-stream';

const exampleStream = `retry: 2000

id: 1
event: fact
data: {"sequence":1,"type":"call.answered","at":"2026-11-21T12:00:00.000+09:00","t_offset_sec":0,"data":{}}

event: state
data: {"call":"active.talking.conversing","conversation":"replying.speaking","voicemail":null,"saying":"Good morning."}

event: end
data: {}

`;

/** Common part of the routes of the client and admin APIs. */
export const callEventsDeclaration = {
  description:
    'The journal of the call: what happened, in order. With `Accept: text/event-stream` the same as Server-Sent Events: first what was, then what happens, as it happens. `event: fact` is one of the list and has its `sequence` as `id`, so that `Last-Event-ID` goes on where a connection broke; `event: state` says where the charts of the call are now and what the agent is saying, the words of its turn that were heard and the sentence that is being said (`{"call": "active.talking.conversing", "conversation": "replying.speaking", "voicemail": null, "saying": "Good morning."}`), as long as the gateway that holds it is this one, or can be reached by it; `event: end` is the last one: nothing more will come. The stream may end without it, when the gateway shuts down: connect again. It ends within a few seconds as well when its key or token is revoked, reissued or past its end.',
  params: callIdInPath,
  headers: z.object({
    'last-event-id': z
      .string()
      .regex(/^\d{1,9}$/, { error: 'This is the id of no event.' })
      .optional()
      .meta({ description: 'Of a stream that broke: its last `id`.', example: '7' }),
  }),
  responses: {
    200: {
      description: 'What happened until now, or the stream.',
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
  summary: 'What happened in a call, and happens',
  auth: 'number',
}).handledBy(async ({ caller, params, ...request }, services) => {
  const call = await services.storedCalls.find({ callId: params.callId, numberId: caller.id });
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
    /** Streams with the same key share a stream limit. */
    key: string;
  },
  services: ApiServices,
) => {
  const { timeZone, isStillValid } = request;
  if (request.accepts('application/json', eventStream) !== eventStream) {
    const events = await services.storedCalls.journal(call.id);
    const body = { events: events.map((event) => presentEvent(event, timeZone)) };
    return { status: 200, body } as const;
  }
  const after = Number(request.headers['last-event-id'] ?? 0);
  const stream = request.isHead
    ? null
    : callEventStream(
        call,
        { after, timeZone, isStillValid, permit: services.streams.acquire(request.key) },
        services,
      );
  // Some proxies buffer a stream until its end (nginx: X-Accel-Buffering).
  return { status: 200, media: eventStream, headers: { 'X-Accel-Buffering': 'no' }, body: stream } as const;
};
