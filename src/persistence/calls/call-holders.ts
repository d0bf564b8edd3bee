/** Reads the gateway that holds a call in progress, and its address. */
import type { ListenInPolicy } from '#src/domain/listen-in.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';

const holderOf = kyselyQuery((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('Call')
    .leftJoin('Node', 'Node.name', 'Call.node')
    .select(['Call.node', 'Call.workspaceId', 'Node.address'])
    .where('Call.id', '=', callId)
    .where('Call.endedAt', 'is', null),
);

/**
 * Resolves to `undefined` for an ended call. `address` is null if the gateway registered no address or no longer
 * exists.
 */
export const findHolder = async (
  db: Statements,
  callId: string,
): Promise<{ node: string; workspaceId: string; address: string | null } | undefined> =>
  (await holderOf(db, { callId }))[0];

const listenInPolicy = kyselyQuery(
  (queries, { callId, workspaceId }: { callId: string; workspaceId: string }) =>
    queries
      .selectFrom('Call')
      .innerJoin('PhoneNumber', 'PhoneNumber.id', 'Call.numberId')
      .select('PhoneNumber.listenIn')
      .where('Call.id', '=', callId)
      .where('Call.workspaceId', '=', workspaceId)
      .where('Call.endedAt', 'is', null),
);

/**
 * Resolves to the listen-in policy of the call's number; `undefined` if the call is over or belongs to another
 * workspace.
 */
export const findListenInPolicy = async (
  db: Statements,
  call: { callId: string; workspaceId: string },
): Promise<ListenInPolicy | undefined> => (await listenInPolicy(db, call))[0]?.listenIn;
