/** Liveness of the process, and readiness to place calls. */
import * as z from 'zod';
import { Refusal } from '#src/domain/refusal.ts';
import { withTimeout } from '#src/domain/with-timeout.ts';
import { defineRoute } from '../http/route.ts';
import type { ApiServices } from '../api-services.ts';

export const getHealth = defineRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  tag: 'Operation',
  summary: 'Is the process alive?',
  description: 'Responds as long as the process runs, whatever it depends on.',
  auth: 'none',
  responses: {
    200: { description: 'The process is running.', schema: z.object({ status: z.literal('alive') }) },
  },
  refusals: [],
}).handledBy(() => ({ status: 200, body: { status: 'alive' } }));

export const getReadiness = defineRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  tag: 'Operation',
  summary: 'Can calls be placed here?',
  description:
    'Checks the database, the data folder and the telephone lines. A gateway that is shutting down is not ready.',
  auth: 'none',
  responses: {
    200: {
      description: 'Ready. `warning` lists what is unavailable although calls can be placed.',
      schema: z.object({ status: z.literal('ready'), warning: z.string().optional() }),
    },
  },
  refusals: ['draining', 'service_unavailable'],
}).handledBy(async (_, services) => {
  const { health } = services.operation;
  if (health.isDraining())
    throw new Refusal('draining', 'This gateway is shutting down and takes no new calls.');
  const problems = [
    ...(await Promise.all([whyDatabaseIsDown(services), health.dataFolderProblem()])),
    health.whyLinesAreDown(),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Refusal('service_unavailable', problems.join(' '));
  const warning = health.whatIsDown();
  return { status: 200, body: { status: 'ready', ...(warning === undefined ? {} : { warning }) } };
});

const whyDatabaseIsDown = async ({
  directory,
  operation: { clock, limits, logger },
}: ApiServices): Promise<string | undefined> => {
  try {
    await withTimeout(clock, limits.readinessMs, () => directory.ping());
    return undefined;
  } catch (error) {
    logger.warn({ err: error }, 'the database does not answer');
    return 'The database does not answer.';
  }
};
