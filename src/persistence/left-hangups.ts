/**
 * Hang-ups requested between the death of a call's gateway and the take-over by another one (`CallRevival`): they are
 * stored with the call for its next holder.
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
        // An earlier immediate hang-up is not downgraded.
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
 * Stores a hang-up with a call whose holder has no database session. Returns `false` if it has one, no longer holds the
 * call, or the call cannot be resumed.
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

/** Stored hang-ups of the calls that this gateway holds. */
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

/** Removes an executed or obsolete hang-up; keeps a more urgent one that was stored meanwhile. */
export const removeLeftHangup = async (
  db: Statements,
  { callId, action }: Pick<LeftHangup, 'callId' | 'action'>,
): Promise<void> => {
  await removing(db, { callId, action });
};
