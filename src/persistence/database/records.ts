/** Reads and changes rows for administration: entities are loaded, changed and flushed by MikroORM's EntityManager. */

/** Undefined keeps a column, null clears it. */
export type Patch<Columns> = { [Name in keyof Columns]?: Columns[Name] | undefined };

type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** Drops undefined values from a change. */
export const given = <Fields extends object>(fields: Fields): Given<Fields> =>
  // Object.fromEntries loses the types of its argument.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;

/** Order of lists: oldest first. */
export const oldestFirst = { createdAt: 'asc', id: 'asc' } as const;

/** Copies the columns of a loaded entity; the entity itself would keep its manager in memory. */
export const recordOf = <Columns extends object>(
  entity: object,
  columns: readonly (keyof Columns & string)[],
): Columns =>
  // A loaded entity has all its columns; the caller states its type.
  Object.fromEntries(columns.map((column) => [column, Reflect.get(entity, column) as unknown])) as Columns;
