/** A workspace with one number, its calls, and workers that really deliver their events. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { pino } from 'pino';
import { deliveryPolicy } from '#config/policy.ts';
import {
  createDeliveryWorker,
  type DeliveryWorker,
  type DeliveryWorkerOptions,
} from '#src/events/delivery-worker.ts';
import {
  createEndpoint,
  listEndpointDeliveries,
  type EndpointAdministration,
  type WebhookEndpointSettings,
  type WebhookEndpoint,
} from '#src/events/endpoints.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';
import type { EndpointClients } from '#src/outgoing/endpoint-clients.ts';
import { recordFact } from '#src/persistence/calls/call-facts.ts';
import { insertCall } from '#src/persistence/calls/calls.ts';
import type { Database } from '#src/persistence/database/database.ts';
import type { DeliveryRecord } from '#src/persistence/events/delivery-list.ts';
import { createNumber } from '#src/persistence/numbers/numbers.ts';
import { createSealing } from '#src/persistence/database/sealing.ts';
import { createWorkspace } from '#src/persistence/workspaces/workspaces.ts';
import { ownDatabase } from '#test/helpers/database.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { createSteppedClock, type SteppedClock } from './stepped-clock.ts';

export type EventWorld = {
  clock: SteppedClock;
  administration: EndpointAdministration;
  clients: EndpointClients;
  workspaceId: string;
  numberId: string;
  addNumber: () => Promise<string>;
  /** A receiver, and an endpoint at its address whose secret it knows. */
  endpoint: (
    request?: Partial<WebhookEndpointSettings>,
  ) => Promise<{ receiver: WebhookReceiver; id: string; endpoint: WebhookEndpoint }>;
  /** A call that rings and ends unanswered: the events `call.ringing` and `call.ended`. Returns its id. */
  call: (numberId?: string) => Promise<string>;
  /** Runs until the end of the test or its close. Retries come without jitter. */
  startWorker: (changes?: Partial<DeliveryWorkerOptions>) => Promise<DeliveryWorker>;
  /** Newest first. */
  deliveries: (endpointId: string) => Promise<DeliveryRecord[]>;
};

let numbers = 0;

const storeUnanswered = async (
  db: Database,
  owner: { workspaceId: string; numberId: string },
  at: number,
): Promise<string> => {
  const id = randomUUID();
  await insertCall(db, {
    ...owner,
    id,
    direction: 'outbound',
    ownNumber: '07000000001',
    counterparty: '01000000002',
    language: 'ko',
    instruction: 'Say hello.',
    maxDurationSec: 600,
    recordingEnabled: false,
    startedAt: new Date(at),
    node: 'test',
  });
  await recordFact(db, id, 1, { type: 'call.ended', at, reason: 'no_answer', status: 'no_answer' });
  return id;
};

export const createEventWorld = async (
  t: ExecutionContext,
  db: Database,
  /** Another workspace, whose worker also delivers for this one. */
  beside?: EventWorld,
): Promise<EventWorld> => {
  const clock = beside?.clock ?? createSteppedClock();
  const sealing = beside?.administration.sealing ?? createSealing(randomBytes(32));
  const administration: EndpointAdministration = {
    db,
    sealing,
    clock,
    urlProblem: async (url) => (url.includes('refused') ? 'This URL cannot be used.' : undefined),
  };
  const client = createEndpointClient({
    rules: { allowedHosts: [], allowLoopback: true },
    connectMs: 60_000,
    maxBodyBytes: 64 * 1024,
    connectionsPerHost: deliveryPolicy.inAll,
  });
  t.teardown(() => client.close());
  const clients: EndpointClients = { of: () => client, close: () => client.close() };
  const workspaceId = randomUUID();
  await createWorkspace(db, { id: workspaceId, name: 'Events', createdAt: new Date() });

  const addNumber = async (): Promise<string> => {
    const id = randomUUID();
    const number = `070${String((numbers += 1)).padStart(8, '0')}`;
    await createNumber(db, { id, workspaceId, number, language: 'ko', createdAt: new Date() });
    return id;
  };
  const firstNumberId = await addNumber();

  return {
    clock,
    administration,
    clients,
    workspaceId,
    numberId: firstNumberId,
    addNumber,
    async endpoint(request = {}) {
      const receiver = await startWebhookReceiver();
      t.teardown(receiver.close);
      const { endpoint, secret } = await createEndpoint(administration, workspaceId, {
        url: receiver.url,
        events: null,
        numberId: null,
        ...request,
      });
      receiver.trust(secret);
      return { receiver, id: endpoint.id, endpoint };
    },
    call: (numberId = firstNumberId) => storeUnanswered(db, { workspaceId, numberId }, clock.now()),
    async startWorker(changes = {}) {
      const worker = createDeliveryWorker({
        ...deliveryPolicy,
        node: 'test',
        db,
        sealing,
        clients,
        clock,
        wallClock: clock,
        closeMs: 1_000,
        logger: pino({ level: 'silent' }),
        random: () => 0,
        ...changes,
      });
      t.teardown(async () => {
        const closed = worker.close().then(() => 'closed');
        // Attempts that hang end when the clock reaches their limit.
        while ((await Promise.race([closed, new Promise(setImmediate)])) !== 'closed') clock.advance(1_000);
      });
      await worker.start();
      return worker;
    },
    deliveries: async (endpointId) =>
      (await listEndpointDeliveries(db, { endpointId, workspaceId }, { limit: 100 })) ?? [],
  };
};

/** A world in a database of its own: workers deliver every event in it. */
export const openWorld = async (t: ExecutionContext): Promise<{ db: Database; world: EventWorld }> => {
  const db = await ownDatabase(t);
  return { db, world: await createEventWorld(t, db) };
};

/** Waits until the deliveries of an endpoint are in these states, newest first. */
export const settled = async (
  world: EventWorld,
  endpointId: string,
  ...states: string[]
): Promise<DeliveryRecord[]> => {
  for (;;) {
    const deliveries = await world.deliveries(endpointId);
    if (deliveries.map(({ state }) => state).join() === states.join()) return deliveries;
    await new Promise(setImmediate);
  }
};

/** An endpoint that subscribes to one event of each call. */
export const onlyEnded = { events: ['call.ended'] } satisfies Partial<WebhookEndpointSettings>;
