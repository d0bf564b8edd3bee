import { findTrunk } from '#src/persistence/trunks.ts';
import type { ApiServices } from '../api-services.ts';
import { invalidField } from '../validated.ts';

/** Refuses a trunk of another workspace; null and undefined name none. */
export const requireOwnTrunk = async (
  { database }: ApiServices,
  workspaceId: string,
  trunkId: string | null | undefined,
): Promise<void> => {
  if (trunkId === null || trunkId === undefined) return;
  if ((await findTrunk(database, { trunkId, workspaceId })) === undefined)
    throw invalidField({ path: 'trunk_id', message: 'There is no trunk with this id in the workspace.' });
};
