import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { audit } from '../http/audit.ts';
import { domesticNumber } from '../domestic-number.ts';
import { defineRoute } from '../http/route.ts';
import { rehearsal } from './rehearsal-schema.ts';
import { requirePlayable, requireSimulator, script } from './script-schema.ts';

const path = '/api/v1/admin/simulator/callees/{number}';
const params = z.object({ number: z.string().meta({ description: 'The number in domestic format.' }) });
const callee = z
  .object({ number: z.string().meta({ example: '01000000042' }), script })
  .meta({ id: 'SimulatedCallee' });

const calleeNotFound = (): Refusal =>
  new Refusal('not_found', 'The workspace has not defined a callee with this number.');

export const putCallee = defineRoute({
  method: 'put',
  path,
  operationId: 'putCallee',
  tag: 'Simulator',
  summary: 'Set the script of a callee',
  description:
    'Calls of the workspace to this number follow this script from now on. They may be placed at any gateway with the same database.',
  auth: 'admin',
  params,
  body: z.strictObject({ script, rehearsal: rehearsal.optional() }),
  responses: { 200: { description: 'The callee.', schema: callee } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params, body }, services) => {
  const simulator = requireSimulator(services);
  const number = domesticNumber(services.directory.country, 'number', params.number);
  await requirePlayable(simulator, body.script, 'callee');
  const { script: steps, rehearsal: watched = null } = body;
  await simulator.defineCallee(caller.workspace.id, number, { script: steps, rehearsal: watched });
  await audit(services, caller, { action: 'simulator.callee_defined', subject: `callee:${number}` });
  return { status: 200, body: { number, script: body.script } };
});

export const getCallee = defineRoute({
  method: 'get',
  path,
  operationId: 'getCallee',
  tag: 'Simulator',
  summary: 'Read the script of a callee',
  description: 'The script stored for this number.',
  auth: 'viewer',
  params,
  responses: { 200: { description: 'The callee.', schema: callee } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const simulator = requireSimulator(services);
  const number = domesticNumber(services.directory.country, 'number', params.number);
  const found = await simulator.findCallee(caller.workspace.id, number);
  if (found === undefined) throw calleeNotFound();
  return { status: 200, body: { number, script: [...found.script] } };
});

export const deleteCallee = defineRoute({
  method: 'delete',
  path,
  operationId: 'deleteCallee',
  tag: 'Simulator',
  summary: 'Remove the script of a callee',
  description:
    'The next calls to this number reach the known telephone of that number, or the web phones of the workspace. Calls in progress keep the script.',
  auth: 'admin',
  params,
  responses: { 204: { description: 'Deleted.' } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params }, services) => {
  const simulator = requireSimulator(services);
  const number = domesticNumber(services.directory.country, 'number', params.number);
  if (!(await simulator.deleteCallee(caller.workspace.id, number))) throw calleeNotFound();
  await audit(services, caller, { action: 'simulator.callee_deleted', subject: `callee:${number}` });
  return { status: 204 };
});
