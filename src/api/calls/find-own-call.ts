import { Refusal } from '#src/domain/refusal.ts';
import { findCall, type CallRecord } from '#src/persistence/calls.ts';
import type { ApiServices } from '../api-services.ts';

/**
 * A call of the number or workspace that asks. A foreign call, an unknown one and one whose id cannot be one take the
 * same way and get the same answer (guides/design/wire.md, "Errors").
 */
export const findOwnCall = async (
  { database }: ApiServices,
  wanted: { callId: string } & ({ numberId: string } | { workspaceId: string }),
): Promise<CallRecord> => {
  const call = await findCall(database, wanted);
  if (call === undefined) throw new Refusal('call_not_found', 'There is no call with this id here.');
  return call;
};
