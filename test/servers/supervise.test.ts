import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { supervise, type RestartTimes } from '#src/servers/supervise.ts';
import { until } from '#test/helpers/until.ts';

const times: RestartTimes = {
  firstMs: 1,
  longestMs: 4,
  mostStarts: 6,
  steadyMs: 600_000,
  patienceMs: 10_000,
};

/** Shell programs, of which each start runs the next; the last one is repeated. */
const supervised = (t: ExecutionContext, programs: readonly string[]) => {
  const pids: number[] = [];
  const story: string[] = [];
  const server = supervise({
    start() {
      const program = programs[Math.min(pids.length, programs.length - 1)] ?? '';
      const child = spawn('sh', ['-c', program], { stdio: ['pipe', 'pipe', 'ignore'] });
      pids.push(child.pid ?? 0);
      const ready = async (): Promise<void> => {
        const [first] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
        if (!Buffer.isBuffer(first)) throw new Error('It did not start');
        // The program waits for its input, and continues when it was seen to be ready.
        child.stdin.end();
      };
      return { child, ready: ready() };
    },
    times,
    onEnded: (how, restartsInMs) => story.push(`${how}, again in ${restartsInMs}`),
    onBack: () => story.push('back'),
    onGivenUp: () => story.push('given up'),
  });
  t.teardown(() => server.stop());
  return { server, story, pids };
};

const runs = 'echo ready; exec sleep 600';
const fails = 'echo ready; read line; exit 3';

test('restarts a server that ends by itself, with growing delays', async (t) => {
  const { server, story } = supervised(t, [fails, fails, fails, fails, runs]);
  await server.ready;
  await until('it runs at last', () => story.filter((line) => line === 'back').length === 4 || undefined);
  t.deepEqual(
    story.filter((line) => line !== 'back'),
    [
      'exit code 3, again in 1',
      'exit code 3, again in 2',
      'exit code 3, again in 4',
      'exit code 3, again in 4',
    ],
  );
});

test('restarts a killed server, even if its first restart fails', async (t) => {
  const { server, story, pids } = supervised(t, [runs, 'exit 1', runs]);
  await server.ready;
  process.kill(pids[0] ?? 0, 'SIGKILL');
  await until('it is back', () => story.includes('back') || undefined);
  t.deepEqual(story, ['SIGKILL, again in 1', 'exit code 1, again in 2', 'back']);
});

test('stops restarting a server that ends repeatedly', async (t) => {
  const { server, story, pids } = supervised(t, [fails]);
  await server.ready;
  await until('it is given up', () => story.includes('given up') || undefined);
  t.is(pids.length, 6);
  t.is(story.filter((line) => line.startsWith('exit code 3')).length, 5);
  t.is(story.at(-1), 'given up');
});

test('rejects if a server never started', async (t) => {
  const { server, story } = supervised(t, ['exit 1']);
  await t.throwsAsync(server.ready, { message: 'It did not start' });
  t.deepEqual(story, []);
});

test('does not restart a server that was stopped', async (t) => {
  const { server, story, pids } = supervised(t, [runs]);
  await server.ready;
  await server.stop();
  t.throws(() => process.kill(pids[0] ?? 0, 0), { code: 'ESRCH' });
  t.is(pids.length, 1);
  t.deepEqual(story, []);
});
