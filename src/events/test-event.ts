/**
 * Test of an endpoint, which receives one event of the type `webhook.test` once, regardless of its state, event types
 * and number. The event has the form of a `call.ended` about a call that does not exist (an id of zeros), and is not
 * stored.
 */
import type { Clock } from '#src/domain/clock.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { EndpointClients } from '#src/outgoing/endpoint-clients.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { newEventId, type EventSnapshot } from '#src/persistence/events/outbox.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import { findWebhookEndpoint } from '#src/persistence/events/webhook-endpoints.ts';
import { findWorkspace } from '#src/persistence/workspaces/workspaces.ts';
import { deliver, type DeliveryOutcome } from './attempt-delivery.ts';
import { openEndpointSecrets } from './endpoint-secret.ts';
import { eventBody } from './payloads.ts';

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
export type WebhookTest = Pick<DeliveryOutcome, 'httpStatus' | 'error' | 'durationMs' | 'advice'>;

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
    const { httpStatus, error, durationMs, advice } = await deliver(
      { client: clients.of(workspaceId), clock },
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
    return { httpStatus, error, durationMs, advice };
  },
});
