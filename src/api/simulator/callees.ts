import * as z from 'zod';
import { normalizeDestination } from '#src/domain/phone-number.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { calleeBehaviours, type CalleeBehaviour } from '#src/domain/simulated-callee.ts';
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

const inWords: Readonly<Record<CalleeBehaviour, string>> = {
  polite: 'Answers after a second, talks politely, and lets the agent end the call.',
  no_answer: 'Never answers.',
  busy: 'Is busy.',
  declines: 'Declines the call.',
  one_more_thing: 'Answers, talks politely, and speaks once during the first farewell.',
  silent: 'Answers and stays silent.',
  hangs_up: 'Answers, says one sentence, and hangs up.',
  interrupts: 'Answers, and interrupts every reply once.',
  trunk_error: 'Cannot be reached: the trunk fails.',
  script: 'Follows its script.',
};

const listedCallee = z
  .object({
    number: z.string().meta({ description: 'Domestic format.', example: '01000000001' }),
    behaviour: z.enum(calleeBehaviours).meta({
      description: '`script`: it has a script; the others are there without setup.',
      example: 'polite',
    }),
    description: z.string().meta({ description: 'The behaviour in words.', example: inWords.polite }),
    steps: z
      .int()
      .nullable()
      .meta({ description: 'Number of steps of the script; null without a script.', example: null }),
  })
  .meta({ id: 'ListedCallee' });

export const listCallees = defineRoute({
  method: 'get',
  path: '/api/v1/admin/simulator/callees',
  operationId: 'listCallees',
  tag: 'Simulator',
  summary: 'List the callees',
  description:
    'Who answers the calls of the workspace on the simulated line, by number: the callees that every gateway knows, and up to 200 with a script. Any other number rings on the web phones of the workspace.',
  auth: 'viewer',
  responses: {
    200: { description: 'The callees.', schema: z.object({ callees: z.array(listedCallee) }) },
  },
  refusals: ['not_found'],
}).handledBy(async ({ caller }, services) => {
  const callees = await requireSimulator(services).listCallees(caller.workspace.id);
  // In another country, calls to the numbers of the known callees are refused.
  const { country } = services.directory;
  const reachable = callees.filter(({ number }) => normalizeDestination(number, country) !== undefined);
  return {
    status: 200,
    body: { callees: reachable.map((each) => ({ ...each, description: inWords[each.behaviour] })) },
  };
});

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
