import test from 'ava';
import pino from 'pino';
import { keepRunning } from '#src/persistence/embedded/keep-running.ts';
import type { Postmaster } from '#src/persistence/embedded/postmaster.ts';
import { until } from '#test/helpers/until.ts';

const server: Postmaster = { pid: 1_001, isReady: true };

/** A server that can be killed, and what its keeper says. */
const keptServer = (bringUp: (signal: AbortSignal) => Promise<Postmaster>) => {
  let running: Postmaster | undefined = server;
  const logged: string[] = [];
  const kept = keepRunning({
    server,
    find: async () => running,
    bringUp: async (signal) => (running = await bringUp(signal)),
    logger: pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line).msg) }),
  });
  return { kept, logged, kill: () => (running = undefined) };
};

test('a server that does not come up at once is tried again, and it is said how it goes', async (t) => {
  let tries = 0;
  const { kept, logged, kill } = keptServer(async () => {
    tries += 1;
    if (tries === 1) throw new Error('Not yet');
    return { pid: 1_002, isReady: true };
  });
  t.teardown(kept.stop);
  kill();
  await until('it is back', () => (logged.length === 3 ? true : undefined));
  t.deepEqual(logged, [
    'the embedded database has ended though nobody here asked it to; it is started again',
    'the embedded database did not come up; it is tried again',
    'the embedded database is back',
  ]);
});

test('the end of the gateway breaks a start off that is under way, and begins no other', async (t) => {
  const begun = Promise.withResolvers<void>();
  let tries = 0;
  const { kept, logged, kill } = keptServer(async (signal) => {
    tries += 1;
    begun.resolve();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    throw signal.reason;
  });
  kill();
  await begun.promise;
  await kept.stop();
  t.is(tries, 1);
  t.is(logged.length, 1);
});
