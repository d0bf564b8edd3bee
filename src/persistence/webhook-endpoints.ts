/** Webhook endpoints of a workspace (guides/design/events.md, "Endpoints"). */
import type { Database } from './database.ts';
import { WebhookEndpoint } from './entities/webhook-endpoint.ts';
import { notify } from './notifications.ts';
import { deliveriesChannel } from './outbox.ts';
import { patchRow, type Patch } from './patch.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import { columnsOf, type Row } from './tables.ts';

export type WebhookEndpointRecord = Row<'WebhookEndpoint'>;

/** Condition: an endpoint of this workspace. */
export type EndpointIn = { endpointId: string; workspaceId: string };

/** When an endpoint becomes active, its pending events become due. */
export type EndpointPatch = Patch<Pick<WebhookEndpointRecord, 'url' | 'events' | 'numberId'>> & {
  state?: 'active' | 'paused' | undefined;
};

const columns = columnsOf('WebhookEndpoint');

const ofWorkspace = prepared((queries, { workspaceId }: Pick<EndpointIn, 'workspaceId'>) =>
  queries
    .selectFrom('WebhookEndpoint')
    .select(columns)
    .where('workspaceId', '=', workspaceId)
    .orderBy('createdAt')
    .orderBy('id'),
);

const one = prepared((queries, { endpointId, workspaceId }: EndpointIn) =>
  queries
    .selectFrom('WebhookEndpoint')
    .select(columns)
    .where('id', '=', endpointId)
    .where('workspaceId', '=', workspaceId),
);

const rotation = prepared((queries, rotated: EndpointIn & { secretSealed: string; previousUntil: Date }) =>
  queries
    .updateTable('WebhookEndpoint')
    .set(({ ref }) => ({
      previousSecretSealed: ref('secretSealed'),
      previousSecretUntil: rotated.previousUntil,
      secretSealed: rotated.secretSealed,
    }))
    .where('id', '=', rotated.endpointId)
    .where('workspaceId', '=', rotated.workspaceId)
    .returning(columns),
);

const disabling = prepared((queries, { endpointId, reason }: { endpointId: string; reason: string }) =>
  queries
    .updateTable('WebhookEndpoint')
    .set({ state: 'disabled', disabledReason: reason })
    .where('id', '=', endpointId),
);

const failing = prepared(
  (queries, { endpointId, at, failure }: { endpointId: string; at: Date; failure: string }) =>
    queries
      .updateTable('WebhookEndpoint')
      .set(({ fn, val }) => ({
        failingSince: fn.coalesce('failingSince', val(at)),
        lastFailure: failure,
      }))
      .where('id', '=', endpointId),
);

const working = prepared((queries, { endpointId }: { endpointId: string }) =>
  queries
    .updateTable('WebhookEndpoint')
    .set({ failingSince: null, lastFailure: null })
    .where('id', '=', endpointId)
    .where('failingSince', 'is not', null),
);

const removal = prepared((queries, { endpointId, workspaceId }: EndpointIn) =>
  queries
    .deleteFrom('WebhookEndpoint')
    .where('id', '=', endpointId)
    .where('workspaceId', '=', workspaceId)
    .returning('id'),
);

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
    failingSince: null,
    lastFailure: null,
  };
  await db.entityManager().insert(WebhookEndpoint, created);
  return { ...created, state: 'active' };
};

/** Oldest first. */
export const listWebhookEndpoints = (db: Database, workspaceId: string): Promise<WebhookEndpointRecord[]> =>
  ofWorkspace(db, { workspaceId });

/** Undefined for an endpoint of another workspace. */
export const findWebhookEndpoint = async (
  db: Database,
  wanted: EndpointIn,
): Promise<WebhookEndpointRecord | undefined> => (await one(db, wanted)).at(0);

export const patchWebhookEndpoint = async (
  db: Database,
  wanted: EndpointIn,
  patch: EndpointPatch,
): Promise<WebhookEndpointRecord | undefined> => {
  const { endpointId, workspaceId } = wanted;
  const reason = patch.state === undefined ? {} : { disabledReason: null };
  // A new URL or a reactivated endpoint clears the failure state.
  const isNew = patch.url !== undefined || patch.state === 'active';
  const failure = isNew ? { failingSince: null, lastFailure: null } : {};
  const columns = { ...patch, ...reason, ...failure };
  await patchRow(db, WebhookEndpoint, { id: endpointId, workspaceId }, columns);
  const patched = await findWebhookEndpoint(db, wanted);
  if (patched?.state === 'active' && patch.state === 'active') await notify(db, deliveriesChannel);
  return patched;
};

/** Signs with the new secret; until `previousUntil` also with the replaced one. */
export const rotateEndpointSecret = async (
  db: Database,
  wanted: EndpointIn,
  secret: { secretSealed: string; previousUntil: Date },
): Promise<WebhookEndpointRecord | undefined> => (await rotation(db, { ...wanted, ...secret })).at(0);

/** Disables the endpoint until an admin reactivates it. */
export const disableWebhookEndpoint = async (
  db: Database,
  endpointId: string,
  reason: string,
): Promise<void> => {
  await disabling(db, { endpointId, reason });
};

/** Records a failed attempt that began at this time. */
export const noteEndpointFailure = async (
  db: Statements,
  failed: { endpointId: string; at: Date; failure: string },
): Promise<void> => {
  await failing(db, failed);
};

/** Records a successful attempt, which clears the failure state. */
export const noteEndpointWorks = async (db: Statements, endpointId: string): Promise<void> => {
  await working(db, { endpointId });
};

/** Deletes the endpoint with its deliveries. Resolves to whether it existed. */
export const deleteWebhookEndpoint = async (db: Statements, wanted: EndpointIn): Promise<boolean> =>
  (await removal(db, wanted)).length > 0;
