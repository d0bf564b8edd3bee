import { numberOf } from '#src/administration/administer-numbers.ts';
import { defineRoute } from '../http/route.ts';
import { number, numberInPath } from './number-schema.ts';
import { presentNumber } from './present-number.ts';

export const getNumber = defineRoute({
  method: 'get',
  path: '/api/v1/admin/numbers/{id}',
  operationId: 'getNumber',
  tag: 'Numbers',
  summary: 'Read a number',
  description: 'Its settings, its agents and whether it has a key; no secrets.',
  auth: 'viewer',
  params: numberInPath,
  responses: { 200: { description: 'The number.', schema: number } },
  refusals: ['number_not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const found = await numberOf(services.directory.administrator(caller), params.id);
  return { status: 200, body: await presentNumber(services.directory, found) };
});
