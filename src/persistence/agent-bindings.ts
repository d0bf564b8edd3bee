/** Which agent speaks for a number, for each direction. What is not stored is the built-in agent. */
import { sql } from 'kysely';
import type { Direction } from '#machines/line.ts';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { Database } from './database.ts';
import { given } from './patch.ts';
import { prepared } from './prepared.ts';

/** As it is read: the token is never given out, only whether there is one. */
export type AgentBindingRecord = AgentBinding & { tokenConfigured: boolean };

export const builtInBinding = (direction: Direction): AgentBinding => ({
  direction,
  agent: 'builtin',
  agentType: null,
  chatUrl: null,
  assistantId: null,
  agentId: null,
  controls: 'off',
});

/** The columns of an `AgentBinding`. */
export const bindingColumns = [
  'direction',
  'agent',
  'agentType',
  'chatUrl',
  'assistantId',
  'agentId',
  'controls',
] as const satisfies readonly (keyof AgentBinding)[];

const tokenConfigured = sql<boolean>`${sql.ref('AgentBinding.tokenSealed')} is not null`.as(
  'tokenConfigured',
);

const ofNumber = prepared((queries, { numberId }: { numberId: string }) =>
  queries
    .selectFrom('AgentBinding')
    .select([...bindingColumns, tokenConfigured])
    .where('numberId', '=', numberId),
);

const withToken = prepared((queries, { numberId }: { numberId: string }) =>
  queries
    .selectFrom('AgentBinding')
    .select(['chatUrl', 'tokenSealed'])
    .where('numberId', '=', numberId)
    .where('direction', '=', 'outbound')
    .where('tokenSealed', 'is not', null)
    .$narrowType<{ tokenSealed: string }>(),
);

/** Both directions of a number. */
export const agentBindingsOf = async (
  db: Database,
  numberId: string,
): Promise<{ inbound: AgentBindingRecord; outbound: AgentBindingRecord }> => {
  const rows = await ofNumber(db, { numberId });
  const of = (direction: Direction): AgentBindingRecord =>
    rows.find((row) => row.direction === direction) ?? {
      ...builtInBinding(direction),
      tokenConfigured: false,
    };
  return { inbound: of('inbound'), outbound: of('outbound') };
};

/** The token of the outbound agent, sealed about the number's id, and the URL it is kept for. */
export const outboundToken = async (
  db: Database,
  numberId: string,
): Promise<{ tokenSealed: string; chatUrl: string | null } | undefined> =>
  (await withToken(db, { numberId })).at(0);

/**
 * Replaces the binding of one direction. `tokenSealed`, sealed about the number's id: undefined keeps the stored token,
 * null removes it.
 */
export const putAgentBinding = async (
  db: Database,
  numberId: string,
  binding: AgentBinding,
  tokenSealed?: string | null,
): Promise<AgentBindingRecord> => {
  const row = { numberId, ...binding, ...given({ tokenSealed }) };
  return db.queries
    .insertInto('AgentBinding')
    .values(row)
    .onConflict((conflict) => conflict.columns(['numberId', 'direction']).doUpdateSet(row))
    .returning([...bindingColumns, tokenConfigured])
    .executeTakeFirstOrThrow();
};
