import { removeNumber } from '#src/administration/administer-numbers.ts';
import { administratorOf } from '../audit.ts';
import { defineRoute } from '../route.ts';
import { numberInPath } from './number-schema.ts';

export const deleteNumber = defineRoute({
  method: 'delete',
  path: '/api/v1/admin/numbers/{id}',
  operationId: 'deleteNumber',
  tag: 'Numbers',
  summary: 'Delete a number',
  description:
    'Its key and its agents are gone at once, and its digits may be added again. Its calls, their transcripts and recordings, the call records and the audit log stay. A webhook endpoint that is bound to it gets what is still outstanding, and nothing after that. Refused while a call is in progress.',
  auth: 'admin',
  params: numberInPath,
  responses: { 204: { description: 'It is gone.' } },
  refusals: ['number_not_found', 'number_in_use'],
}).handledBy(async ({ caller, params }, services) => {
  await removeNumber(administratorOf(services, caller), params.id);
  return { status: 204 };
});
