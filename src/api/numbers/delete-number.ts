import { removeNumber } from '#src/administration/administer-numbers.ts';
import { defineRoute } from '../http/route.ts';
import { numberInPath } from './number-schema.ts';

export const deleteNumber = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/numbers/{id}',
  operationId: 'deleteNumber',
  tag: 'Numbers',
  summary: 'Delete a number',
  description:
    'Removes its key and its agents at once; its digits may be added again. Its calls, transcripts, recordings, call records and audit entries remain. A webhook endpoint bound to it receives outstanding events, and none after that. Refused while a call is in progress.',
  auth: 'admin',
  params: numberInPath,
  responses: { 204: { description: 'Deleted.' } },
  refusals: ['number_not_found', 'number_in_use'],
}).handledBy(async ({ caller, params }, services) => {
  await removeNumber(services.directory.administrator(caller), params.id);
  return { status: 204 };
});
