import {
  createEndpointClient,
  type EndpointClient,
  type EndpointClientOptions,
  type EndpointResponse,
} from './endpoint-client.ts';
import { EndpointFailure } from './endpoint-failure.ts';
import type { NameResolver } from './name-resolver.ts';
import { createPermits, type ReleasePermit } from './permits.ts';

/** HTTP clients, one per workspace, so that no request waits for another workspace's connections. */
export type EndpointClients = {
  of(workspaceId: string): EndpointClient;
  /** Closes all connections; requests in progress fail. */
  close(): Promise<void>;
};

export type EndpointClientsOptions = Omit<EndpointClientOptions, 'connectionsPerHost' | 'lookup'> & {
  names: NameResolver;
  /**
   * Permits for concurrent requests, shared by all workspaces (`permits.ts`). A request beyond the share of its
   * workspace fails at once.
   */
  requestsAtOnce: number;
};

/** Passes on the body unchanged and releases the permit at its end. */
async function* until(
  body: AsyncIterable<Uint8Array>,
  releasePermit: ReleasePermit,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    releasePermit();
  }
}

const holding = (response: EndpointResponse, releasePermit: ReleasePermit): EndpointResponse => ({
  ...response,
  body: until(response.body, releasePermit),
  discard() {
    releasePermit();
    response.discard();
  },
});

export const createEndpointClients = ({
  names,
  requestsAtOnce,
  ...options
}: EndpointClientsOptions): EndpointClients => {
  const permits = createPermits(requestsAtOnce);
  const clients = new Map<string, EndpointClient>();

  const clientOf = (workspaceId: string): EndpointClient => {
    const { post, close } = createEndpointClient({
      ...options,
      connectionsPerHost: requestsAtOnce,
      lookup: names.lookupFor(workspaceId),
    });
    return {
      close,
      async post(url, request) {
        const releasePermit = permits.acquire(workspaceId);
        if (releasePermit === undefined) {
          throw new EndpointFailure('over_capacity', 'too many requests of this workspace are under way');
        }
        request.signal.addEventListener('abort', releasePermit, { once: true });
        try {
          return holding(await post(url, request), releasePermit);
        } catch (error) {
          releasePermit();
          throw error;
        }
      },
    };
  };

  return {
    of(workspaceId) {
      const client = clients.get(workspaceId) ?? clientOf(workspaceId);
      clients.set(workspaceId, client);
      return client;
    },
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
};
