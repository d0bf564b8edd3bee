/** Agent bindings of a number, one for each direction. A direction without a row has the built-in agent. */
import { LockMode } from '@mikro-orm/core';
import type { Direction } from '#machines/line.ts';
import { usualBuiltIn, type AgentBinding } from '#src/domain/agent-binding.ts';
import {
  changedHeaders,
  mostAgentHeaders,
  type AgentHeaderChanges,
  type SealedHeaders,
} from '#src/domain/agent-headers.ts';
import type { Database } from '../database/database.ts';
import { AgentBinding as AgentBindingRow } from './agent-binding.ts';
import { PhoneNumber } from './phone-number.ts';
import { recordOf, type Patch } from '../database/records.ts';

/**
 * A binding as the API returns it, without the values of the token and the headers. The record only says which of them
 * exist.
 */
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
  ...usualBuiltIn,
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
  'model',
  'prompt',
  'tools',
] as const satisfies readonly (keyof AgentBinding)[];

const presented = (
  binding: AgentBinding,
  { tokenSealed, headersSealed }: Pick<BindingSecrets, 'tokenSealed' | 'headersSealed'>,
): AgentBindingRecord => ({
  ...binding,
  tokenConfigured: tokenSealed !== null,
  headers: Object.fromEntries(
    Object.keys(headersSealed)
      .toSorted()
      .map((name) => [name, { configured: true }]),
  ),
});

/** Secrets of a binding, sealed with the number's id, and the URL for which they are stored. */
export type BindingSecrets = {
  chatUrl: string | null;
  tokenSealed: string | null;
  headersSealed: SealedHeaders;
};

const secretsIn = ({ chatUrl, tokenSealed, headersSealed }: Patch<BindingSecrets>): BindingSecrets => ({
  chatUrl: chatUrl ?? null,
  tokenSealed: tokenSealed ?? null,
  headersSealed: headersSealed ?? {},
});

/** Bindings of both directions. */
export type AgentBindings = { inbound: AgentBindingRecord; outbound: AgentBindingRecord };

/** Reads the bindings of numbers by one statement. The returned function returns those of one number. */
export const readAgentBindings = async (
  db: Database,
  numberIds: readonly string[],
): Promise<(numberId: string) => AgentBindings> => {
  const rows = await db.entityManager().find(AgentBindingRow, { numberId: { $in: [...numberIds] } });
  const byKey = new Map(rows.map((row) => [`${row.numberId} ${row.direction}`, row]));
  const of = (numberId: string, direction: Direction): AgentBindingRecord => {
    const row = byKey.get(`${numberId} ${direction}`);
    return row === undefined
      ? presented(builtInBinding(direction), { tokenSealed: null, headersSealed: {} })
      : presented(recordOf<AgentBinding>(row, bindingColumns), secretsIn(row));
  };
  return (numberId) => ({ inbound: of(numberId, 'inbound'), outbound: of(numberId, 'outbound') });
};

/** Returns the bindings of a number. */
export const agentBindingsOf = async (db: Database, numberId: string): Promise<AgentBindings> =>
  (await readAgentBindings(db, [numberId]))(numberId);

/** Returns the secrets of the binding; undefined if no binding is stored. */
export const bindingSecrets = async (
  db: Database,
  numberId: string,
  direction: Direction,
): Promise<BindingSecrets | undefined> => {
  const row = await db.entityManager().findOne(AgentBindingRow, { numberId, direction });
  return row === null ? undefined : secretsIn(row);
};

/**
 * Changes of the secrets. `tokenSealed` is sealed with the number's id; undefined leaves the stored value unchanged,
 * null removes it.
 */
export type SecretChanges = {
  tokenSealed?: string | null | undefined;
  /** Changes of headers. Headers without an entry are unchanged. */
  headersSealed?: AgentHeaderChanges | null | undefined;
};

/**
 * Replaces the binding of one direction. Resolves to undefined and changes no row if the binding would have more than
 * `mostAgentHeaders` headers.
 */
export const putAgentBinding = (
  db: Database,
  numberId: string,
  binding: AgentBinding,
  { tokenSealed, headersSealed }: SecretChanges = {},
): Promise<AgentBindingRecord | undefined> =>
  db.transaction(async (_statements, manager) => {
    // The number's row is locked, which also serializes two changes of a binding without a row.
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    await manager.findOneOrFail(PhoneNumber, { id: numberId }, { lockMode });
    const { direction } = binding;
    const stored = await manager.findOne(AgentBindingRow, { numberId, direction });
    const secrets = {
      tokenSealed: tokenSealed === undefined ? (stored?.tokenSealed ?? null) : tokenSealed,
      headersSealed: changedHeaders(stored?.headersSealed ?? {}, headersSealed),
    };
    if (Object.keys(secrets.headersSealed).length > mostAgentHeaders) return undefined;
    const row = { ...binding, ...secrets };
    if (stored === null) await manager.insert(AgentBindingRow, { numberId, ...row });
    else manager.assign(stored, row);
    return presented(binding, secrets);
  });
