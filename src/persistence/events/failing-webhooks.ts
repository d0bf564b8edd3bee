import { sql } from 'kysely';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Row } from '../database/tables.ts';

/** An endpoint that receives no events now, or that has missed some. */
export type FailingWebhook = Pick<Row<'WebhookEndpoint'>, 'id' | 'url' | 'state' | 'failingSince'> & {
  /** Number of failed events, which can be replayed manually. */
  dead: number;
};

const failing = kyselyQuery((queries, { workspaceId }: { workspaceId: string }) =>
  queries
    .selectFrom('WebhookEndpoint as endpoint')
    .leftJoin('EventDelivery as delivery', (join) =>
      join.onRef('delivery.endpointId', '=', 'endpoint.id').on('delivery.state', '=', sql.lit('dead')),
    )
    .select(({ fn }) => [
      'endpoint.id',
      'endpoint.url',
      'endpoint.state',
      'endpoint.failingSince',
      fn.count<number>('delivery.id').as('dead'),
    ])
    .where('endpoint.workspaceId', '=', workspaceId)
    .groupBy('endpoint.id')
    .having(({ eb, fn, or }) =>
      or([
        eb('endpoint.state', '=', 'disabled'),
        eb('endpoint.failingSince', 'is not', null),
        eb(fn.count<number>('delivery.id'), '>', 0),
      ]),
    )
    .orderBy('endpoint.createdAt')
    .orderBy('endpoint.id'),
);

export const failingWebhooks = (db: Statements, workspaceId: string): Promise<FailingWebhook[]> =>
  failing(db, { workspaceId });
