/** Agent bindings of a number, one for each direction. A direction without a row has the built-in agent. */
import { sql, type Expression } from 'kysely';
import type { Direction } from '#machines/line.ts';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import { mostAgentHeaders, type AgentHeaderChanges, type SealedHeaders } from '#src/domain/agent-headers.ts';
import type { Database } from './database.ts';
import { hasAtMost } from './expressions.ts';
import { given } from './patch.ts';
import { prepared } from './prepared.ts';

/** A binding as it is returned: reports whether the token and each header exist, but not their values. */
export type AgentBindingRecord = AgentBinding & {
  tokenConfigured: boolean;
  headers: Readonly<Record<string, { configured: true }>>;
};

export const builtInBinding = (direction: Direction): AgentBinding => ({
  direction,
  agent: 'builtin',
  agentType: null,
  chatUrl: null,
  assistantId: null,
  agentId: null,
  controls: 'off',
});

/** Columns of an `AgentBinding`. */
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

type ReadBinding = AgentBinding & { tokenConfigured: boolean; headersSealed: SealedHeaders };

const recordOf = ({ headersSealed, ...binding }: ReadBinding): AgentBindingRecord => ({
  ...binding,
  headers: Object.fromEntries(
    Object.keys(headersSealed)
      .toSorted()
      .map((name) => [name, { configured: true }]),
  ),
});

const ofNumber = prepared((queries, { numberId }: { numberId: string }) =>
  queries
    .selectFrom('AgentBinding')
    .select([...bindingColumns, 'headersSealed', tokenConfigured])
    .where('numberId', '=', numberId),
);

/** Secrets of a binding, sealed with the number's id, and the URL for which they are stored. */
export type BindingSecrets = {
  chatUrl: string | null;
  tokenSealed: string | null;
  headersSealed: SealedHeaders;
};

const secretsOf = prepared((queries, { numberId, direction }: { numberId: string; direction: Direction }) =>
  queries
    .selectFrom('AgentBinding')
    .select(['chatUrl', 'tokenSealed', 'headersSealed'])
    .where('numberId', '=', numberId)
    .where('direction', '=', direction),
);

/** Returns the bindings of both directions. */
export const agentBindingsOf = async (
  db: Database,
  numberId: string,
): Promise<{ inbound: AgentBindingRecord; outbound: AgentBindingRecord }> => {
  const rows = await ofNumber(db, { numberId });
  const of = (direction: Direction): AgentBindingRecord =>
    recordOf(
      rows.find((row) => row.direction === direction) ?? {
        ...builtInBinding(direction),
        tokenConfigured: false,
        headersSealed: {},
      },
    );
  return { inbound: of('inbound'), outbound: of('outbound') };
};

/** Undefined if no binding is stored. */
export const bindingSecrets = async (
  db: Database,
  numberId: string,
  direction: Direction,
): Promise<BindingSecrets | undefined> => (await secretsOf(db, { numberId, direction })).at(0);

/** Sealed with the number's id. Undefined keeps the stored value, null removes it. */
export type SecretChanges = {
  tokenSealed?: string | null | undefined;
  /** Missing names keep their values. */
  headersSealed?: AgentHeaderChanges | null | undefined;
};

/** Returns the headers after a change. */
const headersAfter = (stored: Expression<SealedHeaders>, changes: AgentHeaderChanges | null) =>
  changes === null
    ? sql<SealedHeaders>`'{}'::jsonb`
    : sql<SealedHeaders>`jsonb_strip_nulls(${stored} || ${JSON.stringify(changes)}::jsonb)`;

/**
 * Replaces the binding of one direction. Returns undefined and changes nothing if it would have more than
 * `mostAgentHeaders`.
 */
export const putAgentBinding = async (
  db: Database,
  numberId: string,
  binding: AgentBinding,
  { tokenSealed, headersSealed = {} }: SecretChanges = {},
): Promise<AgentBindingRecord | undefined> => {
  const row = { numberId, ...binding, ...given({ tokenSealed }) };
  const none = sql<SealedHeaders>`'{}'::jsonb`;
  const stored = await db.queries
    .insertInto('AgentBinding')
    .values({ ...row, headersSealed: headersAfter(none, headersSealed) })
    .onConflict((conflict) =>
      conflict
        .columns(['numberId', 'direction'])
        .doUpdateSet(({ ref }) => ({
          ...row,
          headersSealed: headersAfter(ref('AgentBinding.headersSealed'), headersSealed),
        }))
        .where(({ ref }) =>
          hasAtMost(mostAgentHeaders, headersAfter(ref('AgentBinding.headersSealed'), headersSealed)),
        ),
    )
    .returning([...bindingColumns, 'headersSealed', tokenConfigured])
    .executeTakeFirst();
  return stored && recordOf(stored);
};
