/** One attempt of a claimed delivery, and the delivery's next state. */
import type { Logger } from 'pino';
import { transition } from 'xstate';
import { deliveryMachine, type DeliveryEvent, type DeliveryTimes } from '#machines/delivery.ts';
import type { CircuitBreakers } from '#src/domain/circuit-breakers.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { EndpointClients } from '#src/outgoing/endpoint-clients.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { releaseDelivery, type ClaimedDelivery } from '#src/persistence/events/deliveries.ts';
import { recordDeliveryAttempt, type AttemptRecord } from '#src/persistence/events/delivery-attempts.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import {
  disableWebhookEndpoint,
  noteEndpointFailure,
  noteEndpointWorks,
} from '#src/persistence/events/webhook-endpoints.ts';
import { deliver, type DeliveryOutcome } from './deliver.ts';
import { openEndpointSecrets } from './endpoint-secret.ts';
import { eventBody } from './payloads.ts';

export type AttemptOptions = DeliveryTimes & {
  db: Database;
  sealing: Sealing;
  /** HTTP client; it must allow a workspace as many concurrent requests as attempts. */
  clients: EndpointClients;
  /** Circuit breakers, which count whether an endpoint responded at all, regardless of the status. */
  breakers: CircuitBreakers;
  /** Clock of the due times of deliveries: that of the database. */
  clock: Clock;
  /** Wall clock for the signature's timestamp, which receivers verify. */
  wallClock: Clock;
  /** Time limit of one attempt. */
  timeoutMs: number;
  logger: Logger;
  /** Random number from 0 (inclusive) to 1 (exclusive). */
  random: () => number;
};

export type AfterAttempt =
  { state: 'delivered' } | { state: 'dead'; isEndpointGone: boolean } | { state: 'waiting'; retryMs: number };

/**
 * Returns the delivery after an attempt, as the delivery chart defines it. `failures` counts those of the current
 * round.
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
  retryAfterMs: null,
  durationMs: 0,
};

/** Makes an attempt. Does not reject; errors that prevent the attempt are logged. */
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

/** The attempt and the delivery's next state. */
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
      if (endpoint.failingSince !== null) await noteEndpointWorks(db, endpoint.id);
      logger.info({ http_status: httpStatus, duration_ms: durationMs }, 'event delivered');
      return;
    case 'dead':
      // Disables the endpoint before the attempt is stored, so that no further delivery is claimed for a removed
      // endpoint.
      if (next.isEndpointGone)
        await disableWebhookEndpoint(db, endpoint.id, 'The endpoint answered 410 Gone');
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
 * Makes the attempt and stores it. Rejects when it cannot be stored; the delivery is then retried when its lease ends.
 * Aborting the signal cancels the attempt and releases the delivery as if it had not been tried.
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
  const { result, httpStatus, error, retryAfterMs, durationMs } = outcome;
  if (result === 'interrupted') return releaseDelivery(options.db, id);

  const breaker = options.breakers.of(endpoint.id);
  if (httpStatus !== null) breaker.worked();
  else if (outcome !== notMade && breaker.failed(id)) {
    logger.warn('an endpoint does not answer: deliveries to it pause');
  }

  const next = afterAttempt(
    { times: options, failures: failedInRound },
    result === 'failed'
      ? { type: 'attempt.failed', chance: options.random(), retryAfterMs }
      : { type: `attempt.${result}` },
  );
  const attempted = { attempt, at: new Date(at), durationMs, httpStatus, error };
  await store(options, delivery, attempted, next, logger);
  if (error !== null && outcome !== notMade)
    await noteEndpointFailure(options.db, { endpointId: endpoint.id, at: attempted.at, failure: error });
};
