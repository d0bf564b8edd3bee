/** Webhook endpoints of a workspace (guides/design/events.md, "Endpoints"). */
import { LockMode } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { WebhookEndpoint } from './webhook-endpoint.ts';
import { notify } from '../database/notifications.ts';
import { deliveriesChannel } from './outbox.ts';
import { given, oldestFirst, recordOf, type Patch } from '../database/records.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import { columnsOf, type Row } from '../database/tables.ts';

export type WebhookEndpointRecord = Row<'WebhookEndpoint'>;

/** Condition for an endpoint of this workspace. */
export type EndpointIn = { endpointId: string; workspaceId: string };

/** Changes of an endpoint. When an endpoint becomes active, its pending events become due. */
export type EndpointPatch = Patch<Pick<WebhookEndpointRecord, 'url' | 'events' | 'numberId'>> & {
  state?: 'active' | 'paused' | undefined;
};

const columns = columnsOf('WebhookEndpoint');

/** A failed attempt that began at `at`, at this URL of the endpoint. */
type EndpointFailed = {
  endpointId: string;
  url: string;
  at: Date;
  failure: string;
  code: WebhookEndpointRecord['lastFailureCode'];
  advice: string | null;
  /** Whether the endpoint responded at all, which ends its cool-down. */
  didRespond: boolean;
  /** End of the endpoint's cool-down; null if the endpoint may be tried at once. */
  coolingUntil: Date | null;
};

const failing = kyselyQuery(
  (queries, { endpointId, url, at, failure, code, advice, didRespond, coolingUntil }: EndpointFailed) =>
    queries
      .updateTable('WebhookEndpoint')
      .set(({ fn, ref, val }) => ({
        failingSince: fn.coalesce('failingSince', val(at)),
        lastFailure: failure,
        lastFailureCode: code,
        lastFailureAdvice: advice,
        // Failures at about the same time may be stored in any order, so a cool-down is never shortened.
        coolingUntil: sql<Date | null>`case when ${didRespond}::boolean then null
          else greatest(${ref('coolingUntil')}, ${coolingUntil}::timestamptz) end`,
      }))
      .where('id', '=', endpointId)
      .where('url', '=', url)
      .returning('id'),
);

const havingUrl = kyselyQuery((queries, { endpointId, url }: Pick<EndpointFailed, 'endpointId' | 'url'>) =>
  queries.selectFrom('WebhookEndpoint').select('id').where('id', '=', endpointId).where('url', '=', url),
);

const noFailure = {
  failingSince: null,
  lastFailure: null,
  lastFailureCode: null,
  lastFailureAdvice: null,
  coolingUntil: null,
};

const working = kyselyQuery((queries, { endpointId, at }: { endpointId: string; at: Date }) =>
  queries
    .updateTable('WebhookEndpoint')
    .set(({ fn, val }) => ({
      ...noFailure,
      lastSuccessAt: fn<Date>('greatest', ['lastSuccessAt', val(at)]),
    }))
    .where('id', '=', endpointId),
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
    ...noFailure,
    lastSuccessAt: null,
  };
  await db.entityManager().insert(WebhookEndpoint, created);
  return { ...created, state: 'active' };
};

/** Lists the endpoints, oldest first. */
export const listWebhookEndpoints = async (
  db: Database,
  workspaceId: string,
): Promise<WebhookEndpointRecord[]> => {
  const endpoints = await db.entityManager().find(WebhookEndpoint, { workspaceId }, { orderBy: oldestFirst });
  return endpoints.map((endpoint) => recordOf<WebhookEndpointRecord>(endpoint, columns));
};

const rowOf = ({ endpointId, workspaceId }: EndpointIn) => ({ id: endpointId, workspaceId });

/** Returns the endpoint; undefined for an endpoint of another workspace. */
export const findWebhookEndpoint = async (
  db: Database,
  wanted: EndpointIn,
): Promise<WebhookEndpointRecord | undefined> => {
  const endpoint = await db.entityManager().findOne(WebhookEndpoint, rowOf(wanted));
  return endpoint === null ? undefined : recordOf<WebhookEndpointRecord>(endpoint, columns);
};

/** Locks the endpoint's row, so that the delivery worker does not record a result of the old settings meanwhile. */
const changeEndpoint = (
  db: Database,
  wanted: EndpointIn,
  change: (endpoint: Pick<WebhookEndpointRecord, 'secretSealed'>) => Partial<WebhookEndpointRecord>,
  then: (statements: Statements) => Promise<void> = async () => {},
): Promise<WebhookEndpointRecord | undefined> =>
  db.transaction(async (statements, manager) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    const endpoint = await manager.findOne(WebhookEndpoint, rowOf(wanted), { lockMode });
    if (endpoint === null) return undefined;
    manager.assign(endpoint, change(endpoint));
    await then(statements);
    return recordOf<WebhookEndpointRecord>(endpoint, columns);
  });

export const patchWebhookEndpoint = (
  db: Database,
  wanted: EndpointIn,
  patch: EndpointPatch,
): Promise<WebhookEndpointRecord | undefined> => {
  const reason = patch.state === undefined ? {} : { disabledReason: null };
  // The failure state and the cool-down are cleared if the URL is new or the endpoint is reactivated.
  const isNew = patch.url !== undefined || patch.state === 'active';
  const failure = isNew ? noFailure : {};
  const success = patch.url === undefined ? {} : { lastSuccessAt: null };
  return changeEndpoint(
    db,
    wanted,
    () => ({ ...given(patch), ...reason, ...failure, ...success }),
    async (statements) => {
      if (isNew) await notify(statements, deliveriesChannel);
    },
  );
};

/**
 * Replaces the secret. Requests are signed with the new secret, and until `previousUntil` also with the replaced one.
 */
export const rotateEndpointSecret = (
  db: Database,
  wanted: EndpointIn,
  { secretSealed, previousUntil }: { secretSealed: string; previousUntil: Date },
): Promise<WebhookEndpointRecord | undefined> =>
  changeEndpoint(db, wanted, (endpoint) => ({
    previousSecretSealed: endpoint.secretSealed,
    previousSecretUntil: previousUntil,
    secretSealed,
  }));

/** Disables the endpoint until an admin reactivates it, unless the endpoint has another URL since the attempt. */
export const disableWebhookEndpoint = async (
  db: Database,
  { endpointId, url }: { endpointId: string; url: string },
  reason: string,
): Promise<void> => {
  await db
    .entityManager()
    .nativeUpdate(WebhookEndpoint, { id: endpointId, url }, { state: 'disabled', disabledReason: reason });
};

const restarted = kyselyQuery(
  (queries, { ids, failedAt }: { ids: readonly string[]; failedAt: readonly Date[] }) =>
    queries
      .selectFrom('WebhookEndpoint')
      .select('id')
      .where('failingSince', 'is', null)
      .where(
        ({ ref }) => sql<boolean>`exists (
          select from unnest(${ids}::uuid[], ${failedAt}::timestamptz[]) as failed (id, at)
          where failed.id = ${ref('WebhookEndpoint.id')}
            and coalesce(${ref('lastSuccessAt')} < failed.at, true))`,
      ),
);

/**
 * Returns those of the endpoints that were resumed or got a new URL since a stored failed attempt, given by id: their
 * failure was cleared without a success. A success at another gateway does not count, because this gateway may not
 * reach the endpoint.
 */
export const endpointsRestarted = async (
  db: Statements,
  failures: ReadonlyMap<string, Date>,
): Promise<string[]> => {
  const rows = await restarted(db, { ids: [...failures.keys()], failedAt: [...failures.values()] });
  return rows.map(({ id }) => id);
};

/** Whether the endpoint still has the URL of an attempt. */
export const hasUrl = async (
  db: Statements,
  attempted: { endpointId: string; url: string },
): Promise<boolean> => (await havingUrl(db, attempted)).length > 0;

/**
 * Records a failed attempt, unless the endpoint has another URL since. Resolves to whether the attempt was recorded.
 */
export const noteEndpointFailure = async (db: Statements, failed: EndpointFailed): Promise<boolean> =>
  (await failing(db, failed)).length > 0;

/** Records a successful attempt, which clears the failure state. */
export const noteEndpointWorks = async (
  db: Statements,
  worked: { endpointId: string; at: Date },
): Promise<void> => {
  await working(db, worked);
};

const nextAttempts = kyselyQuery((queries, { workspaceId }: { workspaceId: string }) =>
  queries
    .selectFrom('WebhookEndpoint as endpoint')
    .innerJoinLateral(
      (lateral) =>
        lateral
          .selectFrom('EventDelivery as delivery')
          .select('delivery.nextAttemptAt')
          .whereRef('delivery.endpointId', '=', 'endpoint.id')
          .where('delivery.state', '=', sql.lit('pending'))
          .where(({ exists, not, selectFrom }) =>
            not(
              exists(
                selectFrom('EventDelivery as before')
                  .select('before.id')
                  .whereRef('before.endpointId', '=', 'delivery.endpointId')
                  .whereRef('before.callId', '=', 'delivery.callId')
                  .where('before.state', '=', sql.lit('pending'))
                  .whereRef('before.position', '<', 'delivery.position'),
              ),
            ),
          )
          .orderBy('delivery.nextAttemptAt')
          .limit(1)
          .as('first'),
      (join) => join.onTrue(),
    )
    .select(({ fn }) => [
      'endpoint.id',
      fn<Date>('greatest', ['first.nextAttemptAt', 'endpoint.coolingUntil']).as('at'),
    ])
    .where('endpoint.workspaceId', '=', workspaceId)
    .where('endpoint.state', '=', sql.lit('active')),
);

/**
 * Returns the earliest time of the next attempt by the id of the endpoint; a past time means now. Endpoints without
 * pending events, and paused or disabled ones, are omitted.
 */
export const nextAttemptsOf = async (db: Statements, workspaceId: string): Promise<Map<string, Date>> =>
  new Map((await nextAttempts(db, { workspaceId })).map(({ id, at }) => [id, at]));

/** Number of deliveries that one transaction deletes with their attempts, in well under a second. */
const deletedAtOnce = 1_000;

const deletingFirst = kyselyQuery((queries, values: { endpointId: string; since: Date; most: number }) =>
  queries
    .with('doomed', (read) =>
      read
        .selectFrom('EventDelivery')
        .select(['EventDelivery.id', 'EventDelivery.createdAt'])
        .where('EventDelivery.endpointId', '=', values.endpointId)
        .where('EventDelivery.createdAt', '>=', values.since)
        .orderBy('EventDelivery.createdAt')
        .limit(values.most),
    )
    .with('deleted', (write) =>
      write.deleteFrom('EventDelivery').using('doomed').whereRef('EventDelivery.id', '=', 'doomed.id'),
    )
    .selectFrom('doomed')
    .select(({ fn }) => fn.max('doomed.createdAt').as('until')),
);

/**
 * Deletes the endpoint with its deliveries. Resolves to whether the endpoint existed.
 *
 * The deliveries are deleted in batches before the endpoint: the row of an endpoint that is being deleted is locked, and
 * every new event of the workspace waits for it. The endpoint is disabled first, so that it gets no more deliveries. If
 * the deletion is interrupted, the endpoint remains disabled until it is deleted again.
 */
export const deleteWebhookEndpoint = async (db: Database, wanted: EndpointIn): Promise<boolean> => {
  const { endpointId } = wanted;
  const disabled = { state: 'disabled', disabledReason: 'The endpoint is being deleted' } as const;
  if ((await db.entityManager().nativeUpdate(WebhookEndpoint, rowOf(wanted), disabled)) === 0) return false;
  for (let since: Date | null = new Date(0); since !== null;) {
    // Each batch begins at the end of the previous one. The index still contains the deliveries that are deleted.
    const [batch] = await deletingFirst(db, { endpointId, since, most: deletedAtOnce });
    since = batch?.until ?? null;
  }
  return (await db.entityManager().nativeDelete(WebhookEndpoint, rowOf(wanted))) > 0;
};
