/**
 * Tables for queries, derived from the entities: a table has its entity's name, a column its property's. No table or
 * column is listed in this file.
 *
 * MikroORM's own plugin, `MikroKyselyPlugin` (7.2.1), is not used. `MikroKyselyPlugin` looks up the table of each name,
 * but fails in an update with an alias and after a `with … returning`; and it returns the `call_id` of a recording
 * joined with its call as `id`, the property of Call. In this project, a property is the same column in every table,
 * which is checked at start, so no look-up is needed.
 */
import type { InferKyselyDB, MetadataStorage } from '@mikro-orm/postgresql';
import {
  AliasNode,
  ColumnNode,
  IdentifierNode,
  OperationNodeTransformer,
  RawNode,
  ReferenceNode,
  SelectionNode,
  sql,
  type AliasedRawBuilder,
  type Kysely,
  type KyselyPlugin,
  type OperationNode,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryResult,
  type RootOperationNode,
  type Selectable,
  type UnknownRow,
} from 'kysely';
import { entities } from './entities.ts';

export type Tables = InferKyselyDB<
  (typeof entities)[number],
  { tableNamingStrategy: 'entity'; columnNamingStrategy: 'property' }
>;

/** A row as it is read. */
export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

/**
 * Returns all column names of a table. A prepared query must list its columns, because the server refuses to run a
 * prepared `*` after a migration (of this gateway or of a newer one) has added a column.
 */
export const columnsOf = <Table extends keyof Tables>(table: Table): (keyof Row<Table> & string)[] => {
  const entity = entities.find(({ name }) => name === table);
  // The cast is necessary, because `Object.keys` loses the type of the keys.
  return Object.keys(entity?.properties ?? {}) as (keyof Row<Table> & string)[];
};

/** Kysely over all tables: `selectFrom`, `insertInto`, `with` … */
export type Queries = Kysely<Tables>;

class Renaming extends OperationNodeTransformer {
  readonly #names: ReadonlyMap<string, string>;

  constructor(names: ReadonlyMap<string, string>) {
    super();
    this.#names = names;
  }

  protected override transformIdentifier(node: IdentifierNode): IdentifierNode {
    const name = this.#names.get(node.name);
    return name === undefined ? node : { ...node, name };
  }
}

/** Returns a selected column and its name in the result. */
const resultName = (selection: OperationNode): { column: OperationNode; name: string } | undefined => {
  if (AliasNode.is(selection)) {
    const { node: column, alias } = selection;
    return IdentifierNode.is(alias) ? { column, name: alias.name } : undefined;
  }
  const column = ReferenceNode.is(selection) ? selection.column : selection;
  return ColumnNode.is(column) ? { column: selection, name: column.column.name } : undefined;
};

/** Adds an alias that the mapping of names does not change. */
const underItsName = (selected: SelectionNode): SelectionNode => {
  const result = resultName(selected.selection);
  if (result === undefined) throw new Error('A query names every column of its result');
  return SelectionNode.create(AliasNode.create(result.column, RawNode.createWithSql(`"${result.name}"`)));
};

/** Leaves rows from the server unchanged, so that results have the names that the query assigns. */
const withResultNames = (query: RootOperationNode): RootOperationNode => {
  if ('returning' in query && query.returning !== undefined) {
    const { returning } = query;
    return { ...query, returning: { ...returning, selections: returning.selections.map(underItsName) } };
  }
  if ('selections' in query && query.selections !== undefined) {
    return { ...query, selections: query.selections.map(underItsName) };
  }
  return query;
};

/** Bytes in PostgreSQL's text format. */
const asBytes = (bytes: Uint8Array): string => `\\x${Buffer.from(bytes).toString('hex')}`;

/** Replaces names of entities and properties with those of tables and columns. */
export class EntityNames implements KyselyPlugin {
  readonly #columns = new Map<string, string>();
  readonly #renaming: Renaming;

  constructor(metadata: MetadataStorage) {
    const tables = new Map<string, string>();
    const properties = new Map<string, string>();
    for (const { className, tableName, props } of metadata) {
      tables.set(className, tableName);
      for (const { name, fieldNames } of props) {
        const [column = name] = fieldNames;
        if ((this.#columns.get(name) ?? column) !== column || (properties.get(column) ?? name) !== name) {
          throw new Error(`${className}.${name} is the column ${column}, but not in another entity`);
        }
        this.#columns.set(name, column);
        properties.set(column, name);
      }
    }
    this.#renaming = new Renaming(new Map([...tables, ...this.#columns]));
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    return this.#renaming.transformNode(withResultNames(node), queryId);
  }

  transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return Promise.resolve(result);
  }

  /** Converts a row to column names, as `rowsOf` reads it. Null values may be omitted. */
  inColumns(row: Readonly<Record<string, unknown>>): UnknownRow {
    const named: UnknownRow = {};
    for (const name of Object.keys(row)) {
      const value = row[name];
      if (value === null) continue;
      named[this.#columns.get(name) ?? name] = value instanceof Uint8Array ? asBytes(value) : value;
    }
    return named;
  }
}

/**
 * Passes any number of rows as one parameter. `json` is an array of rows, created by `Statements.asJson`; a missing
 * column is null.
 */
export const rowsOf = <Table extends keyof Tables>(
  table: Table,
  json: string,
): AliasedRawBuilder<Row<Table>, 'given'> =>
  sql<Row<Table>>`json_populate_recordset(null::${sql.table(table)}, ${json}::json)`.as('given');
