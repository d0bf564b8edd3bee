/** The far ends (legs) of calls, which are part of their checkpoints (`CallCheckpoint`). */
import { z } from 'zod';
import type { StoredLeg, SipLeg, StandingDialog } from '#src/domain/sip-leg.ts';
import type { Database } from '../database/database.ts';
import { withoutWaitingForDisk } from '../database/expressions.ts';
import { kyselyQuery } from '../database/kysely-query.ts';
import type { Sealing } from '../database/sealing.ts';
import type { Statements } from '../database/statements.ts';
import { rowsOf, type Row } from '../database/tables.ts';
import { checkpointForm, type StoredProgress } from './call-checkpoints.ts';
import { openLeg, sealLeg } from './sealed-legs.ts';

const standingDialog: z.ZodType<StandingDialog> = z.object({
  type: z.enum(['uac', 'uas']),
  localTag: z.string(),
  remoteTag: z.string(),
  localContact: z.string(),
  localSdp: z.string(),
  remoteSdp: z.string(),
  weRefresh: z.boolean(),
  // Missing in legs of older gateways.
  expiresSec: z.number().nullable().default(null),
  // Missing in legs of older gateways.
  takesInfo: z.boolean().default(false),
  trunkId: z.string(),
});

const sipLeg: z.ZodType<SipLeg> = z.object({
  state: z.enum(['arriving', 'inviting', 'standing']),
  transactionId: z.string(),
  dialogId: z.string(),
  sipCallId: z.string(),
  local: z.string(),
  remote: z.string(),
  target: z.string(),
  nextHop: z.string().nullable(),
  routes: z.array(z.string()).optional(),
  channel: z
    .object({
      server: z.string(),
      uuid: z.string(),
      // Missing in legs of older gateways.
      dialog: z.object({ id: z.string(), contact: z.string() }).optional(),
    })
    .nullable(),
  isOfTransfer: z.boolean().optional(),
  // Missing in legs of older gateways.
  dialog: standingDialog.nullable().default(null),
});

/** Reads stored legs, which a gateway of another version may have written. */
export const openLegs = (sealing: Sealing, legs: Row<'CallCheckpoint'>['legs']): StoredLeg[] =>
  Object.entries(legs).map(([id, leg]) => ({ id, leg: openLeg(sealing, id, sipLeg.parse(leg)) }));

/** Returns the legs as a row stores them. */
export const sealLegs = (sealing: Sealing, legs: readonly StoredLeg[]): Row<'CallCheckpoint'>['legs'] =>
  Object.fromEntries(legs.map(({ id, leg }) => [id, sealLeg(sealing, id, leg)]));

/** The far ends of one call, with the epoch of the call. For a leg without a call, `callId` is the leg's own id. */
export type CallLegs = { callId: string; epoch: number; legs: readonly StoredLeg[] };

/** Legs to store; `progress` is that of the same call, if it has changed. */
export type ChangedLegs = CallLegs & { progress?: StoredProgress | null };

const writing = kyselyQuery((queries, { stored, over }: { stored: string; over: string }) =>
  queries
    .with('hurried', (read) => read.selectNoFrom(withoutWaitingForDisk.as('commit')))
    .with('dropped', (write) =>
      write
        .deleteFrom('CallCheckpoint')
        .using(['hurried', rowsOf('CallCheckpoint', over)])
        .whereRef('CallCheckpoint.callId', '=', 'given.callId')
        .whereRef('CallCheckpoint.epoch', '=', 'given.epoch'),
    )
    .insertInto('CallCheckpoint')
    .columns(['callId', 'node', 'epoch', 'form', 'legs', 'progress', 'aheadMs'])
    .expression((query) =>
      query
        .selectFrom(['hurried', rowsOf('CallCheckpoint', stored)])
        .select([
          'given.callId',
          'given.node',
          'given.epoch',
          'given.form',
          'given.legs',
          'given.progress',
          'given.aheadMs',
        ])
        // The order in which answers of several calls insert checkpoints, see `answerCalls`.
        .orderBy('given.callId'),
    )
    .onConflict((conflict) =>
      conflict
        .column('callId')
        .doUpdateSet(({ fn, ref }) => ({
          legs: ref('excluded.legs'),
          progress: fn.coalesce(ref('excluded.progress'), ref('CallCheckpoint.progress')),
          aheadMs: fn.coalesce(ref('excluded.aheadMs'), ref('CallCheckpoint.aheadMs')),
        }))
        .whereRef('CallCheckpoint.epoch', '=', 'excluded.epoch'),
    ),
);

/**
 * Writes the legs of these calls, with their progress where it has changed, and deletes the checkpoints of calls whose
 * legs are over, in one statement. Calls that another gateway holds are skipped. The statement does not wait for the
 * disk: the data survives a crash of the gateway, and the next writes of the call (start, answer, end) make it durable.
 */
export const writeLegs = async (
  db: Statements,
  sealing: Sealing,
  node: string,
  { stored, over }: { stored: readonly ChangedLegs[]; over: readonly Pick<CallLegs, 'callId' | 'epoch'>[] },
): Promise<void> => {
  const rows = stored.map(({ callId, epoch, legs, progress }) => ({
    callId,
    epoch,
    node,
    form: checkpointForm,
    legs: sealLegs(sealing, legs),
    progress: progress?.progress ?? null,
    aheadMs: progress?.aheadMs ?? null,
  }));
  await writing(db, { stored: db.asJson(rows), over: db.asJson(over) });
};

const ofNode = kyselyQuery((queries, { node }: { node: string }) =>
  queries.selectFrom('CallCheckpoint').select(['callId', 'epoch', 'legs']).where('node', '=', node),
);

/** Returns the legs that this node holds, or held when it died. */
export const legsOf = async (db: Database, sealing: Sealing, node: string): Promise<CallLegs[]> =>
  (await ofNode(db, { node })).flatMap(({ legs, ...call }) => {
    const opened = openLegs(sealing, legs);
    return opened.length === 0 ? [] : [{ ...call, legs: opened }];
  });
