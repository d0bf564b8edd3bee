/** The thread of a call on a graph server, which stores the history. The id of the thread is that of the call. */
import { z } from 'zod';
import { withTimeout } from '#src/domain/with-timeout.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { AgentFailure } from '../agent.ts';
import { askEndpoint, readJson, type EndpointWorld } from '../ask-endpoint.ts';
import { endpointPath } from '../endpoint-path.ts';

export type Thread = {
  /** Creates the thread unless it exists. A failed creation is retried. Rejects like `askEndpoint`. */
  stand(): Promise<void>;
  /**
   * Creates the thread again in case the server has lost it. An existing thread is not changed. Resolves to whether the
   * thread is new and therefore lacks the conversation.
   */
  standAgain(): Promise<boolean>;
  /** Called when the call is over. */
  close(): void;
};

const creation = z.object({ created_at: z.string() });

/** Reads the creation time. The rest of the response is ignored, including a failure to read it. */
const readCreation = async (body: AsyncIterable<Uint8Array>): Promise<string | null> => {
  try {
    return creation.safeParse(await readJson(body)).data?.created_at ?? null;
  } catch (error) {
    if (error instanceof AgentFailure || error instanceof EndpointFailure) return null;
    throw error;
  }
};

export const createThread = (world: EndpointWorld, url: string, call: AgentCall): Thread => {
  const life = new AbortController();
  let standing: Promise<void> | undefined;
  /** Creation time of the thread according to the server; null if it is missing. */
  let createdAt: string | null = null;

  /** Creates the thread, or resolves to the creation time of the existing one. */
  const make = (): Promise<string | null> =>
    withTimeout(
      world.clock,
      world.graphTimes.threadMs,
      async (limit) => {
        const response = await askEndpoint(world, call, {
          url: endpointPath(url, '/threads'),
          body: { thread_id: call.context.call_id, if_exists: 'do_nothing' },
          signal: AbortSignal.any([limit, life.signal]),
        });
        return readCreation(response.body);
      },
      { error: () => new AgentFailure('first_token_timeout', 'the thread was not made in time') },
    );

  const standAgain = (): Promise<boolean> => {
    const made = make().then((at) => {
      const isNew = createdAt !== null && at !== null && at !== createdAt;
      createdAt = at ?? createdAt;
      return isNew;
    });
    const stands = made.then(() => undefined);
    standing = stands;
    stands.catch(() => {
      if (standing === stands) standing = undefined;
    });
    return made;
  };

  return {
    stand: () => standing ?? standAgain().then(() => undefined),
    standAgain,
    close: () => life.abort(),
  };
};
