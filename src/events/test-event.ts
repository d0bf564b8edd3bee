/**
 * Test of an endpoint, which receives one event of the type `webhook.test` once, regardless of its state, event types
 * and number. The event has the form of a `call.ended` about a call that does not exist (an id of zeros), and is not
 * stored.
 */
import type { Clock } from '#src/domain/clock.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { ServerAdvice } from '#src/domain/server-advice.ts';
import type { EndpointClient, EndpointRequest } from '#src/outgoing/endpoint-client.ts';
import type { EndpointClients } from '#src/outgoing/endpoint-clients.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { observedClient, type ExchangeLog } from '#src/outgoing/observed-client.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { newEventId, type EventSnapshot } from '#src/persistence/events/outbox.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import { findWebhookEndpoint } from '#src/persistence/events/webhook-endpoints.ts';
import { findWorkspace } from '#src/persistence/workspaces/workspaces.ts';
import { deliver, type DeliveryOutcome } from './attempt-delivery.ts';
import { openEndpointSecrets } from './endpoint-secret.ts';
import { eventBody } from './payloads.ts';
import type { Exchange } from '#src/domain/agent-trial.ts';
import {
  connectionTrouble,
  placeOf,
  protectionTrouble,
  requestAdvice,
  statusTrouble,
  tlsPortTrouble,
  type FailedRequest,
} from '#src/outgoing/request-advice.ts';

const openPath =
  'Events carry a signature (Standard Webhooks) and no token: let the server check that with the signing secret, and take this path without signing in.';

/** Advice for a test event that was not accepted. */
export const testAdvice = ({
  url,
  failure,
  exchange,
  timeoutMs,
}: {
  url: string;
  /** Failure of a request without a response; undefined if there was a response or a time-out. */
  failure: EndpointFailure | undefined;
  exchange: Exchange | undefined;
  timeoutMs: number;
}): ServerAdvice => {
  const received = exchange?.received ?? null;
  const status = received?.status ?? 0;
  const request: FailedRequest = {
    ...placeOf(url),
    askedUrl: url,
    failure: failure === undefined ? null : { kind: failure.failure, detail: failure.message },
    hasBegun: received !== null,
    status,
    text: received?.body.trim() ?? '',
    headers: received?.headers ?? {},
    quote: (words) => words,
    names: {
      url: 'URL',
      server: 'receiver',
      letIn: 'let the server take events at this address without it.',
    },
  };
  const beforeReceiver = connectionTrouble(request) ?? protectionTrouble(request) ?? tlsPortTrouble(request);
  if (beforeReceiver !== undefined) return requestAdvice(beforeReceiver, request);
  if (status === 401)
    return { code: 'unauthorized', words: `The server wants a login (HTTP 401). ${openPath}` };
  if (status === 403)
    return {
      code: 'forbidden',
      words: `The server does not let this request in (HTTP 403). ${openPath} If it checks the signature already, compare its signing secret and its clock.`,
    };
  const byStatus = statusTrouble(request);
  if (byStatus !== undefined) return requestAdvice(byStatus, request);
  if (status !== 0)
    return {
      code: 'refused',
      words: `The server refuses the event (HTTP ${status}). It takes one by any status from 200 to 299; its own log should say why it did not.`,
    };
  return failure === undefined
    ? {
        code: 'no_answer_in_time',
        words: `The server took the request and did not answer within ${timeoutMs / 1_000} s. Let it answer at once, and work on the event afterwards.`,
      }
    : {
        code: 'connection_broken',
        words: 'The answer cannot be read. The log of the server should say why.',
      };
};

const nobody = '00000000-0000-0000-0000-000000000000';

const sample = (now: number, timeZone: string, numberId: string): EventSnapshot => {
  const before = (seconds: number): string => new Date(now - seconds * 1000).toISOString();
  return {
    time_zone: timeZone,
    call: {
      id: nobody,
      number_id: numberId,
      direction: 'outbound',
      own_number: '0200000000',
      counterparty: '01000000000',
      caller_name: null,
      diversions: null,
      language: 'ko',
      status: 'completed',
      end_reason: 'agent_hangup',
      instruction: 'This is a test event.',
      summary: null,
      started_at: before(70),
      answered_at: before(60),
      ended_at: before(0),
      duration_sec: 60,
      answered_by: 'human',
      sip_status: null,
      sip_reason: null,
      sip_call_id: null,
      sip_explanation: null,
    },
  };
};

/** Outcome of a test. */
export type WebhookTest = Pick<DeliveryOutcome, 'httpStatus' | 'error' | 'durationMs'> & {
  /** Advice for the owner of the endpoint; null for a delivered event. */
  advice: ServerAdvice | null;
};

/** Wraps the client to record its single request. */
const noting = (client: EndpointClient, clock: Clock) => {
  const begunAt = clock.now();
  const log: ExchangeLog = { exchanges: [], elapsed: () => clock.now() - begunAt };
  const observed = observedClient(client, () => log);
  let failure: EndpointFailure | undefined;
  return {
    client: {
      ...observed,
      post: (url: string, request: EndpointRequest) =>
        observed.post(url, request).catch((error: unknown) => {
          if (error instanceof EndpointFailure) failure = error;
          throw error;
        }),
    },
    noted: () => ({ failure, exchange: log.exchanges.at(-1) }),
  };
};

export const createWebhookTests = (options: {
  db: Database;
  sealing: Sealing;
  clients: EndpointClients;
  clock: Clock;
  timeoutMs: number;
}) => ({
  /** Sends the test event. Throws a Refusal (`not_found`) if the workspace has no such endpoint. */
  async send(endpoint: { id: string; workspaceId: string }): Promise<WebhookTest> {
    const { db, sealing, clients, clock, timeoutMs } = options;
    const { id, workspaceId } = endpoint;
    const record = await findWebhookEndpoint(db, { endpointId: id, workspaceId });
    const workspace = await findWorkspace(db, workspaceId);
    if (record === undefined || workspace === undefined) {
      throw new Refusal('not_found', 'There is no such webhook endpoint.');
    }
    const now = clock.now();
    const eventId = newEventId();
    const { client, noted } = noting(clients.of(workspaceId), clock);
    const { httpStatus, error, durationMs } = await deliver(
      { client, clock },
      {
        url: record.url,
        eventId,
        body: eventBody({
          id: eventId,
          type: 'webhook.test',
          at: new Date(now),
          snapshot: sample(now, workspace.timeZone, record.numberId ?? nobody),
        }),
        secrets: openEndpointSecrets(sealing, id, record, now),
        timeoutMs,
        signal: new AbortController().signal,
      },
    );
    const advice = error === null ? null : testAdvice({ url: record.url, timeoutMs, ...noted() });
    return { httpStatus, error, durationMs, advice };
  },
});
