/** Which tables a query changes, however its text is written. */
import type { CompiledQuery } from 'kysely';

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function* nodesIn(value: unknown): Generator<Node> {
  if (!isNode(value)) return;
  yield value;
  for (const child of Object.values(value)) yield* nodesIn(child);
}

const nameIn = (table: unknown): string | undefined => {
  for (const { kind, identifier } of nodesIn(table)) {
    if (kind === 'SchemableIdentifierNode' && isNode(identifier)) return String(identifier['name']);
  }
  return undefined;
};

/** Tables under their names in the database, in the order in which the query names them. */
export const changedTables = ({ query }: Pick<CompiledQuery, 'query'>): string[] =>
  [...nodesIn(query)]
    .map(({ kind, into, table, from }) => {
      if (kind === 'InsertQueryNode') return nameIn(into);
      if (kind === 'UpdateQueryNode') return nameIn(table);
      return kind === 'DeleteQueryNode' ? nameIn(from) : undefined;
    })
    .filter((name) => name !== undefined);
