/**
 * Lists the gateways of the database for members of a workspace: the state of each, and the number of the workspace's
 * calls there.
 */
import type { GatewayLoad } from '#src/domain/gateway-condition.ts';
import { nodeHasSession } from '../database/advisory-locks.ts';
import { firstEpoch } from '../calls/call-facts.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';

export type ListedGateway = {
  name: string;
  /** Time of the last renewal by the database clock. */
  seenAt: Date;
  /** Whether a database session holds the gateway's name. */
  hasSession: boolean;
  /** Whether other gateways declared this one dead and are cleaning up after it. */
  isLost: boolean;
  /** Whether the gateway would resume calls that other gateways hand over. */
  takesCalls: boolean;
  /** Null for a gateway whose version does not store them. */
  version: string | null;
  load: GatewayLoad | null;
  /** Numbers of the workspace's calls that the gateway holds. */
  ringing: number;
  active: number;
  /** Number of those calls that began at another gateway or in an earlier process. */
  takenOver: number;
};

const listing = kyselyQuery((queries, { workspaceId }: { workspaceId: string }) =>
  queries
    .selectFrom('Node')
    .leftJoin('Call', (join) =>
      join
        .onRef('Call.node', '=', 'Node.name')
        .on('Call.workspaceId', '=', workspaceId)
        .on('Call.endedAt', 'is', null),
    )
    .select(({ eb, fn, ref }) => [
      'Node.name',
      'Node.seenAt',
      'Node.version',
      'Node.load',
      nodeHasSession(ref('Node.name')).as('hasSession'),
      eb('Node.lostAt', 'is not', null).$castTo<boolean>().as('isLost'),
      eb('Node.takesLines', 'is not', null).$castTo<boolean>().as('takesCalls'),
      fn.count<number>('Call.id').filterWhere('Call.status', '=', 'ringing').as('ringing'),
      fn.count<number>('Call.id').filterWhere('Call.status', '=', 'active').as('active'),
      fn.count<number>('Call.id').filterWhere('Call.epoch', '>', firstEpoch).as('takenOver'),
    ])
    .groupBy(['Node.name', 'Node.seenAt', 'Node.lostAt', 'Node.takesLines', 'Node.version', 'Node.load'])
    .orderBy('Node.name'),
);

export const listGatewaysOf = (db: Statements, workspaceId: string): Promise<ListedGateway[]> =>
  listing(db, { workspaceId });
