/**
 * One attempt to deliver an event to an endpoint (guides/design/events.md, "Delivery" and "Signature"), and the next
 * state of the delivery.
 */
import type { Logger } from 'pino';
import { transition } from 'xstate';
import { deliveryMachine, type DeliveryEvent, type DeliveryTimes } from '#machines/delivery.ts';
import type { CircuitBreakers } from '#src/domain/circuit-breakers.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { ServerAdvice } from '#src/domain/server-advice.ts';
import type { EndpointClients } from '#src/outgoing/endpoint-clients.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { releaseDelivery, type ClaimedDelivery } from '#src/persistence/events/deliveries.ts';
import { recordDeliveryAttempt, type AttemptRecord } from '#src/persistence/events/delivery-attempts.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import {
  disableWebhookEndpoint,
  hasUrl,
  noteEndpointFailure,
  noteEndpointWorks,
} from '#src/persistence/events/webhook-endpoints.ts';
import { openEndpointSecrets } from './endpoint-secret.ts';
import { deliveryAdvice, type ReceivedResponse } from './delivery-advice.ts';
import { eventBody } from './payloads.ts';
import { TimeoutError, withTimeout } from '#src/domain/with-timeout.ts';
import type { EndpointClient, EndpointResponse } from '#src/outgoing/endpoint-client.ts';
import { EndpointFailure, type EndpointFailureKind } from '#src/outgoing/endpoint-failure.ts';
import { signStandardWebhook } from '#src/outgoing/standard-webhooks.ts';

type DeliveryRequest = {
  url: string;
  eventId: string;
  body: string;
  /** Signing secrets: one, or two while the secret is being replaced. */
  secrets: readonly string[];
  /** Time limit in milliseconds from the start of the request to the end of the response. */
  timeoutMs: number;
  /** Signal whose abort cancels the attempt. */
  signal: AbortSignal;
};

export type DeliveryOutcome = {
  /**
   * Result of the attempt. `gone`: the endpoint responded 410 and wants no more events. `interrupted`: the signal
   * cancelled the attempt, and its result is unknown.
   */
  result: 'delivered' | 'failed' | 'gone' | 'interrupted';
  /** Status of the response; null without a response. */
  httpStatus: number | null;
  /** Description of the failure without URL or content; null for a delivered event. */
  error: string | null;
  /** Advice for the owner of the endpoint; null for a delivered event, and if the endpoint is not the cause. */
  advice: ServerAdvice | null;
  /** Delay that the endpoint requested by `Retry-After` with 429 or 503; null if it requested none. */
  retryAfterMs: number | null;
  durationMs: number;
};

type Judgement = Pick<DeliveryOutcome, 'result' | 'httpStatus' | 'error'> & {
  retryAfterMs?: number | null;
  failure?: EndpointFailure;
  received?: ReceivedResponse | null;
};

/**
 * Maximum number of body bytes that are read so that the connection can be reused. With a longer body the connection is
 * closed.
 */
const readBytes = 16 * 1024;

/** Maximum number of body bytes that advice looks at. */
const advisedBytes = 4 * 1024;

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

/** Reads the body and returns its beginning. Errors while reading are ignored, because the status decides. */
const beginningOf = async ({ body }: EndpointResponse): Promise<string> => {
  const decoder = new TextDecoder();
  let beginning = '';
  let size = 0;
  try {
    for await (const bytes of body) {
      beginning += decoder.decode(bytes.subarray(0, Math.max(0, advisedBytes - size)), { stream: true });
      size += bytes.byteLength;
      if (size > readBytes) break;
    }
  } catch {
    // An error of the body is ignored: it was cut off or timed out.
  }
  return beginning;
};

const headersOf = ({ headers }: EndpointResponse): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );

/** Returns the head of a response that redirects. */
const redirectOf = ({ status, location }: EndpointFailure): ReceivedResponse | null =>
  status === undefined ? null : { status, headers: location === undefined ? {} : { location }, body: '' };

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

/** Whether a server asks by this status to retry later. */
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

/** Sends the signed event and judges the response. Never throws for errors of the network or the endpoint. */
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
    const beginning = await beginningOf(response);
    return {
      ...judge(response, clock.now()),
      received: { status: response.status, headers: headersOf(response), body: beginning },
    };
  };

  const attempt = async (): Promise<Judgement> => {
    try {
      return await withTimeout(clock, timeoutMs, post);
    } catch (error) {
      if (error instanceof EndpointFailure) {
        const { failure, status = null } = error;
        return {
          result: 'failed',
          httpStatus: status,
          error: explanations[failure](error),
          failure: error,
          received: redirectOf(error),
        };
      }
      if (signal.aborted) return { result: 'interrupted', httpStatus: null, error: 'Broken off' };
      if (!(error instanceof TimeoutError)) throw error;
      return { result: 'failed', httpStatus: null, error: `No answer within ${timeoutMs / 1000} s` };
    }
  };

  const { failure, received = null, ...outcome } = await attempt();
  const isRefused = outcome.result === 'failed' || outcome.result === 'gone';
  return {
    retryAfterMs: null,
    ...outcome,
    advice: isRefused ? deliveryAdvice({ url, timeoutMs, failure, received }) : null,
    durationMs: Math.max(0, clock.now() - startedAt),
  };
};

export type AttemptOptions = DeliveryTimes & {
  db: Database;
  sealing: Sealing;
  /** HTTP clients, which must allow a workspace as many concurrent requests as attempts. */
  clients: EndpointClients;
  /** Circuit breakers, which count whether an endpoint responded at all, whatever the status. */
  breakers: CircuitBreakers;
  /**
   * Start of the failed attempt that began or found an endpoint's cool-down, by endpoint. An attempt is added when its
   * failure is stored: only then does an endpoint without a failure mean that the failure was cleared.
   */
  coolDownFailures: Map<string, Date>;
  /** Clock of the deliveries' due times: the clock of the database. */
  clock: Clock;
  /** Wall clock for the timestamp of the signature, which receivers verify. */
  wallClock: Clock;
  /** Time limit of one attempt. */
  timeoutMs: number;
  logger: Logger;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  random: () => number;
};

export type AfterAttempt =
  | { state: 'delivered' }
  | { state: 'dead'; isEndpointGone: boolean }
  | { state: 'waiting'; retryMs: number };

/**
 * Returns the delivery after an attempt, as the delivery chart defines it. `failures` counts the failures of the
 * current round.
 */
export const afterAttempt = (
  delivery: { times: DeliveryTimes; failures: number },
  event: Extract<DeliveryEvent, { type: `attempt.${string}` }>,
): AfterAttempt => {
  const attempting = deliveryMachine.resolveState({
    value: 'attempting',
    context: { ...delivery, retryMs: 0 },
  });
  const [next, actions] = transition(deliveryMachine, attempting, event);
  if (next.matches('delivered')) return { state: 'delivered' };
  if (next.matches('waiting')) return { state: 'waiting', retryMs: next.context.retryMs };
  return { state: 'dead', isEndpointGone: actions.some(({ type }) => type === 'disableEndpoint') };
};

/** Outcome that is stored if an attempt could not be made. The cause, such as a missing master key, is logged. */
const notMade: DeliveryOutcome = {
  result: 'failed',
  httpStatus: null,
  error: 'The gateway could not make this attempt',
  advice: null,
  retryAfterMs: null,
  durationMs: 0,
};

/** Makes an attempt. Does not reject: errors that prevent the attempt are logged. */
const make = async (
  options: AttemptOptions,
  { event, endpoint }: ClaimedDelivery,
  { at, signal, logger }: { at: number; signal: AbortSignal; logger: Logger },
): Promise<DeliveryOutcome> => {
  try {
    return await deliver(
      { client: options.clients.of(endpoint.workspaceId), clock: options.wallClock },
      {
        url: endpoint.url,
        eventId: event.id,
        body: eventBody(event),
        secrets: openEndpointSecrets(options.sealing, endpoint.id, endpoint, at),
        timeoutMs: options.timeoutMs,
        signal,
      },
    );
  } catch (err) {
    logger.error({ err }, 'event could not be sent');
    return notMade;
  }
};

/** Minimum interval between two writes of an endpoint's last success. */
const successNotedMs = 10_000;

const isWorthNoting = ({ failingSince, lastSuccessAt }: ClaimedDelivery['endpoint'], at: Date): boolean =>
  failingSince !== null || lastSuccessAt === null || at.getTime() - lastSuccessAt.getTime() >= successNotedMs;

/** Stores the attempt and the delivery's next state. */
const store = async (
  { db, clock }: AttemptOptions,
  { id, endpoint }: ClaimedDelivery,
  attempted: AttemptRecord,
  next: AfterAttempt,
  logger: Logger,
): Promise<void> => {
  const { httpStatus, durationMs, error } = attempted;
  switch (next.state) {
    case 'delivered':
      await recordDeliveryAttempt(db, id, attempted, { state: 'delivered' });
      if (isWorthNoting(endpoint, attempted.at))
        await noteEndpointWorks(db, { endpointId: endpoint.id, at: attempted.at });
      logger.info({ http_status: httpStatus, duration_ms: durationMs }, 'event delivered');
      return;
    case 'dead':
      // The endpoint is disabled before the attempt is stored, so that no further delivery is claimed for a removed
      // endpoint.
      if (next.isEndpointGone) {
        const { id: endpointId, url } = endpoint;
        await disableWebhookEndpoint(db, { endpointId, url }, 'The endpoint answered 410 Gone');
      }
      await recordDeliveryAttempt(db, id, attempted, { state: 'dead' });
      logger.warn({ http_status: httpStatus, error }, 'event not delivered, no retry follows');
      return;
    case 'waiting':
      await recordDeliveryAttempt(db, id, attempted, {
        state: 'pending',
        nextAttemptAt: new Date(clock.now() + next.retryMs),
      });
      logger.info(
        { http_status: httpStatus, error, retry_in_ms: next.retryMs },
        'event not delivered, a retry follows',
      );
  }
};

/**
 * Makes the attempt and stores it. Rejects when the attempt cannot be stored; the delivery is then retried when its
 * lease ends. Aborting the signal cancels the attempt and releases the delivery as if no attempt had been made.
 */
export const attemptDelivery = async (
  options: AttemptOptions,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<void> => {
  const { id, attempt, failedInRound, event, endpoint } = delivery;
  const logger = options.logger.child({
    call_id: event.callId,
    event_id: event.id,
    event_type: event.type,
    endpoint_id: endpoint.id,
    delivery_id: id,
    attempt,
  });
  const at = options.wallClock.now();
  const outcome = await make(options, delivery, { at, signal, logger });
  const { result, httpStatus, error, advice, retryAfterMs, durationMs } = outcome;
  const { db } = options;
  if (result === 'interrupted') return releaseDelivery(db, id);

  const attemptedAt = { endpointId: endpoint.id, url: endpoint.url };
  const breaker = options.breakers.of(endpoint.id);
  if (httpStatus !== null) breaker.worked();
  // A failure at the endpoint's former URL does not concern its present one.
  else if (outcome !== notMade && (await hasUrl(db, attemptedAt)) && breaker.failed(id)) {
    options.coolDownFailures.delete(endpoint.id);
    logger.warn('an endpoint does not answer: deliveries to it pause');
  }

  // A 410 from a former URL does not concern the present one, to which the event is sent next.
  const isFormerGone = result === 'gone' && !(await hasUrl(db, attemptedAt));
  const next = afterAttempt(
    { times: options, failures: failedInRound },
    result === 'failed' || isFormerGone
      ? { type: 'attempt.failed', chance: options.random(), retryAfterMs }
      : { type: `attempt.${result}` },
  );
  const why = { code: advice?.code ?? null, advice: advice?.words ?? null };
  const attempted = { attempt, at: new Date(at), durationMs, httpStatus, error, ...why };
  await store(options, delivery, attempted, next, logger);
  if (error !== null && outcome !== notMade) {
    const coolingUntil =
      breaker.state() === 'open' ? new Date(options.clock.now() + breaker.remainingMs()) : null;
    const isNoted = await noteEndpointFailure(db, {
      ...attemptedAt,
      at: attempted.at,
      failure: error,
      ...why,
      didRespond: httpStatus !== null,
      coolingUntil,
    });
    if (isNoted && coolingUntil !== null) options.coolDownFailures.set(endpoint.id, attempted.at);
  }
};
