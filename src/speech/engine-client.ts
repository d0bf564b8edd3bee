/**
 * The way to speech engines that are spoken to by HTTP: the one client of everything outgoing, with an engine's words
 * for what went wrong. Engines are the operator's own choice, so any address may be reached, also without TLS, and
 * their names are looked up as the machine does it.
 */
import { createEndpointClient, type EndpointRequest } from '#src/outgoing/endpoint-client.ts';
import { brokenOff, EngineRefusal, unreachable } from './engine-failure.ts';

export type EngineRequest = Required<Omit<EndpointRequest, 'maxBodyBytes'>> & { url: string };

export type EngineResponse = {
  /** With its parameters; empty where there is none. */
  contentType: string;
  /** Read once. Throws an EngineFailure, or the signal's reason. Leaving it early closes the connection. */
  body: AsyncIterable<Uint8Array>;
};

export type EngineClient = {
  /** Throws an EngineFailure for any status but 2xx and when there is no response; rejects with the signal's reason. */
  post(engine: string, request: EngineRequest): Promise<EngineResponse>;
  /** Closes every connection; requests under way fail. */
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
    // Each engine's own reader limits how much sound or text it takes.
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
