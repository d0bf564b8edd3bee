/** Issuing and revealing the API key of a number (specification 2.5 and 5.1). */
import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { findNumberKey, putNumberKey } from '#src/persistence/number-keys.ts';
import { audit } from '../audit.ts';
import { newNumberKey } from '../new-key.ts';
import { defineRoute } from '../route.ts';
import { findOwnNumber } from './find-own-number.ts';
import { numberInPath } from './number-schema.ts';

const path = '/api/v1/admin/numbers/{id}/key';

const key = z
  .object({
    key: z
      .string()
      .meta({ description: 'Keep it secret: it places calls that cost money.', example: 'gw_live_…' }),
  })
  .meta({ id: 'NumberKey' });

export const issueKey = defineRoute({
  method: 'post',
  path,
  operationId: 'issueKey',
  tag: 'Numbers',
  summary: 'Issue the key of a number',
  description: 'A number has one key. Issuing again makes the old one invalid at once.',
  auth: 'admin',
  params: numberInPath,
  responses: { 201: { description: 'The new key.', schema: key } },
  refusals: ['number_not_found'],
}).handledBy(async ({ caller, params }, interior) => {
  const { database, vault, clock } = interior;
  const { id } = await findOwnNumber(interior, caller, params.id);
  const isReissue = (await findNumberKey(database, id)) !== undefined;
  const issued = newNumberKey();
  await putNumberKey(database, {
    numberId: id,
    keyHash: vault.fingerprint(issued),
    keySealed: vault.seal(issued, id),
    issuedAt: new Date(clock.now()),
  });
  const action = isReissue ? 'number_key.reissued' : 'number_key.issued';
  await audit(interior, caller, { action, subject: `number:${id}` });
  return { status: 201, body: { key: issued } };
});

export const revealKey = defineRoute({
  method: 'get',
  path,
  operationId: 'revealKey',
  tag: 'Numbers',
  summary: 'Show the key of a number again',
  description: 'Does not change the key. Each reveal is in the audit log.',
  auth: 'admin',
  params: numberInPath,
  responses: { 200: { description: 'The key.', schema: key } },
  refusals: ['number_not_found', 'not_found', 'key_not_recoverable'],
}).handledBy(async ({ caller, params }, interior) => {
  const { id } = await findOwnNumber(interior, caller, params.id);
  const stored = await findNumberKey(interior.database, id);
  if (stored === undefined) throw new Refusal('not_found', 'No key was issued for this number yet.');
  if (stored.keySealed === null) {
    throw new Refusal(
      'key_not_recoverable',
      'This key was issued before recovery copies existed. Issue a new one to see it.',
    );
  }
  // First the entry: a key is never shown without one.
  await audit(interior, caller, { action: 'number_key.revealed', subject: `number:${id}` });
  return { status: 200, body: { key: interior.vault.open(stored.keySealed, id) } };
});
