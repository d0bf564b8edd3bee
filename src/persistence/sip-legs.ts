/** The far ends of calls that are not over; see `SipLegRow`. */
import { z } from 'zod';
import type { SipLeg, StandingDialog } from '#src/domain/sip-leg.ts';
import type { Database } from './database.ts';
import { withoutWaitingForDisk } from './expressions.ts';
import { prepared } from './prepared.ts';
import { openLeg, sealLeg } from './sealed-legs.ts';
import type { Sealing } from './sealing.ts';
import { rowsOf, type Row } from './tables.ts';

const standingDialog: z.ZodType<StandingDialog> = z.object({
  type: z.enum(['uac', 'uas']),
  localTag: z.string(),
  remoteTag: z.string(),
  localContact: z.string(),
  localSdp: z.string(),
  remoteSdp: z.string(),
  weRefresh: z.boolean(),
  // A gateway of before has kept none.
  expiresSec: z.number().nullable().default(null),
  // A gateway of before has kept none.
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
      // A gateway of before has kept none.
      dialog: z.object({ id: z.string(), contact: z.string() }).optional(),
    })
    .nullable(),
  isOfTransfer: z.boolean().optional(),
  // A gateway of before has kept none.
  dialog: standingDialog.nullable().default(null),
});

/** `id` is a UUID of its own: a caller chooses its Call-ID as it likes. */
export type KeptLeg = Omit<Row<'SipLegRow'>, 'node' | 'epoch'>;

/** A leg as its holder knows it. */
export type HeldLeg = KeptLeg & { epoch: number };

const writing = prepared((queries, { kept, over }: { kept: string; over: string }) =>
  queries
    .with('hurried', (read) => read.selectNoFrom(withoutWaitingForDisk.as('commit')))
    .with('dropped', (write) =>
      write
        .deleteFrom('SipLegRow')
        .using(['hurried', rowsOf('SipLegRow', over)])
        .whereRef('SipLegRow.id', '=', 'given.id')
        .whereRef('SipLegRow.epoch', '=', 'given.epoch'),
    )
    .insertInto('SipLegRow')
    .expression((query) => query.selectFrom(['hurried', rowsOf('SipLegRow', kept)]).selectAll('given'))
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(({ ref }) => ({ leg: ref('excluded.leg') }))
        .whereRef('SipLegRow.epoch', '=', 'excluded.epoch'),
    ),
);

/**
 * Writes these as they are now, and removes those that are over, in one statement; but for those of a call that another
 * gateway holds. It waits for no disk: a gateway that dies finds everything again, and what a call's birth, answer and end
 * write soon after takes it along.
 */
export const writeLegs = async (
  db: Database,
  sealing: Pick<Sealing, 'seal'>,
  node: string,
  { kept, over }: { kept: readonly HeldLeg[]; over: readonly Pick<HeldLeg, 'id' | 'epoch'>[] },
): Promise<void> => {
  const rows = kept.map((held) => ({ ...held, leg: sealLeg(sealing, held.id, held.leg), node }));
  await writing(db, { kept: db.asJson(rows), over: db.asJson(over) });
};

const ofCalls = prepared((queries, { callIds }: { callIds: readonly string[] }) =>
  queries
    .selectFrom('SipLegRow')
    .select(['id', 'callId', 'epoch', 'leg'])
    .where('callId', '=', ({ fn, val }) => fn.any(val(callIds))),
);

/** Another version of the gateway may have written it. */
const readWith =
  (sealing: Pick<Sealing, 'open'>) =>
  ({ leg, ...row }: HeldLeg): HeldLeg => ({ ...row, leg: openLeg(sealing, row.id, sipLeg.parse(leg)) });

/** Those of these calls. `callIds` must be UUIDs. */
export const legsOfCalls = async (
  db: Database,
  sealing: Pick<Sealing, 'open'>,
  callIds: readonly string[],
): Promise<HeldLeg[]> => (await ofCalls(db, { callIds })).map(readWith(sealing));

const keptBy = prepared((queries, { node }: { node: string }) =>
  queries.selectFrom('SipLegRow').select(['id', 'callId', 'epoch', 'leg']).where('node', '=', node),
);

/** Those that this node keeps, or kept when it died. */
export const legsOf = async (
  db: Database,
  sealing: Pick<Sealing, 'open'>,
  node: string,
): Promise<HeldLeg[]> => (await keptBy(db, { node })).map(readWith(sealing));
