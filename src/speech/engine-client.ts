/**
 * HTTP client for speech engines: the client for outgoing requests, with the errors of engines. The operator chooses
 * the engines, so any address is allowed, even without TLS, and the system resolves their names.
 */
import { createEndpointClient, type EndpointRequest } from '#src/outgoing/endpoint-client.ts';
import { brokenOff, EngineRefusal, unreachable } from './engine-failure.ts';

export type EngineRequest = Required<Omit<EndpointRequest, 'maxBodyBytes'>> & { url: string };

export type EngineResponse = {
  /** Media type with its parameters; empty if it is missing. */
  contentType: string;
  /**
   * Body of the response, which can be read once. Throws an EngineFailure, or the signal's reason. A reader that stops
   * early closes the connection.
   */
  body: AsyncIterable<Uint8Array>;
};

export type EngineClient = {
  /**
   * Sends a request. Rejects with an EngineFailure without a response or for any status but 2xx, and with the signal's
   * reason.
   */
  post(engine: string, request: EngineRequest): Promise<EngineResponse>;
  /** Closes all connections; requests in progress fail. */
  close(): Promise<void>;
};

async function* read(
  engine: string,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    signal.throwIfAborted();
    throw brokenOff(engine, error);
  }
}

export const createEngineClient = (options: { connectMs: number }): EngineClient => {
  const client = createEndpointClient({
    rules: { allowedHosts: [], allowLoopback: true, anywhere: true },
    connectMs: options.connectMs,
    // The size is not limited here, because each engine's reader limits the audio or text.
    maxBodyBytes: Infinity,
    connectionsPerHost: null,
  });

  return {
    async post(engine, { url, ...request }) {
      const { signal } = request;
      const response = await client.post(url, request).catch((error: unknown) => {
        signal.throwIfAborted();
        throw unreachable(engine, error);
      });
      const { status, headers, body } = response;
      if (status < 200 || status > 299) {
        response.discard();
        throw new EngineRefusal(engine, status);
      }
      return { contentType: String(headers['content-type'] ?? ''), body: read(engine, body, signal) };
    },
    close: () => client.close(),
  };
};
