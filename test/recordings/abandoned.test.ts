import { randomUUID } from 'node:crypto';
import test from 'ava';
import { joinNodes } from '#src/persistence/nodes.ts';
import { until } from '#test/helpers/until.ts';
import { recordingsWorld } from './recordings-world.ts';

const hour = 3_600_000;

test.serial(
  'a recording of a gateway that is gone is given up when its time is over, and no other one',
  async (t) => {
    const world = await recordingsWorld(t);
    const running = randomUUID();
    await joinNodes(world.database, { name: running, instance: randomUUID(), address: null });
    const before = Date.now() - 2 * hour;
    const gone = await world.call('completed', randomUUID(), before);
    const others = [
      await world.call('completed', randomUUID()),
      await world.call('completed', running, before),
      await world.call('active', randomUUID()),
    ];
    await world.start(null, { abandoned: { everyMs: hour, afterMs: hour } });
    await until('it is given up', async () => ((await world.statusOf(gone)) === 'failed' ? true : undefined));
    t.deepEqual(
      world.facts.map(({ callId, type }) => [callId, type]),
      [[gone, 'recording.failed']],
    );
    for (const callId of others) t.is(await world.statusOf(callId), 'pending');
  },
);

test.serial('it is looked again and again, also for a gateway that others found dead', async (t) => {
  const world = await recordingsWorld(t);
  const recordings = await world.start(null, { abandoned: { everyMs: 20, afterMs: hour } });
  const lost = { name: randomUUID(), instance: randomUUID(), address: null };
  await joinNodes(world.database, lost);
  const callId = await world.call('completed', lost.name, Date.now() - 2 * hour);
  await world.database.execute('update node set lost_at = now() where name = $1', [lost.name]);
  await until('it is given up', async () => ((await world.statusOf(callId)) === 'failed' ? true : undefined));
  await recordings.close();
  const [event] = await world.database.execute<{ count: number }>(
    `select count(*)::int as count from event where call_id = $1 and type = 'recording.failed'`,
    [callId],
  );
  t.deepEqual(event, { count: 1 });
});
