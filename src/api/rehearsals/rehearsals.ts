import * as z from 'zod';
import { mostParallelCalls, mostRepeats } from '#src/domain/rehearsal.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { audit } from '../http/audit.ts';
import { domesticNumber } from '../domestic-number.ts';
import { integerInQuery, name, text } from '../fields.ts';
import { defineRoute } from '../http/route.ts';
import { encodeMomentCursor, momentCursorInQuery, nextCursor } from '../http/cursor.ts';
import { idInPath } from '../ids.ts';
import { requireSimulator } from '../simulator/script-schema.ts';
import {
  exampleSuite,
  presentRehearsal,
  presentResults,
  rehearsal,
  rehearsalResults,
} from './rehearsal-schema.ts';

const params = z.object({ id: idInPath('The run.') });

const notFound = (): Refusal =>
  new Refusal('not_found', 'There is no rehearsal with this id in the workspace.');

export const startRehearsal = defineRoute({
  method: 'post',
  path: '/api/v1/admin/rehearsals',
  operationId: 'startRehearsal',
  tag: 'Rehearsals',
  summary: 'Run a suite of simulated callers',
  description:
    'Runs the suite on the simulated line with the agents of the number. It costs what the agent costs; personas and rubrics also make requests to the language model of the gateway. A number has one run at a time, and others wait for it.',
  auth: 'admin',
  body: z.strictObject({
    suite: text(100_000).min(1).meta({
      description: 'The suite in YAML, as `guides/rehearsals.md` describes.',
      example: exampleSuite,
    }),
    name: name.optional().meta({
      description: 'A name, by which runs are compared, such as that of the file. Default: `suite`.',
      example: 'good-agent.yaml',
    }),
    number: z.string().optional().meta({
      description:
        'The number whose agent is rehearsed, in domestic format. Default: that of the suite, or the first of the workspace.',
      example: '07012345678',
    }),
    repeat: z
      .int()
      .min(1)
      .max(mostRepeats)
      .optional()
      .meta({ description: 'Calls of each case. Default: 1.', example: 1 }),
    parallel: z
      .int()
      .min(1)
      .max(mostParallelCalls)
      .optional()
      .meta({ description: 'Calls at once. Default: 1.', example: 4 }),
  }),
  responses: { 202: { description: 'The run, which has started or waits.', schema: rehearsalResults } },
  refusals: ['not_found', 'number_not_found', 'concurrency_limit', 'draining'],
}).handledBy(async ({ caller, body }, services) => {
  requireSimulator(services);
  const { country } = services.directory;
  const { suite: source, name: suite = 'suite', number, repeat = 1, parallel = 1 } = body;
  const run = await services.calls.rehearsals.start(caller, {
    name: suite,
    source,
    number: number === undefined ? null : domesticNumber(country, 'number', number),
    repeat,
    parallel,
  });
  await audit(services, caller, {
    action: 'rehearsal.started',
    subject: `rehearsal:${run.id}`,
    detail: { suite, number: run.number, calls: run.callsAll },
  });
  return { status: 202, body: presentResults(run) };
});

export const listRehearsals = defineRoute({
  method: 'get',
  path: '/api/v1/admin/rehearsals',
  operationId: 'listRehearsals',
  tag: 'Rehearsals',
  summary: 'List the runs of suites',
  description: 'Newest first. The last 200 runs of the workspace are stored.',
  auth: 'viewer',
  query: z.object({ limit: integerInQuery(1, 100, 20), cursor: momentCursorInQuery.optional() }),
  responses: {
    200: {
      description: 'A page of runs.',
      schema: z.object({ rehearsals: z.array(rehearsal), next_cursor: nextCursor }),
    },
  },
  refusals: [],
}).handledBy(async ({ caller, query: { limit, cursor } }, { calls: { rehearsals } }) => {
  const found = await rehearsals.list({
    workspaceId: caller.workspace.id,
    limit: limit + 1,
    after: cursor && { createdAt: cursor.at, id: cursor.id },
  });
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    status: 200,
    body: {
      rehearsals: page.map(presentRehearsal),
      nextCursor: last === undefined ? null : encodeMomentCursor({ at: last.createdAt, id: last.id }),
    },
  };
});

export const getRehearsal = defineRoute({
  method: 'get',
  path: '/api/v1/admin/rehearsals/{id}',
  operationId: 'getRehearsal',
  tag: 'Rehearsals',
  summary: 'Read the results of a run',
  description:
    'Results of the finished cases, also while the run goes on. The words are in the transcripts of the calls.',
  auth: 'viewer',
  params,
  responses: { 200: { description: 'The run with its results.', schema: rehearsalResults } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params: { id } }, { calls: { rehearsals } }) => {
  const run = await rehearsals.find({ id, workspaceId: caller.workspace.id });
  if (run === undefined) throw notFound();
  return { status: 200, body: presentResults(run) };
});

export const cancelRehearsal = defineRoute({
  method: 'post',
  path: '/api/v1/admin/rehearsals/{id}/cancel',
  operationId: 'cancelRehearsal',
  tag: 'Rehearsals',
  summary: 'Cancel a run',
  description: 'Hangs up its calls and starts no more. A run that has ended stays as it is.',
  auth: 'admin',
  params,
  responses: { 202: { description: 'The run.', schema: rehearsalResults } },
  refusals: ['not_found'],
}).handledBy(async ({ caller, params: { id } }, services) => {
  const { rehearsals } = services.calls;
  const wanted = { id, workspaceId: caller.workspace.id };
  const wasCancelled = await rehearsals.cancel(wanted);
  const run = await rehearsals.find(wanted);
  if (run === undefined) throw notFound();
  if (wasCancelled)
    await audit(services, caller, {
      action: 'rehearsal.cancelled',
      subject: `rehearsal:${id}`,
      detail: { suite: run.suite },
    });
  return { status: 202, body: presentResults(run) };
});
