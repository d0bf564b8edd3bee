import test from 'ava';
import { createRequestCounting, deleteOldCounts } from '#src/persistence/request-counts.ts';
import { openTestDatabase, testDatabaseUrl } from '#test/helpers/database.ts';

test('requests that come to two gateways at once are counted in one, each with a place of its own', async (t) => {
  const url = await testDatabaseUrl(t);
  const databases = [await openTestDatabase(t, url, 'one'), await openTestDatabase(t, url, 'two')];
  const counts = databases.map((database) => createRequestCounting(database, 60));
  const keys = ['a', 'b', 'c'];
  const asked = Array.from({ length: 40 }, () => counts.flatMap((count) => keys.map((key) => count(key))));
  const answers = await Promise.all(asked.flat());
  for (const [index] of keys.entries()) {
    const places = answers.filter((_, at) => at % keys.length === index).map(({ requests }) => requests);
    t.deepEqual(
      places.toSorted((one, other) => one - other),
      Array.from({ length: 80 }, (_, place) => place + 1),
    );
  }
  for (const { seconds } of answers) t.true(seconds > 0 && seconds <= 60);
});

test('what was counted is over after its time, and forgotten a while later', async (t) => {
  const database = await openTestDatabase(t, await testDatabaseUrl(t), 'one');
  const count = createRequestCounting(database, 60);
  const ended = (seconds: number) =>
    database.execute(`update request_count set ends_at = now() - make_interval(secs => $1)`, [seconds]);
  await count('a');
  t.is((await count('a')).requests, 2);
  // Not just now: clocks of machines go back by a moment, too.
  await ended(1);
  const { requests, seconds } = await count('a');
  t.is(requests, 1);
  t.true(seconds > 0);
  await deleteOldCounts(database);
  t.is((await count('a')).requests, 2);
  await ended(61);
  await deleteOldCounts(database);
  t.deepEqual(await database.execute('select 1 from request_count'), []);
});
