/**
 * Hang-ups that are asked for between the death of the gateway that held a call and the moment in which another one
 * goes on with it (`CallRevival`): they are left with the call for whoever holds it next.
 */
import { nodeHasSession } from './advisory-locks.ts';
import { prepared } from './prepared.ts';
import type { Statements } from './statements.ts';
import type { Row } from './tables.ts';

export type HangupAction = NonNullable<Row<'CallRevival'>['leftHangup']>;

type Leaving = { callId: string; numberId: string; holder: string };

const leaving = (action: HangupAction) =>
  prepared((queries, { callId, numberId, holder }: Leaving) =>
    queries
      .updateTable('CallRevival')
      .from('Call')
      .set(({ fn, val }) => ({
        // One that waits for nothing was asked for before, and is not taken back.
        leftHangup: action === 'hangup' ? fn.coalesce('CallRevival.leftHangup', val(action)) : action,
      }))
      .whereRef('Call.id', '=', 'CallRevival.callId')
      .where('Call.id', '=', callId)
      .where('Call.numberId', '=', numberId)
      .where('Call.node', '=', holder)
      .where('Call.endedAt', 'is', null)
      .where(({ not, ref }) => not(nodeHasSession(ref('Call.node'))))
      .returning('CallRevival.callId'),
  );

const leavingHangup = { hangup: leaving('hangup'), hangup_immediately: leaving('hangup_immediately') };

/**
 * Leaves a hang-up with a call whose holder has no session with the database any more. `false` when it has one, does not
 * hold the call any more, or when nobody could go on with it.
 */
export const leaveHangup = async (
  db: Statements,
  { action, ...call }: Leaving & { action: HangupAction },
): Promise<boolean> => (await leavingHangup[action](db, call)).length > 0;

export type LeftHangup = { callId: string; numberId: string; action: HangupAction };

const left = prepared((queries, { node }: { node: string }) =>
  queries
    .selectFrom('CallRevival')
    .innerJoin('Call', 'Call.id', 'CallRevival.callId')
    .select(['CallRevival.callId', 'Call.numberId', 'CallRevival.leftHangup'])
    .where('CallRevival.leftHangup', 'is not', null)
    .where('Call.node', '=', node),
);

/** Those of the calls that this gateway holds. */
export const leftHangupsOf = async (db: Statements, node: string): Promise<LeftHangup[]> =>
  (await left(db, { node })).flatMap(({ leftHangup: action, ...call }) =>
    action === null ? [] : [{ ...call, action }],
  );

const removing = prepared((queries, { callId, action }: Pick<LeftHangup, 'callId' | 'action'>) =>
  queries
    .updateTable('CallRevival')
    .set({ leftHangup: null })
    .where('callId', '=', callId)
    .where('leftHangup', '=', action),
);

/** It is done, or cannot be done any more; one that was left meanwhile and waits for less stays. */
export const removeLeftHangup = async (
  db: Statements,
  { callId, action }: Pick<LeftHangup, 'callId' | 'action'>,
): Promise<void> => {
  await removing(db, { callId, action });
};
