/** Tables that a query names and changes, independent of the format of its text. Tables have their database names. */
import type { CompiledQuery } from 'kysely';

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function* nodesIn(value: unknown): Generator<Node> {
  if (!isNode(value)) return;
  yield value;
  for (const child of Object.values(value)) yield* nodesIn(child);
}

function* namesIn(value: unknown): Generator<string> {
  for (const { kind, identifier } of nodesIn(value)) {
    if (kind === 'SchemableIdentifierNode' && isNode(identifier)) yield String(identifier['name']);
  }
}

const nameIn = (table: unknown): string | undefined => namesIn(table).next().value;

type Query = Pick<CompiledQuery, 'query'>;

/** All tables that it reads or changes, including those in subqueries. */
export const tablesIn = ({ query }: Query): ReadonlySet<string> => new Set(namesIn(query));

/** In the order of the query. */
export const changedTables = ({ query }: Query): string[] =>
  [...nodesIn(query)]
    .map(({ kind, into, table, from }) => {
      if (kind === 'InsertQueryNode') return nameIn(into);
      if (kind === 'UpdateQueryNode') return nameIn(table);
      return kind === 'DeleteQueryNode' ? nameIn(from) : undefined;
    })
    .filter((name) => name !== undefined);
