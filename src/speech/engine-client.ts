/**
 * The way to speech engines that are spoken to by HTTP. They are the operator's own choice, so any address may be
 * reached, also without TLS; nothing is followed.
 */
import { Agent, type FormData } from 'undici';
import { brokenOff, EngineRefusal, unreachable } from './engine-failure.ts';

export type EngineRequest = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | FormData;
  /** Aborting it lets go of request and response. */
  signal: AbortSignal;
};

export type EngineResponse = {
  /** Without its parameters; empty where there is none. */
  mediaType: string;
  /** Read once. Throws an EngineFailure, or the signal's reason. Leaving it early closes the connection. */
  body: AsyncIterable<Uint8Array>;
};

export type EngineClient = {
  /** Throws an EngineFailure for any status but 2xx and when there is no response; rejects with the signal's reason. */
  post(engine: string, request: EngineRequest): Promise<EngineResponse>;
  /** Closes every connection; requests under way fail. */
  close(): Promise<void>;
};

/** A kept connection that its server was just closing says nothing of the server. */
const isStale = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(String(error.code));

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
  const agent = new Agent({
    connect: { timeout: options.connectMs },
    allowH2: false,
    // Time limits are the callers'.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  const request = ({ url, headers, body, signal }: EngineRequest) => {
    const { origin, pathname, search } = new URL(url);
    return agent.request({
      origin,
      path: `${pathname}${search}`,
      method: 'POST',
      headers: { 'accept-encoding': 'identity', 'user-agent': 'Trunkline', ...headers },
      body,
      signal,
    });
  };

  return {
    async post(engine, engineRequest) {
      const { signal } = engineRequest;
      const response = await request(engineRequest)
        .catch((error: unknown) => {
          if (!isStale(error) || signal.aborted) throw error;
          return request(engineRequest);
        })
        .catch((error: unknown) => {
          signal.throwIfAborted();
          throw unreachable(engine, error);
        });
      const { statusCode, headers, body } = response;
      if (statusCode < 200 || statusCode > 299) {
        // That an unwanted body ends with an error says nothing new.
        body.on('error', () => undefined);
        body.dump({ limit: 16 * 1024, signal }).catch(() => undefined);
        throw new EngineRefusal(engine, statusCode);
      }
      const [mediaType = ''] = String(headers['content-type'] ?? '').split(';');
      return { mediaType: mediaType.trim().toLowerCase(), body: read(engine, body, signal) };
    },
    close: () => agent.destroy(),
  };
};
