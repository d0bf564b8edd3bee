import { settle } from './determinism.ts';
import test from 'ava';
import type { Postgres } from './postgres.ts';
import { runSeed, startPostgres } from './run-seed.ts';

let postgres: Postgres;

test.before('a database is started', async () => {
  postgres = await startPostgres();
  await settle();
});

test.serial('whatever goes wrong in the first seeds, every rule holds', async (t) => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const { violations, calls } = await runSeed(seed, postgres);
    t.deepEqual(violations, [], `npm run simulate -- --seed ${seed}`);
    t.true(calls > 0);
  }
});

test.serial('a seed that is run twice gives the same journal, byte for byte', async (t) => {
  for (const seed of [3, 7]) {
    const once = await runSeed(seed, postgres);
    const twice = await runSeed(seed, postgres);
    t.true(once.lines.length > 100);
    t.deepEqual(twice.lines, once.lines);
  }
});

test.serial('another seed is another story', async (t) => {
  t.not((await runSeed(3, postgres)).digest, (await runSeed(4, postgres)).digest);
});
