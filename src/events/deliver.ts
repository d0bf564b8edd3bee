/** One attempt to bring an event to an endpoint (guides/design/events.md, "Delivery" and "Signature"). */
import type { Clock } from '#src/domain/clock.ts';
import { TimeoutError, withTimeout } from '#src/domain/with-timeout.ts';
import type { EndpointClient, EndpointResponse } from '#src/outgoing/endpoint-client.ts';
import { EndpointFailure, type EndpointFailureKind } from '#src/outgoing/endpoint-failure.ts';
import { signStandardWebhook } from '#src/outgoing/standard-webhooks.ts';

export type DeliveryRequest = {
  url: string;
  eventId: string;
  body: string;
  /** Signing secrets: one, or two while the secret is being replaced. */
  secrets: readonly string[];
  /** Time limit from the start to the end of the response. */
  timeoutMs: number;
  /** Aborting it cancels the attempt. */
  signal: AbortSignal;
};

export type DeliveryOutcome = {
  /**
   * Outcome. `gone`: the endpoint responded 410 and wants no more events. `interrupted`: cancelled by the signal, with
   * unknown result.
   */
  result: 'delivered' | 'failed' | 'gone' | 'interrupted';
  /** Status of the response; null without a response. */
  httpStatus: number | null;
  /** Description of the failure without URL or content; null when delivered. */
  error: string | null;
  /** Delay that the endpoint requested by `Retry-After` with 429 or 503; null if none. */
  retryAfterMs: number | null;
  durationMs: number;
};

type Judgement = Omit<DeliveryOutcome, 'durationMs' | 'retryAfterMs'> & { retryAfterMs?: number | null };

/**
 * Maximum of the response body in bytes that is read, so that the connection can be kept; with a longer body it is
 * closed.
 */
const readBytes = 16 * 1024;

const explanations: Record<EndpointFailureKind, (failure: EndpointFailure) => string> = {
  connect_timeout: () => 'No connection was made in time',
  circuit_open: ({ message }) => `Nothing was sent: ${message}`,
  over_capacity: ({ message }) => `Nothing was sent: ${message}`,
  connection_failed: ({ message }) => `The connection failed: ${message}`,
  tls_failed: ({ message }) => `TLS failed: ${message}`,
  target_refused: ({ message }) => `The URL may not be called: ${message}`,
  redirect_refused: ({ message }) => `${message}: redirects are not followed`,
  invalid_reply: () => 'The answer was not HTTP',
  reply_too_large: () => 'The answer was too large',
};

/** Ignores errors while reading the body, because the status decides. */
const dropBody = async ({ body }: EndpointResponse): Promise<void> => {
  let size = 0;
  try {
    for await (const bytes of body) {
      size += bytes.byteLength;
      if (size > readBytes) return;
    }
  } catch {
    // The body was cut off or timed out.
  }
};

/** Matches `Sun, 06 Nov 1994 08:49:37 GMT`, the only date format that may be sent (RFC 9110, 5.6.7). */
const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * Returns the delay requested by `Retry-After` (RFC 9110, 10.2.3) in milliseconds from `now`; `null` if it is missing
 * or invalid.
 */
export const retryAfterMs = (value: string | string[] | undefined, now: number): number | null => {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const at = httpDate.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
};

/** Statuses with which a server asks to retry later. */
const isBusy = (status: number): boolean => status === 429 || status === 503;

const judge = ({ status, headers }: EndpointResponse, now: number): Judgement => {
  if (status >= 200 && status < 300) return { result: 'delivered', httpStatus: status, error: null };
  if (status === 410) {
    return { result: 'gone', httpStatus: status, error: 'HTTP 410: the endpoint wants no more events' };
  }
  return {
    result: 'failed',
    httpStatus: status,
    error: `HTTP ${status}`,
    retryAfterMs: isBusy(status) ? retryAfterMs(headers['retry-after'], now) : null,
  };
};

/** Attempts the delivery. Never throws for errors of the network or the endpoint. */
export const deliver = async (
  { client, clock }: { client: EndpointClient; clock: Clock },
  { url, eventId, body, secrets, timeoutMs, signal }: DeliveryRequest,
): Promise<DeliveryOutcome> => {
  const startedAt = clock.now();

  const post = async (limit: AbortSignal): Promise<Judgement> => {
    const response = await client.post(url, {
      headers: {
        'content-type': 'application/json',
        ...signStandardWebhook({ id: eventId, timestamp: Math.floor(startedAt / 1000), body, secrets }),
      },
      body,
      signal: AbortSignal.any([limit, signal]),
    });
    await dropBody(response);
    return judge(response, clock.now());
  };

  const attempt = async (): Promise<Judgement> => {
    try {
      return await withTimeout(clock, timeoutMs, post);
    } catch (error) {
      if (error instanceof EndpointFailure) {
        const { failure, status = null } = error;
        return { result: 'failed', httpStatus: status, error: explanations[failure](error) };
      }
      if (signal.aborted) return { result: 'interrupted', httpStatus: null, error: 'Broken off' };
      if (!(error instanceof TimeoutError)) throw error;
      return { result: 'failed', httpStatus: null, error: `No answer within ${timeoutMs / 1000} s` };
    }
  };

  const outcome = await attempt();
  return { retryAfterMs: null, ...outcome, durationMs: Math.max(0, clock.now() - startedAt) };
};
