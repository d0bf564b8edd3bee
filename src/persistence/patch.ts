/** Changing single columns of one row, by whoever may change them. */
import type { EntityName } from '@mikro-orm/core';
import type { Database } from './database.ts';

/** Undefined leaves a column as it is, null empties it. */
export type Patch<Columns> = { [Name in keyof Columns]?: Columns[Name] | undefined };

type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** Without what is undefined. */
export const given = <Fields extends object>(fields: Fields): Given<Fields> =>
  // Object.fromEntries forgets the types of what it is given.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;

/** Throws a UniqueConstraintViolationException where another row has what must be unique. */
export const patchRow = async <Entity extends object>(
  db: Database,
  entity: EntityName<Entity>,
  where: object,
  patch: object,
): Promise<void> => {
  const changes = given(patch);
  if (Object.keys(changes).length > 0) await db.entityManager().nativeUpdate(entity, where, changes);
};
