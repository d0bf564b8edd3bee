/** The far ends of calls that are not over; see `SipLegRow`. */
import { z } from 'zod';
import type { SipLeg } from '#src/domain/sip-leg.ts';
import type { Database } from './database.ts';

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
export type KeptLeg = { id: string; callId: string | null; leg: SipLeg };

/** Writes these as they are now. */
export const keepLegs = async (db: Database, node: string, legs: readonly KeptLeg[]): Promise<void> => {
  await db.execute(
    `insert into sip_leg (id, call_id, node, leg)
     select id, "callId", $1, leg from jsonb_to_recordset($2::jsonb) as kept (id uuid, "callId" uuid, leg jsonb)
     on conflict (id) do update set leg = excluded.leg`,
    [node, JSON.stringify(legs)],
  );
};

export const dropLegs = async (db: Database, ids: readonly string[]): Promise<void> => {
  await db.execute('delete from sip_leg where id = any($1::uuid[])', [ids]);
};

/** Those that this node keeps, or kept when it died. */
export const legsOf = async (db: Database, node: string): Promise<KeptLeg[]> => {
  const rows = await db.execute<{ id: string; callId: string | null; leg: unknown }>(
    'select id, call_id as "callId", leg from sip_leg where node = $1',
    [node],
  );
  return rows.map(({ leg, ...row }) => ({ ...row, leg: sipLeg.parse(leg) }));
};
