/** SIP legs of calls in progress; see `SipLegRow`. */
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
  // Absent in legs of older gateways.
  expiresSec: z.number().nullable().default(null),
  // Absent in legs of older gateways.
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
      // Absent in legs of older gateways.
      dialog: z.object({ id: z.string(), contact: z.string() }).optional(),
    })
    .nullable(),
  isOfTransfer: z.boolean().optional(),
  // Absent in legs of older gateways.
  dialog: standingDialog.nullable().default(null),
});

/** `id` is a UUID of the gateway's own, because callers choose their Call-IDs. */
export type KeptLeg = Omit<Row<'SipLegRow'>, 'node' | 'epoch'>;

/** A leg with the data known to its holder. */
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
 * Writes these legs and removes ended ones in one statement; skips legs of calls that another gateway holds. It does
 * not wait for the disk: the data survives a crash of the gateway, and the writes of a call's start, answer and end
 * make it durable soon after.
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

/** Another gateway version may have written the row. */
const readWith =
  (sealing: Pick<Sealing, 'open'>) =>
  ({ leg, ...row }: HeldLeg): HeldLeg => ({ ...row, leg: openLeg(sealing, row.id, sipLeg.parse(leg)) });

/** Legs of these calls. `callIds` must be UUIDs. */
export const legsOfCalls = async (
  db: Database,
  sealing: Pick<Sealing, 'open'>,
  callIds: readonly string[],
): Promise<HeldLeg[]> => (await ofCalls(db, { callIds })).map(readWith(sealing));

const keptBy = prepared((queries, { node }: { node: string }) =>
  queries.selectFrom('SipLegRow').select(['id', 'callId', 'epoch', 'leg']).where('node', '=', node),
);

/** Legs that this node holds, or held when it died. */
export const legsOf = async (
  db: Database,
  sealing: Pick<Sealing, 'open'>,
  node: string,
): Promise<HeldLeg[]> => (await keptBy(db, { node })).map(readWith(sealing));
