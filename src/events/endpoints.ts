/**
 * Administration of a workspace's webhook endpoints (guides/design/events.md, "Endpoints"). Every function takes the
 * workspace that sends the request, and returns `undefined` for endpoints of other workspaces.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '#src/domain/clock.ts';
import type { EventType } from '#src/domain/event-types.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { Database } from '#src/persistence/database/database.ts';
import {
  findDelivery,
  listDeliveries,
  replayDelivery,
  type DeliveryRecord,
} from '#src/persistence/events/delivery-list.ts';
import { findNumber } from '#src/persistence/numbers/numbers.ts';
import type { Sealing } from '#src/persistence/database/sealing.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  findWebhookEndpoint,
  listWebhookEndpoints,
  nextAttemptsOf,
  patchWebhookEndpoint,
  rotateEndpointSecret,
  type EndpointIn,
  type EndpointPatch,
  type WebhookEndpointRecord,
} from '#src/persistence/events/webhook-endpoints.ts';
import { newEndpointSecret, rotationMs } from './endpoint-secret.ts';
import { eventBody } from './payloads.ts';

export type { DeliveryRecord } from '#src/persistence/events/delivery-list.ts';

export type EndpointAdministration = {
  db: Database;
  sealing: Sealing;
  clock: Clock;
  /** Returns a sentence about why a URL cannot be used; undefined if it can be used. */
  urlProblem: (url: string) => Promise<string | undefined>;
};

/** An endpoint without its secrets. */
export type WebhookEndpoint = Omit<WebhookEndpointRecord, 'secretSealed' | 'previousSecretSealed'>;

/** An endpoint with the earliest time of its next attempt; null if no event waits or the endpoint is not active. */
export type ScheduledEndpoint = WebhookEndpoint & { nextAttemptAt: Date | null };

/** A delivery with the body that is sent. */
export type DeliveryWithPayload = DeliveryRecord & { payload: string };

export type WebhookEndpointSettings = {
  url: string;
  /** Event types that the endpoint receives; null for all types. */
  events: EventType[] | null;
  /** Number whose calls are reported; null for the calls of all numbers. */
  numberId: string | null;
};

const withoutSecrets = (record: WebhookEndpointRecord): WebhookEndpoint => {
  const { secretSealed: _, previousSecretSealed: __, ...endpoint } = record;
  return endpoint;
};

const refuseField = (path: string, message: string): never => {
  throw new Refusal('invalid_request', message, { extras: { errors: [{ path, message }] } });
};

/** Validates a field. Throws a Refusal (`invalid_request`) that names the field. */
const checkTargets = async (
  { db, urlProblem }: EndpointAdministration,
  workspaceId: string,
  { url, numberId }: EndpointPatch,
): Promise<void> => {
  const problem = url === undefined ? undefined : await urlProblem(url);
  if (problem !== undefined) refuseField('url', problem);
  if (typeof numberId === 'string' && (await findNumber(db, { numberId, workspaceId })) === undefined) {
    refuseField('number_id', 'This workspace has no such number.');
  }
};

/**
 * Creates an endpoint and returns its secret, which is not shown again. Throws a Refusal (`invalid_request`) for a bad
 * URL or number.
 */
export const createEndpoint = async (
  administration: EndpointAdministration,
  workspaceId: string,
  request: WebhookEndpointSettings,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> => {
  const { db, sealing, clock } = administration;
  await checkTargets(administration, workspaceId, request);
  const id = randomUUID();
  const secret = newEndpointSecret();
  const record = await createWebhookEndpoint(db, {
    ...request,
    id,
    workspaceId,
    secretSealed: sealing.seal(secret, id),
    createdAt: new Date(clock.now()),
  });
  return { endpoint: withoutSecrets(record), secret };
};

/** Lists the endpoints, oldest first. */
export const listEndpoints = async (db: Database, workspaceId: string): Promise<WebhookEndpoint[]> =>
  (await listWebhookEndpoints(db, workspaceId)).map(withoutSecrets);

export const getEndpoint = async (
  db: Database,
  endpoint: EndpointIn,
): Promise<WebhookEndpoint | undefined> => {
  const record = await findWebhookEndpoint(db, endpoint);
  return record && withoutSecrets(record);
};

/**
 * Changes an endpoint. Deliveries of a paused endpoint wait until its `state` is `active` again, which also re-enables
 * a disabled endpoint. Throws a Refusal (`invalid_request`) for a bad URL or number.
 */
export const patchEndpoint = async (
  administration: EndpointAdministration,
  endpoint: EndpointIn,
  patch: EndpointPatch,
): Promise<WebhookEndpoint | undefined> => {
  await checkTargets(administration, endpoint.workspaceId, patch);
  const record = await patchWebhookEndpoint(administration.db, endpoint, patch);
  return record && withoutSecrets(record);
};

/**
 * Replaces the secret and returns the new one once. The previous secret also signs until `previousSecretUntil`, 24
 * hours from now; an even older secret stops at once.
 */
export const rotateSecret = async (
  { db, sealing, clock }: EndpointAdministration,
  endpoint: EndpointIn,
): Promise<{ endpoint: WebhookEndpoint; secret: string } | undefined> => {
  const secret = newEndpointSecret();
  const record = await rotateEndpointSecret(db, endpoint, {
    secretSealed: sealing.seal(secret, endpoint.endpointId),
    previousUntil: new Date(clock.now() + rotationMs),
  });
  return record && { endpoint: withoutSecrets(record), secret };
};

/** Lists deliveries, newest first, each with its attempts. */
export const listEndpointDeliveries = async (
  db: Database,
  { endpointId, workspaceId }: EndpointIn,
  page: Omit<Parameters<typeof listDeliveries>[1], 'endpointId'>,
): Promise<DeliveryRecord[] | undefined> => {
  const record = await findWebhookEndpoint(db, { endpointId, workspaceId });
  return record && listDeliveries(db, { ...page, endpointId });
};

/** The webhook endpoints of all workspaces, for the API. No `nextAttemptAt` lies in the past. */
export type Endpoints = {
  list(workspaceId: string): Promise<ScheduledEndpoint[]>;
  get(endpoint: EndpointIn): Promise<ScheduledEndpoint | undefined>;
  create(
    workspaceId: string,
    request: WebhookEndpointSettings,
  ): Promise<{ endpoint: ScheduledEndpoint; secret: string }>;
  patch(endpoint: EndpointIn, patch: EndpointPatch): Promise<ScheduledEndpoint | undefined>;
  /** Deletes an endpoint. Resolves to whether the endpoint existed. */
  delete(endpoint: EndpointIn): Promise<boolean>;
  rotateSecret(endpoint: EndpointIn): Promise<{ endpoint: ScheduledEndpoint; secret: string } | undefined>;
  deliveries(
    endpoint: EndpointIn,
    page: Parameters<typeof listEndpointDeliveries>[2],
  ): Promise<DeliveryRecord[] | undefined>;
  /** Returns a delivery with its body. */
  delivery(delivery: { deliveryId: string; workspaceId: string }): Promise<DeliveryWithPayload | undefined>;
  /** Delivers an event again. */
  replay(delivery: { deliveryId: string; workspaceId: string }): Promise<DeliveryRecord | undefined>;
};

export const createEndpoints = (administration: EndpointAdministration): Endpoints => {
  const { db, clock } = administration;

  /** Replaces a past time by now: the attempt is in progress or follows at once. */
  const notPast = <Item extends { nextAttemptAt: Date | null }>(item: Item): Item => ({
    ...item,
    nextAttemptAt: item.nextAttemptAt && new Date(Math.max(item.nextAttemptAt.getTime(), clock.now())),
  });

  const scheduled = async (
    workspaceId: string,
    endpoints: readonly WebhookEndpoint[],
  ): Promise<ScheduledEndpoint[]> => {
    const next = await nextAttemptsOf(db, workspaceId);
    return endpoints.map((endpoint) =>
      notPast({ ...endpoint, nextAttemptAt: next.get(endpoint.id) ?? null }),
    );
  };

  const scheduledOne = async (
    workspaceId: string,
    endpoint: WebhookEndpoint | undefined,
  ): Promise<ScheduledEndpoint | undefined> => endpoint && (await scheduled(workspaceId, [endpoint]))[0];

  return {
    list: async (workspaceId) => scheduled(workspaceId, await listEndpoints(db, workspaceId)),
    get: async (endpoint) => scheduledOne(endpoint.workspaceId, await getEndpoint(db, endpoint)),
    async create(workspaceId, request) {
      const { endpoint, secret } = await createEndpoint(administration, workspaceId, request);
      return { endpoint: { ...endpoint, nextAttemptAt: null }, secret };
    },
    patch: async (endpoint, patch) =>
      scheduledOne(endpoint.workspaceId, await patchEndpoint(administration, endpoint, patch)),
    delete: (endpoint) => deleteWebhookEndpoint(db, endpoint),
    async rotateSecret(wanted) {
      const rotated = await rotateSecret(administration, wanted);
      const endpoint = await scheduledOne(wanted.workspaceId, rotated?.endpoint);
      return rotated && endpoint && { endpoint, secret: rotated.secret };
    },
    deliveries: async (endpoint, page) => (await listEndpointDeliveries(db, endpoint, page))?.map(notPast),
    async delivery(wanted) {
      const found = await findDelivery(db, wanted);
      return found && { ...notPast(found.delivery), payload: eventBody(found.event) };
    },
    async replay(delivery) {
      const record = await replayDelivery(db, { ...delivery, now: new Date(clock.now()) });
      return record && notPast(record);
    },
  };
};
