/**
 * The one way in which the gateway posts to servers: customers' agents, handshakes and receivers of events, and the
 * operator's language model and speech engines. (A store of recordings is spoken to by the `fetch` that its library
 * wants, and recordings of another gateway are read by GET: src/recordings/s3-store.ts, src/cluster/fetch-recording.ts.)
 *
 * It uses undici's plain `request`, not its `fetch`: nothing is added to the request but what is written here, and
 * nothing is followed. It asks for no compression, which could hold a stream back, and reads it where it comes.
 */
import { Agent, type Dispatcher, type FormData } from 'undici';
import { EndpointFailure, endpointFailure } from './endpoint-failure.ts';
import { decompress } from './decompress.ts';
import { endpointUrlProblem } from './endpoint-url.ts';
import { inTurns } from './in-turns.ts';
import { guardedConnector, trackConnections, type ConnectorOptions } from './guarded-connector.ts';

export type EndpointRequest = {
  /** Sent as they are written. `accept-encoding` and `user-agent` are added. */
  headers: Readonly<Record<string, string>>;
  /** Absent: a request without a body. */
  body?: string | FormData;
  /** The caller's time limit; aborting it lets go of request and response. */
  signal: AbortSignal;
  /** Bytes that the response's body may have, decompressed, where the client's own limit is not the right one. */
  maxBodyBytes?: number;
};

export type EndpointResponse = {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Read once. Throws an EndpointFailure, or the signal's reason when aborted. Leaving it early closes the connection. */
  body: AsyncIterable<Uint8Array>;
  /** For a body that nobody wants. One of the two must be used, or the connection stays taken. */
  discard(): void;
};

export type EndpointClient = {
  /**
   * Throws an EndpointFailure when there is no response, also for a redirect; rejects with the signal's reason when
   * aborted. Any other status is a response.
   */
  post(url: string, request: EndpointRequest): Promise<EndpointResponse>;
  /** Closes every connection; requests under way fail. */
  close(): Promise<void>;
};

export type EndpointClientOptions = ConnectorOptions & {
  /** Bytes of a response's body. */
  maxBodyBytes: number;
  /** Connections to one host at a time; further requests wait for one. null: as many as are needed. */
  connectionsPerHost: number | null;
  /** What sends the requests; without it, connections to where they go. */
  openDispatcher?: OpenDispatcher | null;
};

export type OpenDispatcher = () => Dispatcher;

/** Passes the body on in its turn, up to `limit` bytes, and gives its errors their meaning. */
async function* limited(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  try {
    for await (const bytes of inTurns(body)) {
      size += bytes.byteLength;
      if (size > limit) throw new EndpointFailure('reply_too_large', `more than ${limit} bytes`);
      yield bytes;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw endpointFailure(error);
  }
}

export const createEndpointClient = (options: EndpointClientOptions): EndpointClient => {
  const connections = trackConnections(guardedConnector(options));
  const openAgent: OpenDispatcher = () =>
    new Agent({
      connect: connections.connect,
      connections: options.connectionsPerHost,
      // Time limits are the callers'.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  const dispatcher = (options.openDispatcher ?? openAgent)();

  const request = (url: URL, { headers, body = '', signal }: EndpointRequest) =>
    dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: { 'accept-encoding': 'identity', 'user-agent': 'Trunkline', ...headers },
      body,
      signal,
    });

  const send = async (url: URL, endpointRequest: EndpointRequest) => {
    const before = connections.opened();
    try {
      return await request(url, endpointRequest).catch((error: unknown) => {
        // A kept connection that the server was just closing (most close after 5 s) says nothing about the server.
        const isStale = (connections.brokenBy(error) ?? Infinity) <= before;
        if (!isStale || endpointRequest.signal.aborted) throw error;
        return request(url, endpointRequest);
      });
    } catch (error) {
      endpointRequest.signal.throwIfAborted();
      throw endpointFailure(error);
    }
  };

  return {
    async post(text, endpointRequest) {
      const { signal, maxBodyBytes = options.maxBodyBytes } = endpointRequest;
      // Again here: the rules may have changed since the URL was saved.
      const problem = endpointUrlProblem(text, options.rules);
      if (problem !== undefined) throw new EndpointFailure('target_refused', problem);
      const { statusCode: status, headers, body } = await send(new URL(text), endpointRequest);
      // Breaks off a body that is no longer wanted; that it then ends with an error says nothing new.
      const discard = (): void => {
        body.on('error', () => undefined);
        body.dump({ limit: 16 * 1024, signal }).catch(() => undefined);
      };
      if (status >= 300 && status < 400) {
        discard();
        const [location] = [headers['location']].flat();
        throw new EndpointFailure('redirect_refused', `HTTP ${status}`, {
          status,
          ...(location === undefined ? {} : { location }),
        });
      }
      const encoding = [headers['content-encoding'] ?? []].flat().join(',');
      if (encoding === '') return { status, headers, body: limited(body, maxBodyBytes, signal), discard };
      try {
        return { status, headers, body: limited(decompress(body, encoding), maxBodyBytes, signal), discard };
      } catch (error) {
        discard();
        throw error;
      }
    },
    close: () => dispatcher.destroy(),
  };
};
