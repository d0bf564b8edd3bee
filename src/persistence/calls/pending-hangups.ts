/**
 * Hang-ups requested after a call's gateway died and before another gateway took the call over. The requests are stored
 * in `CallCheckpoint` for the next gateway.
 */
import { nodeHasSession } from '../database/advisory-locks.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Statements } from '../database/statements.ts';
import type { Queries, Row } from '../database/tables.ts';

export type HangupAction = NonNullable<Row<'CallCheckpoint'>['pendingHangup']>;

type Storing = { callId: string; numberId: string; holder: string };

const storingAs = (action: HangupAction) =>
  kyselyQuery((queries, { callId, numberId, holder }: Storing) =>
    queries
      .updateTable('CallCheckpoint')
      .from('Call')
      .set(({ fn, val }) => ({
        // An immediate hang-up that is already stored stays immediate.
        pendingHangup:
          action === 'hangup' ? fn.coalesce('CallCheckpoint.pendingHangup', val(action)) : action,
      }))
      .whereRef('Call.id', '=', 'CallCheckpoint.callId')
      .where('Call.id', '=', callId)
      .where('Call.numberId', '=', numberId)
      .where('Call.node', '=', holder)
      .where('Call.endedAt', 'is', null)
      .where('CallCheckpoint.settings', 'is not', null)
      .where(({ not, ref }) => not(nodeHasSession(ref('Call.node'))))
      .returning('CallCheckpoint.callId'),
  );

const storing = { hangup: storingAs('hangup'), hangup_immediately: storingAs('hangup_immediately') };

/**
 * Stores a hang-up with a call whose gateway has no database session. Resolves to `false` if the gateway has a session
 * or no longer holds the call, or if the call cannot be resumed.
 */
export const storeHangup = async (
  db: Statements,
  { action, ...call }: Storing & { action: HangupAction },
): Promise<boolean> => (await storing[action](db, call)).length > 0;

export type PendingHangup = { callId: string; numberId: string; action: HangupAction };

/** Query of the stored hang-ups of the calls that a gateway holds. */
export const hangupsLeftFor = (queries: Queries, node: string) =>
  queries
    .selectFrom('CallCheckpoint')
    .innerJoin('Call', 'Call.id', 'CallCheckpoint.callId')
    .where('CallCheckpoint.pendingHangup', 'is not', null)
    .where('Call.node', '=', node);

const left = kyselyQuery((queries, { node }: { node: string }) =>
  hangupsLeftFor(queries, node).select([
    'CallCheckpoint.callId',
    'Call.numberId',
    'CallCheckpoint.pendingHangup',
  ]),
);

/** Returns the stored hang-ups of the calls that this gateway holds. */
export const pendingHangupsOf = async (db: Statements, node: string): Promise<PendingHangup[]> =>
  (await left(db, { node })).flatMap(({ pendingHangup: action, ...call }) =>
    action === null ? [] : [{ ...call, action }],
  );

const removing = kyselyQuery((queries, { callId, action }: Pick<PendingHangup, 'callId' | 'action'>) =>
  queries
    .updateTable('CallCheckpoint')
    .set({ pendingHangup: null })
    .where('callId', '=', callId)
    .where('pendingHangup', '=', action),
);

/** Removes an executed or obsolete hang-up. An immediate hang-up that was stored meanwhile remains. */
export const removePendingHangup = async (
  db: Statements,
  { callId, action }: Pick<PendingHangup, 'callId' | 'action'>,
): Promise<void> => {
  await removing(db, { callId, action });
};
