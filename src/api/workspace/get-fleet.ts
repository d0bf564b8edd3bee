import type { Readable } from 'node:stream';
import * as z from 'zod';
import { journalledChartNames } from '#src/domain/chart-name.ts';
import type { ApiServices } from '../api-services.ts';
import { createInterval, createPulledStream, createWakeUp, jsonMessage } from '../calls/call-event-stream.ts';
import { integerInQuery, timestamp } from '../fields.ts';
import { defineRoute } from '../http/route.ts';

const eventStream = 'text/event-stream';

const chart = z.enum(journalledChartNames).meta({ description: 'The name of the chart.', example: 'call' });

const fleet = z
  .object({
    since: timestamp,
    until: timestamp.meta({ description: 'Time of the read.' }),
    calls: z.int().meta({ description: 'Number of calls that were read.', example: 412 }),
    is_whole: z.boolean().meta({
      description: 'False if more calls started since: then only the newest ones were read.',
      example: true,
    }),
    states: z.array(
      z.object({
        chart,
        state: z.string().meta({ example: 'active.talking.conversing' }),
        entries: z.int().meta({ description: 'How often a call entered it.', example: 380 }),
        median_ms: z.int().nullable().meta({
          description:
            'Median time in the state, in milliseconds, to within about 5 percent; null if no call has left it.',
          example: 41_200,
        }),
        failed: z.int().meta({
          description: 'Number of calls that failed in this state.',
          example: 3,
        }),
      }),
    ),
    transitions: z.array(
      z.object({
        chart,
        from: z.string().nullable().meta({
          description: 'Null for the beginning of the chart.',
          example: 'ringing.alerting',
        }),
        to: z.string().meta({ example: 'active.talking.conversing' }),
        count: z.int().meta({ example: 371 }),
      }),
    ),
  })
  .meta({ id: 'Fleet' });

const exampleStream = `retry: 2000

event: counts
data: {"calls":2,"gateways":1,"states":{"call":{"active.talking.conversing":2},"conversation":{"listening.silent":1,"replying.speaking":1},"voicemail":{}}}

`;

type StreamReader = {
  workspaceId: string;
  key: string;
  isStillValid: () => Promise<boolean>;
};

/** Streams the counts until the reader leaves, its token is revoked, or the gateway shuts down. */
const countsStream = (
  { workspaceId, key, isStillValid }: StreamReader,
  { calls: { streams, watchFleet }, operation: { clock, limits } }: ApiServices,
): Readable => {
  const { keepAliveMs, slowReaderMs, revalidateMs, retryMs } = limits.eventStream;
  const permit = streams.acquire(key);
  const wakeUp = createWakeUp(clock);
  let latest: string | undefined;
  // A slow reader misses counts: only the newest ones wait.
  const stop = watchFleet(workspaceId, (_counts, json) => {
    latest = json;
    wakeUp.wake();
  });
  permit.signal.addEventListener('abort', wakeUp.wake);
  let isOver = false;

  async function* messages(): AsyncGenerator<string> {
    const keepAlive = createInterval(clock, keepAliveMs);
    const validity = createInterval(clock, revalidateMs);
    yield `retry: ${retryMs}\n\n`;
    while (!isOver && !permit.signal.aborted) {
      if (validity.isDue()) {
        if (!(await isStillValid())) return;
        validity.restart();
      }
      if (latest !== undefined) {
        const counts = latest;
        latest = undefined;
        keepAlive.restart();
        yield jsonMessage('counts', counts);
      } else if (keepAlive.isDue()) {
        keepAlive.restart();
        yield ': still here\n\n';
      }
      await wakeUp.wait(Math.min(keepAlive.dueInMs(), validity.dueInMs()));
    }
  }

  return createPulledStream(messages(), {
    clock,
    slowReaderMs,
    onEnd() {
      isOver = true;
      stop();
      permit.signal.removeEventListener('abort', wakeUp.wake);
      wakeUp.wake();
      permit.release();
    },
  });
};

export const getFleet = defineRoute({
  method: 'get',
  path: '/api/v1/admin/fleet',
  operationId: 'getFleet',
  tag: 'Workspace',
  summary: 'Count calls by state',
  description:
    "As JSON: where the workspace's calls of the last minutes went through their charts, for all gateways, from their stored transitions. At most the 1,000 newest calls are read. A result is returned again while it is younger than `max_age_sec`, or than fifty times the duration of its statement; `until` is the time of the read. With `Accept: text/event-stream`: the numbers of the calls in progress by state, at all gateways, as `event: counts`, once at the beginning and at most once a second when they have changed. `gateways` is the number of gateways that they are from. The stream ends when the gateway shuts down, and within a few seconds after its token is revoked or expired.",
  auth: 'admin',
  query: z.object({
    minutes: integerInQuery(1, 1_440, 60).meta({ description: 'Calls that started in these last minutes.' }),
    max_age_sec: integerInQuery(1, 3_600, 60).meta({
      description: 'Maximum age of a result that was read before, in seconds.',
    }),
  }),
  responses: {
    200: {
      description: 'The transitions of the last minutes, or the stream.',
      schema: fleet,
      media: [eventStream],
      examples: { [eventStream]: exampleStream },
    },
  },
  refusals: ['stream_limit', 'draining'],
}).handledBy(async ({ caller, query, accepts, isHead, isStillValid }, services) => {
  const { id: workspaceId } = caller.workspace;
  if (accepts('application/json', eventStream) !== eventStream)
    return {
      status: 200,
      body: await services.calls.fleetHistory(workspaceId, query.minutes, query.maxAgeSec * 1_000),
    };
  const body = isHead
    ? null
    : countsStream({ workspaceId, key: `admin ${caller.id}`, isStillValid }, services);
  return { status: 200, media: eventStream, headers: { 'X-Accel-Buffering': 'no' }, body } as const;
});
