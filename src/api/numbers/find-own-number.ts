import { Refusal } from '#src/domain/refusal.ts';
import type { AuthenticatedAdmin } from '#src/persistence/admin-tokens.ts';
import { findNumber, type NumberRecord } from '#src/persistence/numbers.ts';
import type { Interior } from '../interior.ts';

/** A number of the admin's workspace. */
export const findOwnNumber = async (
  { database }: Interior,
  admin: AuthenticatedAdmin,
  numberId: string,
): Promise<NumberRecord> => {
  const number = await findNumber(database, { numberId, workspaceId: admin.workspace.id });
  if (number === undefined) throw numberNotFound();
  return number;
};

export const numberNotFound = (): Refusal =>
  new Refusal('number_not_found', 'There is no number with this id in the workspace.');
