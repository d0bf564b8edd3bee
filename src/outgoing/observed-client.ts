import { EndpointFailure } from './endpoint-failure.ts';
import type { EndpointClient } from './endpoint-client.ts';
import type { Exchange } from '#src/domain/agent-trial.ts';

/** Records requests, for example those of one turn. */
export type ExchangeLog = {
  exchanges: Exchange[];
  /** Milliseconds since the log began. */
  elapsed(): number;
};

/** Maximum number of bytes of a response body that are recorded. */
const recordedBytes = 4_096;

export const mask = '••••';

const shownHeaders = (
  headers: Readonly<Record<string, string>>,
  secretHeaders: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name.toLowerCase() === 'authorization' ? `Bearer ${mask}` : secretHeaders.includes(name) ? mask : value,
    ]),
  );

/** Copies response headers for the record, with cookies masked. */
const shownResponseHeaders = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, name === 'set-cookie' ? mask : [value].flat().join(', ')]],
    ),
  );

/** Records only the head of a response that redirects. */
const redirectOf = (
  status: number,
  location: string | undefined,
  at: number,
): NonNullable<Exchange['received']> => ({
  status,
  headers: location === undefined ? {} : { location },
  firstByteMs: null,
  endMs: at,
  bytes: 0,
  body: '',
});

const reasonOf = (error: unknown): string =>
  error instanceof EndpointFailure ? `${error.failure}: ${error.message}` : 'given up by the gateway';

export type WhatIsShown = {
  /** Text that replaces an address that must not be shown; the response headers are omitted then, too. */
  shownUrl?: string;
  /** Names of request headers whose values are masked, in addition to Authorization. */
  secretHeaders?: readonly string[];
};

/**
 * Returns the same client with its requests recorded in the log of the turn that started them. Requests are not
 * changed.
 */
export const observedClient = (
  client: EndpointClient,
  currentLog: () => ExchangeLog,
  { shownUrl, secretHeaders = [] }: WhatIsShown = {},
): EndpointClient => ({
  ...client,
  async post(url, request) {
    const { exchanges, elapsed } = currentLog();
    const exchange: Exchange = {
      sent: {
        atMs: elapsed(),
        method: 'POST',
        url: shownUrl ?? url,
        headers: shownHeaders(request.headers, secretHeaders),
        // Bodies that are not text are omitted: agents receive only text.
        body: typeof request.body === 'string' ? request.body : '',
      },
      received: null,
      error: null,
    };
    exchanges.push(exchange);

    const noting = <Value>(error: Value): Value => {
      exchange.error = reasonOf(error);
      return error;
    };
    const response = await client.post(url, request).catch((error: unknown) => {
      if (error instanceof EndpointFailure && error.status !== undefined) {
        exchange.received = redirectOf(error.status, error.location, elapsed());
      }
      throw noting(error);
    });
    const received: NonNullable<Exchange['received']> = {
      status: response.status,
      headers: shownResponseHeaders(
        shownUrl === undefined ? response.headers : { 'content-type': response.headers['content-type'] },
      ),
      firstByteMs: null,
      endMs: null,
      bytes: 0,
      body: '',
    };
    exchange.received = received;

    async function* watched(): AsyncGenerator<Uint8Array, void, undefined> {
      const decoder = new TextDecoder();
      try {
        for await (const bytes of response.body) {
          received.firstByteMs ??= elapsed();
          const room = Math.max(0, recordedBytes - received.bytes);
          received.bytes += bytes.byteLength;
          received.body += decoder.decode(bytes.subarray(0, room), { stream: true });
          yield bytes;
        }
      } catch (error) {
        throw noting(error);
      } finally {
        received.endMs = elapsed();
      }
    }
    return {
      ...response,
      body: watched(),
      discard() {
        received.endMs = elapsed();
        response.discard();
      },
    };
  },
});
