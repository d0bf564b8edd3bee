/** Reads and changes rows for administration: entities are loaded, changed and flushed by MikroORM's EntityManager. */

/** Changes of columns: undefined leaves a column unchanged, null clears it. */
export type Patch<Columns> = { [Name in keyof Columns]?: Columns[Name] | undefined };

type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** Drops undefined values from a change. */
export const given = <Fields extends object>(fields: Fields): Given<Fields> =>
  // The cast restores the types that Object.fromEntries loses.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;

/** Order of lists with the oldest row first. */
export const oldestFirst = { createdAt: 'asc', id: 'asc' } as const;

/** Copies the columns of a loaded entity, because the entity itself would keep its manager in memory. */
export const recordOf = <Columns extends object>(
  entity: object,
  columns: readonly (keyof Columns & string)[],
): Columns =>
  // The cast is safe: a loaded entity has all its columns, and the caller states their type.
  Object.fromEntries(columns.map((column) => [column, Reflect.get(entity, column) as unknown])) as Columns;
