/**
 * HTTP client for all POST requests of the gateway: customers' agents, handshakes and event receivers, and the
 * operator's language model and speech engines. (Recording stores use their library's `fetch`, and recordings of other
 * gateways are read by GET: src/recordings/s3-store.ts, src/cluster/fetch-recording.ts.)
 *
 * The client uses undici's `request` instead of `fetch`: only the headers below are added, and redirects are not
 * followed. The client does not ask for compression, which can delay a stream, but decompresses compressed responses.
 */
import type { Dispatcher, FormData } from 'undici';
import { openLate } from '#src/domain/open-late.ts';
import { EndpointFailure, endpointFailure } from './endpoint-failure.ts';
import { decompress } from './decompress.ts';
import { endpointUrlProblem } from './endpoint-url.ts';
import { scheduledFairly } from './fair-scheduling.ts';
import type { ConnectorOptions } from './guarded-connector.ts';
import type { TargetDispatcher } from './target-dispatcher.ts';

export type EndpointRequest = {
  /** Headers, sent unchanged. The client adds `accept-encoding` and `user-agent`. */
  headers: Readonly<Record<string, string>>;
  /** Absent for a request without a body. */
  body?: string | FormData;
  /** Aborting the signal releases the request and its response. */
  signal: AbortSignal;
  /** Limit of the decompressed response body in bytes, if it differs from the client's. */
  maxBodyBytes?: number;
};

export type EndpointResponse = {
  status: number;
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * Body of the response, which can be read once. Throws an EndpointFailure, or the signal's reason when aborted. A
   * reader that stops early closes the connection.
   */
  body: AsyncIterable<Uint8Array>;
  /**
   * Discards the body of a response that is not read. The connection stays in use until the body is read or discarded.
   */
  discard(): void;
};

export type EndpointClient = {
  /**
   * Sends a request. Rejects with an EndpointFailure if there is no response or the response is a redirect, and with
   * the signal's reason when aborted. Responses with any other status are returned.
   */
  post(url: string, request: EndpointRequest): Promise<EndpointResponse>;
  /** Closes all connections; requests in progress fail. */
  close(): Promise<void>;
};

export type EndpointClientOptions = ConnectorOptions & {
  /** Size of a response body in bytes. */
  maxBodyBytes: number;
  /** Maximum number of connections per host; further requests wait. Null for no limit. */
  connectionsPerHost: number | null;
  /** Dispatcher of the requests; by default connections to their targets. */
  openDispatcher?: OpenDispatcher | null;
};

export type OpenDispatcher = () => Dispatcher;

/** Passes on the body by fair scheduling, up to `limit` bytes, and translates its errors. */
async function* limited(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  try {
    for await (const bytes of scheduledFairly(body)) {
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
  const open = async (): Promise<TargetDispatcher> => {
    const { openDispatcher } = options;
    if (openDispatcher) return { dispatcher: openDispatcher(), wasStale: () => false };
    const { openTargetDispatcher } = await import('./target-dispatcher.ts');
    return openTargetDispatcher(options);
  };
  const targets = openLate(open, ({ dispatcher }) => dispatcher.destroy());

  const request = (dispatcher: Dispatcher, url: URL, { headers, body = '', signal }: EndpointRequest) =>
    dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: { 'accept-encoding': 'identity', 'user-agent': 'Trunkline', ...headers },
      body,
      signal,
    });

  const send = async (url: URL, endpointRequest: EndpointRequest) => {
    try {
      const { dispatcher, wasStale } = await targets.get();
      return await request(dispatcher, url, endpointRequest).catch((error: unknown) => {
        // Most servers close an idle connection after 5 s. The request that crosses the close is sent once more; any
        // other request is not, because the server may have acted on it.
        if (!wasStale(error) || endpointRequest.signal.aborted) throw error;
        return request(dispatcher, url, endpointRequest);
      });
    } catch (error) {
      endpointRequest.signal.throwIfAborted();
      throw endpointFailure(error);
    }
  };

  return {
    async post(text, endpointRequest) {
      const { signal, maxBodyBytes = options.maxBodyBytes } = endpointRequest;
      // The URL is checked again, because the rules may have changed since it was saved.
      const problem = endpointUrlProblem(text, options.rules);
      if (problem !== undefined) throw new EndpointFailure('target_refused', problem);
      const { statusCode: status, headers, body } = await send(new URL(text), endpointRequest);
      // Stops a body that is no longer needed; its resulting error is ignored.
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
    close: targets.close,
  };
};
