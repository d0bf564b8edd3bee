import test from 'ava';
import { dayOf } from '#src/domain/day.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { insertCallWithin, spentOn, type SpentOfNumber } from '#src/persistence/spent-minutes.ts';
import { openTestDatabase, testDatabase, testDatabaseUrl } from '#test/helpers/database.ts';
import { callBirth, storedNumber } from '#test/helpers/stored-number.ts';

const at = (time: string): Date => new Date(`2026-11-21T${time}.000Z`);
const day = dayOf(at('03:00:00').getTime(), 'Asia/Seoul');

test('calls in progress count with all that they may last, ended ones with what they did', async (t) => {
  const database = await testDatabase(t);
  const owner = await storedNumber(database);
  const stranger = await storedNumber(database);
  const store = async (of: typeof owner, changes: object, columns = '') => {
    const birth = callBirth(of, changes);
    await insertCallWithin(database, birth, day, () => birth.maxDurationSec);
    if (columns !== '') await database.execute(`update call set ${columns} where id = $1`, [birth.id]);
  };
  const ended = `status = 'completed', ended_at = '2026-11-21T03:01:40Z', answered_at = '2026-11-21T03:00:10Z'`;
  await store(owner, {});
  await store(owner, {}, `status = 'active', answered_at = '2026-11-21T03:00:00Z'`);
  await store(owner, {}, `${ended}, duration_sec = 90`);
  await store(owner, {}, `status = 'no_answer', ended_at = '2026-11-21T03:00:40Z', duration_sec = 0`);
  // Nobody saw its end: it counts up to where it was found.
  await store(owner, {}, ended);
  await store(owner, { maxDurationSec: 60 }, ended);
  await store(owner, { direction: 'inbound' }, `${ended}, duration_sec = 90`);
  await store(owner, { startedAt: at('15:00:00') }, `${ended}, duration_sec = 90`);
  await store(stranger, {}, `${ended}, duration_sec = 90`);
  const [found, ...others] = await spentOn(database, { ...day, workspaceId: owner.workspaceId });
  t.deepEqual(others, []);
  // Clocks have gone on since: what goes on has talked all that it may.
  t.deepEqual(found, {
    numberId: owner.numberId,
    talkedSec: 600 + 90 + 90 + 60,
    heldSec: 600 + 600 + 90 + 90 + 60,
  });
});

test('two gateways that place calls at once give no minute away twice', async (t) => {
  const url = await testDatabaseUrl(t);
  const gateways = [await openTestDatabase(t, url, 'one'), await openTestDatabase(t, url, 'two')];
  const [first] = gateways;
  if (first === undefined) throw new Error('There is no gateway');
  const owner = await storedNumber(first);
  const limitSec = 1_000;
  const grant = (spent: readonly SpentOfNumber[]): number => {
    const rest = limitSec - spent.reduce((sum, { heldSec }) => sum + heldSec, 0);
    if (rest < 60) throw new Refusal('daily_limit_reached', 'Nothing is left.');
    return Math.min(150, rest);
  };
  const outcomes = await Promise.allSettled(
    gateways.flatMap((gateway) =>
      Array.from({ length: 12 }, () => insertCallWithin(gateway, callBirth(owner), day, grant)),
    ),
  );
  const granted = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value ?? 0] : []));
  t.deepEqual(
    granted.toSorted((one, other) => other - one),
    [150, 150, 150, 150, 150, 150, 100],
  );
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') t.true(outcome.reason instanceof Refusal);
  const rows = await first.execute<{ count: number; sum: number }>(
    'select count(*)::int as count, sum(max_duration_sec)::int as sum from call',
  );
  t.deepEqual(rows, [{ count: 7, sum: limitSec }], 'what was refused left no row');
});
