/** The far ends of calls that are not over; see `SipLegRow`. */
import { z } from 'zod';
import type { SipLeg } from '#src/domain/sip-leg.ts';
import type { Database } from './database.ts';
import { prepared } from './prepared.ts';
import { rowsOf, type Row } from './tables.ts';

const sipLeg: z.ZodType<SipLeg> = z.object({
  state: z.enum(['arriving', 'inviting', 'standing']),
  transactionId: z.string(),
  dialogId: z.string(),
  sipCallId: z.string(),
  local: z.string(),
  remote: z.string(),
  target: z.string(),
  nextHop: z.string().nullable(),
  channel: z.object({ server: z.string(), uuid: z.string() }).nullable(),
});

/** `id` is a UUID of its own: a caller chooses its Call-ID as it likes. */
export type KeptLeg = Omit<Row<'SipLegRow'>, 'node'>;

const keeping = prepared((queries, { legs }: { legs: string }) =>
  queries
    .insertInto('SipLegRow')
    .expression((query) => query.selectFrom(rowsOf('SipLegRow', legs)).selectAll())
    .onConflict((conflict) => conflict.column('id').doUpdateSet(({ ref }) => ({ leg: ref('excluded.leg') }))),
);

/** Writes these as they are now. */
export const keepLegs = async (db: Database, node: string, legs: readonly KeptLeg[]): Promise<void> => {
  await keeping(db, { legs: db.asJson(legs.map((leg) => ({ ...leg, node }))) });
};

const dropping = prepared((queries, { ids }: { ids: readonly string[] }) =>
  queries.deleteFrom('SipLegRow').where('id', '=', (value) => value.fn.any(value.val(ids))),
);

export const dropLegs = async (db: Database, ids: readonly string[]): Promise<void> => {
  await dropping(db, { ids });
};

const keptBy = prepared((queries, { node }: { node: string }) =>
  queries.selectFrom('SipLegRow').select(['id', 'callId', 'leg']).where('node', '=', node),
);

/** Those that this node keeps, or kept when it died. */
export const legsOf = async (db: Database, node: string): Promise<KeptLeg[]> =>
  // Another version of the gateway may have written it.
  (await keptBy(db, { node })).map(({ leg, ...row }) => ({ ...row, leg: sipLeg.parse(leg) }));
