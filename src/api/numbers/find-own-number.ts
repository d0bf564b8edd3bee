import { numberNotFound } from '#src/administration/numbers.ts';
import type { AuthenticatedAdmin } from '#src/persistence/admin-tokens.ts';
import { findNumber, type NumberRecord } from '#src/persistence/numbers.ts';
import type { ApiServices } from '../api-services.ts';

/** A number of the admin's workspace. */
export const findOwnNumber = async (
  { database }: ApiServices,
  admin: AuthenticatedAdmin,
  numberId: string,
): Promise<NumberRecord> => {
  const number = await findNumber(database, { numberId, workspaceId: admin.workspace.id });
  if (number === undefined) throw numberNotFound();
  return number;
};
