/** Limits on calls in progress hold over gateways that share a database, as processes of their own. */
import test from 'ava';
import { z } from 'zod';
import { until } from '#test/helpers/until.ts';
import {
  oneDatabase,
  silent,
  untilStatus,
  untilTakenOver,
  type Running,
} from './gateways-of-one-database.ts';

const inProgress = `select count(*)::int as calls from call where ended_at is null`;

/** The response to each of this many requests through all of the gateways at once. */
const placeAtOnce = async (gateways: readonly Running[], count: number) => {
  const requests = Array.from({ length: Math.ceil(count / gateways.length) }, () =>
    gateways.map(({ client }) => client.post('/api/v1/calls', { to: silent })),
  );
  const answers = await Promise.all(requests.flat());
  return {
    placed: answers.flatMap(({ status, body }) => (status === 201 ? [String(body['call_id'])] : [])),
    refusals: answers.flatMap(({ status, body }) =>
      status === 201 ? [] : [`${status} ${String(body['code'])} ${String(body['maximum'])}`],
    ),
  };
};

test.serial(
  'starts simultaneous calls on three gateways up to the maximum of the number, even while one is killed',
  async (t) => {
    const { start, rows } = await oneDatabase(t);
    const gateways = [await start('one'), await start('two'), await start('three')];
    const [one, two, three] = gateways;
    if (one === undefined || two === undefined || three === undefined) return t.fail();
    const { body } = await one.admin.get('/api/v1/admin/numbers');
    const [number] = z.array(z.object({ id: z.string() })).parse(body['numbers']);
    await one.admin.patch(`/api/v1/admin/numbers/${number?.id}`, { max_concurrent_calls: 10 });

    const { placed, refusals } = await placeAtOnce(gateways, 60);
    t.is(placed.length, 10);
    t.deepEqual([...new Set(refusals)], ['429 concurrency_limit 10']);
    t.deepEqual(await rows(inProgress), [{ calls: 10 }]);
    for (const callId of placed) await untilStatus(one, callId, 'active');

    const { body: me } = await one.admin.get('/api/v1/admin/numbers');
    const own = z.array(z.object({ number: z.string() })).parse(me['numbers'])[0]?.number;
    for (const { admin } of gateways) {
      const caller = { to: own, from: '01012345678' };
      const refused = await admin.post('/api/v1/admin/simulator/calls', caller);
      t.deepEqual([refused.status, refused.body.code], [429, 'concurrency_limit']);
    }

    // Capacity of ended calls is available to every gateway at once, whichever gateway owned the calls.
    for (const callId of placed.slice(0, 4)) {
      await two.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
      await untilStatus(three, callId, 'completed');
    }
    const again = await placeAtOnce([two, three], 20);
    t.is(again.placed.length, 4);
    t.deepEqual([...new Set(again.refusals)], ['429 concurrency_limit 10']);

    // A call that rings at a killed gateway ends and frees its place.
    for (const callId of again.placed) await untilStatus(one, callId, 'active');
    const held = (
      await rows(`select id from call where node = 'three' and answered_at is not null and ended_at is null`)
    ).map((row) => z.object({ id: z.string() }).parse(row).id);
    three.signal('SIGKILL');
    const meanwhile = await placeAtOnce([one, two], 20);
    t.deepEqual(meanwhile.placed, []);
    for (const callId of held) await untilTakenOver(one, callId);
    await until('nobody counts for the dead one', async () => {
      const [node] = await rows(`select 1 from node where name = 'three'`);
      return node === undefined ? true : undefined;
    });
    await placeAtOnce([one, two], 20);
    t.deepEqual(await rows(inProgress), [{ calls: 10 }]);
    t.deepEqual((await placeAtOnce([one, two], 6)).placed, []);
    return undefined;
  },
);

test.serial('keeps the limit while a second gateway joins and leaves', async (t) => {
  const { start, rows } = await oneDatabase(t);
  const one = await start('one');
  const alone = (name: string) =>
    until(`${name} counts alone`, async () => {
      const [row] = await rows(`select 1 from node where name = '${name}' and counts_alone`);
      return row === undefined ? undefined : true;
    });
  await alone('one');
  await one.admin.patch('/api/v1/admin/workspace', { max_calls_in_progress: 5 });
  t.is((await placeAtOnce([one], 3)).placed.length, 3);
  const two = await start('two');
  const { placed, refusals } = await placeAtOnce([two, one], 20);
  t.is(placed.length, 2);
  t.deepEqual([...new Set(refusals)], ['429 concurrency_limit 5']);
  t.deepEqual(await rows(`select 1 from node where counts_alone`), []);
  // A ringing call is not handed over.
  for (const callId of placed) await untilStatus(one, callId, 'active');

  two.signal('SIGTERM');
  await two.ended;
  await alone('one');
  t.deepEqual((await placeAtOnce([one], 6)).placed, []);
  t.deepEqual(await rows(inProgress), [{ calls: 5 }]);
});

test.serial('limits the requests of a key across all gateways', async (t) => {
  const { start, rows } = await oneDatabase(t);
  const limited = { GW_RATE_LIMIT: '50' };
  const gateways = [await start('one', limited), await start('two', limited)];
  await until('nobody counts alone', async () => {
    const alone = await rows('select 1 from node where counts_alone');
    return alone.length === 0 || undefined;
  });
  const requests = Array.from({ length: 60 }, () =>
    gateways.map(({ client }) => client.get('/api/v1/calls')),
  );
  const answers = await Promise.all(requests.flat());
  t.is(answers.filter(({ status }) => status === 200).length, 50);
  t.is(answers.filter(({ body }) => body.code === 'rate_limited').length, 70);
});
