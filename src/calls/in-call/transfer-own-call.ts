/**
 * Transfers that are requested within a call: by its agent in a reply (guides/design/agents.md, "Controls"), or by its
 * other party (REFER). The rules are those of the API's request. After a refusal the requester is notified and the call
 * continues.
 */
import type { Logger } from 'pino';
import type { TransferRefusal, TransferWanted } from '#machines/transfer.ts';
import type { Country } from '#src/domain/phone-number.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { LiveCalls } from '../live/live-calls.ts';
import type { Switchboard } from '../live/switchboard.ts';
import type { TransferRequests } from './transfer.ts';

/** Requests the transfer, and notifies the call of a refusal. Never throws. */
export type TransferOwnCall = (callId: string, wanted: TransferWanted) => void;

const reasonOf = (error: unknown): TransferRefusal => {
  if (!(error instanceof Refusal)) return 'unavailable';
  if (error.code === 'transfer_not_allowed') return 'not_allowed';
  return error.code === 'invalid_to' ? 'invalid_number' : 'unavailable';
};

export const createTransferOwnCall = ({
  transfer,
  liveCalls,
  switchboard,
  country,
  logger,
}: {
  transfer: TransferRequests['transfer'];
  liveCalls: Pick<LiveCalls, 'get'>;
  switchboard: Pick<Switchboard, 'find'>;
  country: Country;
  logger: Logger;
}): TransferOwnCall => {
  const ask = async (callId: string, wanted: TransferWanted): Promise<void> => {
    const numberId = liveCalls.get(callId)?.numberId;
    // The call has ended, so the request is ignored.
    if (numberId === undefined) return;
    // Imported late, because calls of a dead process wait for the modules of the start.
    const { readDestination } = await import('#src/domain/read-number.ts');
    const to = readDestination(wanted.to, country);
    await transfer({ ...wanted, callId, numberId, to, country });
  };

  const refuse = (callId: string, { to, forOtherParty }: TransferWanted, error: unknown): void => {
    const reason = reasonOf(error);
    if (error instanceof Refusal)
      logger.info(
        { call_id: callId, reason, code: error.code },
        'a transfer requested within a call was refused',
      );
    else logger.error({ call_id: callId, err: error }, 'a transfer requested within a call failed');
    switchboard.find(callId)?.send({
      type: 'transfer.refused',
      reason,
      to,
      ...(forOtherParty === true ? { forOtherParty } : {}),
    });
  };

  return (callId, wanted) => {
    ask(callId, wanted).catch((error: unknown) => refuse(callId, wanted, error));
  };
};
