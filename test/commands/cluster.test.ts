import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { runCluster } from '#src/commands/cluster.ts';
import { readCredentials } from '#src/start/credentials.ts';
import { apiClient } from '#test/helpers/api-client.ts';
import { until } from '#test/helpers/until.ts';
import { emptyFolder } from '#test/start/gateway-process.ts';

const silent = '01000000006';
const events = z.object({ events: z.array(z.looseObject({ type: z.string() })) });

test('a cluster is tried out: the call of a gateway that is killed goes on at the other, and all end when asked', async (t) => {
  const folder = await emptyFolder(t);
  const asked = new AbortController();
  t.teardown(() => asked.abort());
  const printed: string[] = [];
  const running = runCluster(
    ['--nodes', '2', '--port', '0'],
    {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      GW_MAX_DELAY_MS: '0',
      GW_DATA_DIR: folder,
      GW_DRAIN_SEC: '0',
    },
    (line) => printed.push(line),
    asked.signal,
  );
  const find = (words: RegExp): Promise<string> =>
    until(String(words), () =>
      printed.map((line) => words.exec(line)?.[1]).find((found) => found !== undefined),
    );
  const pids = [await find(/^node-1 {2}pid (\d+)/), await find(/^node-2 {2}pid (\d+)/)].map(Number);
  await find(/(placed with the first gateway)/);

  const [first, second] = await Promise.all(
    ['node-1', 'node-2'].map((name) => readCredentials(join(folder, 'cluster', name))),
  );
  const key = first?.number_key ?? '';
  const client = apiClient(second?.base_url ?? '', key);
  const { body } = await apiClient(first?.base_url ?? '', key).post('/api/v1/calls', { to: silent });
  const callId = z.object({ call_id: z.string() }).parse(body).call_id;
  const path = `/api/v1/calls/${callId}`;
  await until(
    'the call is active',
    async () => (await client.get(path)).body['status'] === 'active' || undefined,
  );
  process.kill(pids[0] ?? Number.NaN, 'SIGKILL');
  await find(/^(node-1) {2}has ended \(SIGKILL\); it comes back in 10 s$/);
  await until('the call has gone on', async () => {
    const known = events.parse((await client.get(`${path}/events`)).body).events;
    return known.some(({ type }) => type === 'call.taken_over') || undefined;
  });
  t.is((await client.get(path)).body['status'], 'active');

  asked.abort();
  await running;
  for (const pid of pids) t.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

test('what cannot be is said in one line', async (t) => {
  const run = (...args: string[]) => runCluster(args, {}, t.fail, AbortSignal.abort());
  await t.throwsAsync(run('--nodes', '0'), { message: '--nodes is a whole number from 1 to 10' });
  await t.throwsAsync(run('--nodes', 'two'), { message: '--nodes is a whole number from 1 to 10' });
  await t.throwsAsync(run('--port', '65530'), { message: '--port is a whole number from 0 to 65525' });
  await t.throwsAsync(run('--fast'), { message: /--fast/ });
});
