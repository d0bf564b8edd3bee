/** Runs the included rehearsal suites on a number. */
import { globSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';

const folder = new URL('../../examples/rehearsals/', import.meta.url);

const suites = globSync('*.yaml', { cwd: folder }).toSorted();

const run = z.object({
  id: z.string(),
  status: z.string(),
  problem: z.string().nullable(),
  results: z.array(
    z.object({
      name: z.string(),
      runs: z.array(z.object({ failures: z.array(z.object({ message: z.string() })) })),
    }),
  ),
});

const path = '/api/v1/admin/rehearsals';

type Run = z.infer<typeof run>;

const isOver = ({ status }: Run): boolean => !['queued', 'running'].includes(status);

const callsIn = ({ results }: Run): number => results.reduce((sum, { runs }) => sum + runs.length, 0);

/** Resolves to the finished run. Waits for one call after the other: a busy machine takes long for all of them. */
const untilOver = async (read: () => Promise<Run>, name: string): Promise<Run> => {
  let last = await read();
  while (!isOver(last)) {
    const known = callsIn(last);
    last = await until(`${name} continues after ${known} calls`, async () => {
      const now = await read();
      return isOver(now) || callsIn(now) > known ? now : undefined;
    });
  }
  return last;
};

/** Resolves to everything that failed, by suite; empty if all suites passed. */
export const failuresOfSuites = async ({ admin, credentials }: TestGateway): Promise<string[]> => {
  const failures: string[] = [];
  for (const name of suites) {
    const suite = readFileSync(new URL(name, folder), 'utf8');
    const { body } = await admin.post(path, { suite, name, number: credentials.number, parallel: 8 });
    const { id } = run.parse(body);
    const ended = await untilOver(async () => run.parse((await admin.get(`${path}/${id}`)).body), name);
    if (ended.status === 'passed') continue;
    failures.push(
      `${name}: ${ended.status} ${ended.problem ?? ''}`,
      ...ended.results.flatMap(({ name: one, runs }) =>
        runs.flatMap((call) => call.failures.map(({ message }) => `${one}: ${message}`)),
      ),
    );
  }
  return failures;
};
