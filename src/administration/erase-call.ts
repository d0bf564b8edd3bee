import { Refusal } from '#src/domain/refusal.ts';
import { eraseCall } from '#src/persistence/calls/erasing.ts';
import { entryOf, type Administrator } from './administrator.ts';

/**
 * Erases personal data of a call: words, recording, instruction, summary, metadata, names, DTMF digits, SIP messages,
 * and the number except its last two digits. Idempotent. Throws a Refusal: `call_not_found`, or `call_active` for a
 * call in progress.
 */
export const eraseCallOf = async (administrator: Administrator, callId: string): Promise<void> => {
  const { database, workspaceId } = administrator;
  const entry = entryOf(administrator, { action: 'call.erased', subject: `call:${callId}` });
  const erasure = await eraseCall(database, { callId, workspaceId }, entry);
  if (erasure === 'unknown') throw new Refusal('call_not_found', 'There is no call with this id here.');
  if (erasure === 'in_progress') {
    throw new Refusal(
      'call_active',
      'This call is in progress. Wait until it has ended, or end it, and erase it then.',
    );
  }
};
