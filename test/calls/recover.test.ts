import { randomUUID } from 'node:crypto';
import test from 'ava';
import pino from 'pino';
import { createRecovery } from '#src/calls/recover.ts';
import { facts } from '#src/persistence/call-facts.ts';
import { storedCall } from '#test/helpers/stored-number.ts';
import { beginning, createDeskWorld, type DeskWorld } from './desk-world.ts';

const recoveryIn = ({ database, journal }: DeskWorld, ends: string[] = []) =>
  createRecovery({
    database,
    journal,
    witness: { ended: ({ callId, status, reason }) => void ends.push(`${callId} ${status} ${reason}`) },
    now: () => beginning + 3_600_000,
    logger: pino({ level: 'silent' }),
  });

/** A call that its process left behind; answered a minute after it began, or ringing. */
const leftBehind = async (world: DeskWorld, node: string, answered: boolean): Promise<string> => {
  const callId = await storedCall(world.database, world.stored, { node, startedAt: new Date(beginning) });
  if (answered)
    await world.database.execute(`update call set status = 'active', answered_at = $2 where id = $1`, [
      callId,
      new Date(beginning + 60_000),
    ]);
  return callId;
};

test('how long a lost call really lasted nobody knows; one that was never answered lasted 0 seconds', async (t) => {
  const world = await createDeskWorld(t);
  const node = randomUUID();
  const [answered, ringing] = [await leftBehind(world, node, true), await leftBehind(world, node, false)];
  const ends: string[] = [];
  await recoveryIn(world, ends).endOwnCalls(node);
  const endedAt = new Date(beginning + 3_600_000);
  const lost = { status: 'failed', endReason: 'system_error', endedAt };
  t.like(await world.rowOf(answered), { ...lost, durationSec: null });
  t.like(await world.rowOf(ringing), { ...lost, durationSec: 0 });
  t.deepEqual(
    ends.toSorted(),
    [answered, ringing].map((callId) => `${callId} failed system_error`).toSorted(),
  );
  t.like(await facts(world.database, answered), [{ sequence: 1, type: 'call.ended' }]);
});

test('only calls in progress are ended, only those of the dead process, and once', async (t) => {
  const world = await createDeskWorld(t);
  const node = randomUUID();
  const others = await leftBehind(world, randomUUID(), true);
  const over = await leftBehind(world, node, true);
  await world.database.execute(`update call set status = 'completed', duration_sec = 5 where id = $1`, [
    over,
  ]);
  const lost = await leftBehind(world, node, true);
  const ends: string[] = [];
  const recovery = recoveryIn(world, ends);
  await recovery.endOwnCalls(node);
  await recovery.endOwnCalls(node);
  t.is((await world.rowOf(others))?.status, 'active');
  t.like(await world.rowOf(over), { status: 'completed', durationSec: 5 });
  t.deepEqual(ends, [`${lost} failed system_error`]);
  t.is((await facts(world.database, lost)).length, 1);
});
