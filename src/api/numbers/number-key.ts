/** Issues and reveals the API key of a number (guides/design/administration.md, "Number keys"). */
import * as z from 'zod';
import { issueNumberKey, revealNumberKey } from '#src/administration/issue-number-key.ts';
import { numberOf } from '#src/administration/administer-numbers.ts';
import { defineRoute } from '../http/route.ts';
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
  description: 'A number has one key. Issuing a new one invalidates the old one at once.',
  auth: 'admin',
  params: numberInPath,
  responses: { 201: { description: 'The new key.', schema: key } },
  refusals: ['number_not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const administrator = services.directory.administrator(caller);
  const { id } = await numberOf(administrator, params.id);
  return { status: 201, body: { key: await issueNumberKey(administrator, id) } };
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
}).handledBy(async ({ caller, params }, services) => {
  const administrator = services.directory.administrator(caller);
  const { id } = await numberOf(administrator, params.id);
  return { status: 200, body: { key: await revealNumberKey(administrator, id) } };
});
