/** Rows as an administrator reads and changes them: entities loaded, changed and flushed by MikroORM's EntityManager. */

/** Undefined keeps a column, null clears it. */
export type Patch<Columns> = { [Name in keyof Columns]?: Columns[Name] | undefined };

type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** Omits undefined values. */
export const given = <Fields extends object>(fields: Fields): Given<Fields> =>
  // Object.fromEntries loses the types of its argument.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;

/** Oldest first. */
export const oldestFirst = { createdAt: 'asc', id: 'asc' } as const;

/** Copies columns of a loaded entity, which would otherwise keep its manager in memory. */
export const recordOf = <Columns extends object>(
  entity: object,
  columns: readonly (keyof Columns & string)[],
): Columns =>
  // The caller states the type: an entity that was loaded has all its columns.
  Object.fromEntries(columns.map((column) => [column, Reflect.get(entity, column) as unknown])) as Columns;
