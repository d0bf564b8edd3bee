import test from 'ava';
import { DatabaseAway } from '#src/persistence/database/connection-errors.ts';
import { patiently } from '#src/start/patiently.ts';

/** A step that fails this often, and the number of its runs. */
const failing = (failures: number, error: Error) => {
  const seen = { runs: 0 };
  return {
    seen,
    async step(): Promise<void> {
      seen.runs += 1;
      if (seen.runs <= failures) throw error;
    },
  };
};

const numbers = { pauseMs: 0, repetitions: 3 };

test('repeats a step of the start while the database is unavailable', async (t) => {
  const { seen, step } = failing(3, new DatabaseAway());
  await patiently(step, numbers);
  t.is(seen.runs, 4);
});

test('gives a step of the start up if the database stays away', async (t) => {
  const { seen, step } = failing(Infinity, new DatabaseAway());
  await t.throwsAsync(patiently(step, numbers), { instanceOf: DatabaseAway });
  t.is(seen.runs, 4);
});

test('does not repeat a step of the start that fails for another reason', async (t) => {
  const { seen, step } = failing(1, new Error('unknown'));
  await t.throwsAsync(patiently(step, numbers), { message: 'unknown' });
  t.is(seen.runs, 1);
});
