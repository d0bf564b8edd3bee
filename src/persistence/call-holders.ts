/** Which gateway holds a call in progress, and where the others reach it. */
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';

const holderOf = prepared((queries, { callId }: { callId: string }) =>
  queries
    .selectFrom('Call')
    .leftJoin('Node', 'Node.name', 'Call.node')
    .select(['Call.node', 'Call.workspaceId', 'Node.address'])
    .where('Call.id', '=', callId)
    .where('Call.endedAt', 'is', null),
);

/** `undefined`: the call is over. `address` is null where that gateway told none, or is gone. */
export const findHolder = async (
  db: Statements,
  callId: string,
): Promise<{ node: string; workspaceId: string; address: string | null } | undefined> =>
  (await holderOf(db, { callId }))[0];
