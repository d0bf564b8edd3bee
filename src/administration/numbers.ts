/** Adding numbers to a workspace and taking them away. */
import { randomUUID } from 'node:crypto';
import type { Language } from '#src/domain/language.ts';
import { Refusal } from '#src/domain/refusal.ts';
import {
  createNumber,
  deleteNumber,
  findNumber,
  type NumberPatch,
  type NumberRecord,
} from '#src/persistence/numbers.ts';
import { note, type Administrator } from './administrator.ts';

export const numberNotFound = (): Refusal =>
  new Refusal('number_not_found', 'There is no number with this id in the workspace.');

/** `number` is in domestic format, digits alone. Throws a Refusal: `number_taken`, by whichever workspace. */
export const addNumber = async (
  administrator: Administrator,
  given: NumberPatch & { number: string; language: Language },
): Promise<NumberRecord> => {
  const { database, clock, workspaceId } = administrator;
  const created = await createNumber(database, {
    ...given,
    id: randomUUID(),
    workspaceId,
    createdAt: new Date(clock.now()),
  });
  if (created === undefined) throw new Refusal('number_taken', 'This number exists on this gateway already.');
  await note(administrator, {
    action: 'number.created',
    subject: `number:${created.id}`,
    detail: { number: created.number },
  });
  return created;
};

/**
 * Its key stops working at once, and its digits may be added again. Calls, their records and the audit log stay.
 * Throws a Refusal: `number_not_found`, or `number_in_use` while a call is in progress.
 */
export const removeNumber = async (administrator: Administrator, numberId: string): Promise<NumberRecord> => {
  const { database, clock, workspaceId } = administrator;
  const number = await findNumber(database, { numberId, workspaceId });
  if (number === undefined) throw numberNotFound();
  const outcome = await deleteNumber(database, { numberId, workspaceId }, new Date(clock.now()));
  if (outcome === 'unknown') throw numberNotFound();
  if (outcome === 'in_use') {
    throw new Refusal(
      'number_in_use',
      'This number has calls in progress. Wait until they have ended, or end them, and delete it then.',
    );
  }
  await note(administrator, {
    action: 'number.deleted',
    subject: `number:${numberId}`,
    detail: { number: number.number },
  });
  return number;
};
