/** Where a workspace wants its events delivered (guides/design/events.md, "Endpoints"). */
import type { Database } from './database.ts';
import { WebhookEndpoint } from './entities/webhook-endpoint.ts';
import { notify } from './notifications.ts';
import { deliveriesChannel } from './outbox.ts';
import { patchRow, type Patch } from './patch.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import { columnsOf, type Row } from './tables.ts';

export type WebhookEndpointRecord = Row<'WebhookEndpoint'>;

/** An endpoint that is one of this workspace. */
export type EndpointIn = { endpointId: string; workspaceId: string };

/** An endpoint that becomes active gets what waited for it. */
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

/** The oldest first. */
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
  // Another URL, or one that is to be tried again, has not failed yet.
  const isNew = patch.url !== undefined || patch.state === 'active';
  const failure = isNew ? { failingSince: null, lastFailure: null } : {};
  const columns = { ...patch, ...reason, ...failure };
  await patchRow(db, WebhookEndpoint, { id: endpointId, workspaceId }, columns);
  const patched = await findWebhookEndpoint(db, wanted);
  if (patched?.state === 'active' && patch.state === 'active') await notify(db, deliveriesChannel);
  return patched;
};

/** The new secret signs from now on; the one it replaces goes on signing beside it until `previousUntil`. */
export const rotateEndpointSecret = async (
  db: Database,
  wanted: EndpointIn,
  secret: { secretSealed: string; previousUntil: Date },
): Promise<WebhookEndpointRecord | undefined> => (await rotation(db, { ...wanted, ...secret })).at(0);

/** It gets nothing more until an admin makes it active again. */
export const disableWebhookEndpoint = async (
  db: Database,
  endpointId: string,
  reason: string,
): Promise<void> => {
  await disabling(db, { endpointId, reason });
};

/** An attempt failed that began at this time. */
export const noteEndpointFailure = async (
  db: Statements,
  failed: { endpointId: string; at: Date; failure: string },
): Promise<void> => {
  await failing(db, failed);
};

/** An attempt succeeded: the endpoint is failing no longer. */
export const noteEndpointWorks = async (db: Statements, endpointId: string): Promise<void> => {
  await working(db, { endpointId });
};

/** With its deliveries. Resolves to whether there was such an endpoint. */
export const deleteWebhookEndpoint = async (db: Statements, wanted: EndpointIn): Promise<boolean> =>
  (await removal(db, wanted)).length > 0;
