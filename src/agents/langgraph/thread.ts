/** The thread of a call on a graph server; it keeps the history. Its id is the call's. */
import { AgentFailure, type AgentCall } from '../agent.ts';
import { askEndpoint, type EndpointWorld } from '../ask-endpoint.ts';
import { endpointPath } from '../endpoint-path.ts';
import { withLimit } from './with-limit.ts';

export type Thread = {
  /** Makes it where it does not stand already; a making that failed is tried again. Rejects as `askEndpoint` does. */
  stand(): Promise<void>;
  /** The server may have lost it. It takes no harm where it still stands. */
  standAgain(): Promise<void>;
  /** The call is over. */
  end(): void;
};

/** As long as the first words of a reply may take; there would be no time left for them. */
const longestMs = 8_000;

export const createThread = (world: EndpointWorld, url: string, call: AgentCall): Thread => {
  const life = new AbortController();
  let standing: Promise<void> | undefined;

  const make = (): Promise<void> =>
    withLimit(world.clock, longestMs, async (limit) => {
      try {
        const response = await askEndpoint(world, call, {
          url: endpointPath(url, '/threads'),
          body: { thread_id: call.context.call_id, if_exists: 'do_nothing' },
          signal: AbortSignal.any([limit, life.signal]),
        });
        response.discard();
      } catch (error) {
        if (!limit.aborted) throw error;
        throw new AgentFailure('first_token_timeout', 'the thread was not made in time', { cause: error });
      }
    });

  const standAgain = (): Promise<void> => {
    const made = make();
    standing = made;
    made.catch(() => {
      if (standing === made) standing = undefined;
    });
    return made;
  };

  return { stand: () => standing ?? standAgain(), standAgain, end: () => life.abort() };
};
