/** Issues and reveals the API key of a number (guides/design/administration.md, "Number keys"). */
import { Refusal } from '#src/domain/refusal.ts';
import { findNumberKey, putNumberKey } from '#src/persistence/numbers/number-keys.ts';
import { note, type Administrator } from './administrator.ts';
import { newNumberKey, tailOf } from './new-key.ts';

/** Issues a key for a number. A number has one key: the previous key is invalid when the promise resolves. */
export const issueNumberKey = async (administrator: Administrator, numberId: string): Promise<string> => {
  const { database, sealing, clock } = administrator;
  const isReissue = (await findNumberKey(database, numberId)) !== undefined;
  const issued = newNumberKey();
  await putNumberKey(database, {
    numberId,
    keyHash: sealing.fingerprint(issued),
    keySealed: sealing.seal(issued, numberId),
    keyTail: tailOf(issued),
    issuedAt: new Date(clock.now()),
  });
  const action = isReissue ? 'number_key.reissued' : 'number_key.issued';
  await note(administrator, { action, subject: `number:${numberId}` });
  return issued;
};

/**
 * Returns the stored key of a number. Throws a Refusal: `not_found` without a key, `key_not_recoverable` without a
 * stored copy.
 */
export const revealNumberKey = async (administrator: Administrator, numberId: string): Promise<string> => {
  const { database, sealing } = administrator;
  const stored = await findNumberKey(database, numberId);
  if (stored === undefined) throw new Refusal('not_found', 'No key was issued for this number yet.');
  if (stored.keySealed === null) {
    throw new Refusal(
      'key_not_recoverable',
      'This key was issued before recovery copies existed. Issue a new one to see it.',
    );
  }
  // The audit entry is written first, so a key is never shown without one.
  await note(administrator, { action: 'number_key.revealed', subject: `number:${numberId}` });
  return sealing.open(stored.keySealed, numberId);
};
