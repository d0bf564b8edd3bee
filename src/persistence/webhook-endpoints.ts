/** Where a workspace wants its events delivered (guides/design/events.md, "Endpoints"). */
import type { InferEntity } from '@mikro-orm/core';
import type { EventType } from '#src/domain/event-types.ts';
import type { Database } from './database.ts';
import { WebhookEndpoint } from './entities/webhook-endpoint.ts';
import { deliveriesChannel } from './outbox.ts';

export type EndpointState = 'active' | 'paused' | 'disabled';

export type WebhookEndpointRecord = {
  id: string;
  workspaceId: string;
  /** Null: the calls of every number. */
  numberId: string | null;
  url: string;
  /** Null: every type. */
  events: EventType[] | null;
  /** Sealed about the endpoint's id, as the previous one. */
  secretSealed: string;
  /** Still signs, beside the new one, until `previousSecretUntil`. */
  previousSecretSealed: string | null;
  previousSecretUntil: Date | null;
  state: EndpointState;
  /** Why it is disabled. */
  disabledReason: string | null;
  createdAt: Date;
};

type EndpointIn = { endpointId: string; workspaceId: string };

const present = (row: InferEntity<typeof WebhookEndpoint>): WebhookEndpointRecord => ({
  id: row.id,
  workspaceId: row.workspaceId,
  numberId: row.numberId ?? null,
  url: row.url,
  events: row.events ?? null,
  secretSealed: row.secretSealed,
  previousSecretSealed: row.previousSecretSealed ?? null,
  previousSecretUntil: row.previousSecretUntil ?? null,
  state: row.state,
  disabledReason: row.disabledReason ?? null,
  createdAt: row.createdAt,
});

export const createWebhookEndpoint = async (
  db: Database,
  endpoint: Pick<
    WebhookEndpointRecord,
    'id' | 'workspaceId' | 'numberId' | 'url' | 'events' | 'secretSealed' | 'createdAt'
  >,
): Promise<WebhookEndpointRecord> => {
  const created = {
    ...endpoint,
    previousSecretSealed: null,
    previousSecretUntil: null,
    disabledReason: null,
  };
  await db.entityManager().insert(WebhookEndpoint, created);
  return { ...created, state: 'active' };
};

/** The oldest first. */
export const listWebhookEndpoints = async (
  db: Database,
  workspaceId: string,
): Promise<WebhookEndpointRecord[]> => {
  const rows = await db
    .entityManager()
    .find(WebhookEndpoint, { workspaceId }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  return rows.map(present);
};

/** Undefined for an endpoint of another workspace. */
export const findWebhookEndpoint = async (
  db: Database,
  { endpointId, workspaceId }: EndpointIn,
): Promise<WebhookEndpointRecord | undefined> => {
  const row = await db.entityManager().findOne(WebhookEndpoint, { id: endpointId, workspaceId });
  return row === null ? undefined : present(row);
};

/** Undefined leaves a setting as it is. An endpoint that becomes active gets what waited for it. */
export type EndpointPatch = {
  url?: string | undefined;
  events?: EventType[] | null | undefined;
  numberId?: string | null | undefined;
  state?: 'active' | 'paused' | undefined;
};

export const patchWebhookEndpoint = async (
  db: Database,
  { endpointId, workspaceId }: EndpointIn,
  patch: EndpointPatch,
): Promise<WebhookEndpointRecord | undefined> => {
  const manager = db.entityManager();
  const row = await manager.findOne(WebhookEndpoint, { id: endpointId, workspaceId });
  if (row === null) return undefined;
  if (patch.url !== undefined) row.url = patch.url;
  if (patch.events !== undefined) row.events = patch.events;
  if (patch.numberId !== undefined) row.numberId = patch.numberId;
  if (patch.state !== undefined) {
    row.state = patch.state;
    row.disabledReason = null;
  }
  await manager.flush();
  if (patch.state === 'active') await db.execute(`select pg_notify('${deliveriesChannel}', '')`);
  return present(row);
};

/** The new secret signs from now on; the one it replaces goes on signing beside it until `previousUntil`. */
export const rotateEndpointSecret = async (
  db: Database,
  { endpointId, workspaceId }: EndpointIn,
  { secretSealed, previousUntil }: { secretSealed: string; previousUntil: Date },
): Promise<WebhookEndpointRecord | undefined> => {
  const rows = await db.execute(
    `update webhook_endpoint
     set previous_secret_sealed = secret_sealed, previous_secret_until = $4, secret_sealed = $3
     where id = $1 and workspace_id = $2 returning 1`,
    [endpointId, workspaceId, secretSealed, previousUntil],
  );
  return rows.length === 0 ? undefined : findWebhookEndpoint(db, { endpointId, workspaceId });
};

/** It gets nothing more until an admin makes it active again. */
export const disableWebhookEndpoint = async (
  db: Database,
  endpointId: string,
  reason: string,
): Promise<void> => {
  await db.execute(`update webhook_endpoint set state = 'disabled', disabled_reason = $2 where id = $1`, [
    endpointId,
    reason,
  ]);
};

/** With its deliveries. Resolves to whether there was such an endpoint. */
export const deleteWebhookEndpoint = async (
  db: Database,
  { endpointId, workspaceId }: EndpointIn,
): Promise<boolean> => {
  const rows = await db.execute(
    'delete from webhook_endpoint where id = $1 and workspace_id = $2 returning 1',
    [endpointId, workspaceId],
  );
  return rows.length > 0;
};
