/**
 * One run of a graph: the request for a reply, and its end. Closing the connection does not stop a run, and a thread
 * accepts only one at a time, so an unwanted run is cancelled by its id.
 */
import { z } from 'zod';
import type { Message } from '#machines/reply.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import type { EndpointResponse } from '#src/outgoing/endpoint-client.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { type EndpointWorld, askEndpoint, endpointHeaders } from '../ask-endpoint.ts';
import { endpointPath } from '../endpoint-path.ts';
import { traceparent } from '../trace-agent-request.ts';
import { type Frame, readFrames } from '../wire/read-frames.ts';
import { eventOf } from './read-run.ts';

/**
 * Stops a run, because the server continues it after the client disconnects. The request has no body and no `wait` in
 * its query, because the server treats any value of `wait`, even `false`, as a request to wait. Resolves to an error
 * description for the log; never rejects.
 */
const cancelRun = async (
  { client, clock, graphTimes: { cancelMs } }: Pick<EndpointWorld, 'client' | 'clock' | 'graphTimes'>,
  call: AgentCall,
  runUrl: string,
): Promise<string | undefined> => {
  try {
    const status = await withTimeout(clock, cancelMs, async (limit) => {
      const response = await client.post(runUrl, {
        headers: endpointHeaders(call, traceparent(call.context.call_id)),
        signal: limit,
      });
      response.discard();
      return response.status;
    });
    return status >= 200 && status < 300
      ? undefined
      : `the abandoned run could not be cancelled: HTTP ${status}`;
  } catch (error) {
    const reason =
      error instanceof EndpointFailure
        ? `${error.failure}, ${error.message}`
        : `no answer within ${cancelMs / 1000} s`;
    return `the abandoned run could not be cancelled: ${reason}`;
  }
};

export type Run = {
  /** Resolves to the run's events. Rejects like `askEndpoint` if the server refuses the run. */
  opened: Promise<AsyncGenerator<Frame, void, undefined>>;
  /**
   * Releases the run in any state. Resolves when done, to an error description for the log. Never rejects; idempotent.
   */
  cancel(): Promise<string | undefined>;
  /** Cancels the run again if the thread is still busy. Never rejects. */
  cancelAgain(): Promise<string | undefined>;
};

export type RunRequest = {
  /** Messages that the thread does not contain yet. */
  messages: readonly Message[];
  /** Whether the server is to interrupt another run of the thread, whose id is unknown. */
  interruptsOther: boolean;
  /**
   * Called when the thread has the messages. Response headers do not prove that a run has begun, because they are sent
   * earlier.
   */
  onBegun: () => void;
};

const runId = z.string().regex(/^[\w-]{1,64}$/);
const metadata = z.object({ run_id: runId });

/** Returns the id from a path such as `/threads/{thread}/runs/{run}`, which may have the path prefix of a proxy. */
const runIdOf = ({ headers }: EndpointResponse): string | undefined =>
  [headers['content-location'], headers['location']]
    .flat()
    .map((location) => /\/runs\/([\w-]{1,64})(?:[/?#]|$)/.exec(location ?? '')?.[1])
    .find((id) => id !== undefined);

export const startRun = (
  world: EndpointWorld,
  { url, call }: { url: string; call: AgentCall },
  { messages, interruptsOther, onBegun }: RunRequest,
): Run => {
  const { binding, context } = call;
  const runsUrl = (path: string): string => endpointPath(url, `/threads/${context.call_id}/runs/${path}`);
  const connection = new AbortController();
  let id: string | undefined;
  /** Whether the stream has ended by itself. If it has, there is no run to cancel. */
  let isOver = false;
  let cancelled: Promise<string | undefined> | undefined;

  async function* watch(
    frames: AsyncGenerator<Frame>,
    first?: Frame,
  ): AsyncGenerator<Frame, void, undefined> {
    if (first !== undefined) yield* note(first);
    for await (const frame of frames) yield* note(frame);
    isOver = true;
  }
  function* note(frame: Frame): Generator<Frame, void, undefined> {
    const event = eventOf(frame);
    if (event === 'error') isOver = true;
    else if (event !== '') onBegun();
    yield frame;
  }

  const open = async (): Promise<AsyncGenerator<Frame, void, undefined>> => {
    const response = await askEndpoint(world, call, {
      url: runsUrl('stream'),
      body: {
        assistant_id: binding.assistantId,
        input: { messages: messages.map(({ role, content }) => ({ role, content })) },
        stream_mode: 'messages',
        config: { configurable: { gw: context } },
        ...(interruptsOther ? { multitask_strategy: 'interrupt' } : {}),
      },
      signal: connection.signal,
      maxBodyBytes: world.limits.streamBytes,
    });
    const frames = readFrames(response.body, { longestLine: world.limits.lineCharacters });
    id = runIdOf(response);
    if (id !== undefined) return watch(frames);
    // The first event is read, because it also contains the run's id, in case a proxy removed the header.
    const first = await frames.next();
    if (first.done === true) return watch(frames);
    id = first.value.type === 'json' ? metadata.safeParse(first.value.value).data?.run_id : undefined;
    return watch(frames, first.value);
  };
  const opened = open();

  const stop = async (): Promise<string | undefined> => {
    const outcome = opened.then(
      () => 'open' as const,
      () => 'refused' as const,
    );
    const state =
      id === undefined
        ? await withTimeout(world.clock, world.graphTimes.arrivalMs, () => outcome).catch(
            () => 'late' as const,
          )
        : 'open';
    connection.abort();
    if (state === 'refused') return undefined;
    return id === undefined
      ? 'the abandoned run could not be cancelled: the server has not named it'
      : cancelRun(world, call, runsUrl(`${id}/cancel`));
  };

  return {
    opened,
    cancel: () => (cancelled ??= isOver ? Promise.resolve(undefined) : stop()),
    cancelAgain: () =>
      isOver || cancelled === undefined || id === undefined
        ? Promise.resolve(undefined)
        : cancelRun(world, call, runsUrl(`${id}/cancel`)),
  };
};
