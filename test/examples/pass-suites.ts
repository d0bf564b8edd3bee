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

/** Resolves to everything that failed, by suite; empty if all suites passed. */
export const failuresOfSuites = async ({ admin, credentials }: TestGateway): Promise<string[]> => {
  const failures: string[] = [];
  for (const name of suites) {
    const suite = readFileSync(new URL(name, folder), 'utf8');
    const { body } = await admin.post(path, { suite, name, number: credentials.number, parallel: 8 });
    const { id } = run.parse(body);
    const ended = await until(`${name} was run`, async () => {
      const found = run.parse((await admin.get(`${path}/${id}`)).body);
      return ['queued', 'running'].includes(found.status) ? undefined : found;
    });
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
