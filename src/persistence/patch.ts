/** Updates single columns of one row; the condition restricts it to rows that the caller may change. */
import type { EntityName } from '@mikro-orm/core';
import type { Database } from './database.ts';

/** Undefined keeps a column, null clears it. */
export type Patch<Columns> = { [Name in keyof Columns]?: Columns[Name] | undefined };

type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** Omits undefined values. */
export const given = <Fields extends object>(fields: Fields): Given<Fields> =>
  // Object.fromEntries loses the types of its argument.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;

/** Throws a UniqueConstraintViolationException if another row has a value that must be unique. */
export const patchRow = async <Entity extends object>(
  db: Database,
  entity: EntityName<Entity>,
  where: object,
  patch: object,
): Promise<void> => {
  const changes = given(patch);
  if (Object.keys(changes).length > 0) await db.entityManager().nativeUpdate(entity, where, changes);
};
