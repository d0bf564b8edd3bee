/** Which gateway holds a call in progress, and where the others reach it. */
import type { ListenInPolicy } from '#src/domain/listen-in.ts';
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

const listenInPolicy = prepared((queries, { callId, workspaceId }: { callId: string; workspaceId: string }) =>
  queries
    .selectFrom('Call')
    .innerJoin('PhoneNumber', 'PhoneNumber.id', 'Call.numberId')
    .select('PhoneNumber.listenIn')
    .where('Call.id', '=', callId)
    .where('Call.workspaceId', '=', workspaceId)
    .where('Call.endedAt', 'is', null),
);

/** Whether somebody may listen to this call, by its number; `undefined`: the call is over, or another workspace's. */
export const findListenInPolicy = async (
  db: Statements,
  call: { callId: string; workspaceId: string },
): Promise<ListenInPolicy | undefined> => (await listenInPolicy(db, call))[0]?.listenIn;
