import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { createLeftHangups } from '#src/calls/in-call/left-hangups.ts';
import type { InCallRequest } from '#src/domain/in-call-request.ts';
import { Refusal, type RefusalCode } from '#src/domain/refusal.ts';
import { leaveHangup, leftHangupsOf, type HangupAction } from '#src/persistence/left-hangups.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';

/** A call that was answered, by a gateway that has no session with the database. */
const setUp = async (t: ExecutionContext) => {
  const database = await testDatabase(t);
  const { numberId, ...number } = await storedNumber(database);
  const node = `node ${randomUUID()}`;
  const callId = await storedCall(database, { numberId, ...number }, { node });
  await database.execute(`insert into call_revival (call_id, form, start) values ($1, 1, '{}')`, [callId]);
  const leave = (action: HangupAction, changes: { numberId?: string; holder?: string } = {}) =>
    leaveHangup(database, { callId, numberId, holder: node, action, ...changes });
  const asked: InCallRequest[] = [];
  const written: string[] = [];
  const performing = (answer?: RefusalCode) =>
    createLeftHangups({
      database,
      node,
      performHere: async (request) => {
        asked.push(request);
        if (answer !== undefined) throw new Refusal(answer, 'No.');
      },
      journal: { written: async (id) => void written.push(id) },
      logger: pino({ level: 'silent' }),
    }).perform();
  const left = async () => (await leftHangupsOf(database, node)).map(({ action }) => action);
  return { database, callId, numberId, leave, left, performing, asked, written };
};

test('a hang-up is left with a call, and one that waits for nothing stays so', async (t) => {
  const { leave, left, performing, asked, written, callId, numberId } = await setUp(t);
  t.true(await leave('hangup'));
  t.deepEqual(await left(), ['hangup']);
  t.true(await leave('hangup_immediately'));
  t.true(await leave('hangup'));
  t.deepEqual(await left(), ['hangup_immediately']);
  await performing();
  t.deepEqual(asked, [{ callId, numberId, action: 'hangup_immediately' }]);
  t.deepEqual(written, [callId], 'it is forgotten behind its fact alone');
  t.deepEqual(await left(), []);
  await performing();
  t.is(asked.length, 1);
});

test('none is left with a call of another number or holder, or one that has ended', async (t) => {
  const { database, callId, leave, left } = await setUp(t);
  t.false(await leave('hangup', { numberId: randomUUID() }));
  t.false(await leave('hangup', { holder: 'another' }));
  await database.execute(
    `update call set status = 'failed', ended_at = now(), end_reason = 'system_error' where id = $1`,
    [callId],
  );
  t.false(await leave('hangup'));
  t.deepEqual(await left(), []);
});

test('none is left with a call whose holder has its session', async (t) => {
  const { database, callId, leave } = await setUp(t);
  // As a gateway holds its name: src/persistence/advisory-locks.ts.
  await database.transaction(async ({ execute }) => {
    await execute(
      `select pg_advisory_xact_lock(hashtextextended('trunkline node ' || (select node from call where id = $1), 0))`,
      [callId],
    );
    t.false(await leave('hangup'));
  });
  t.true(await leave('hangup'));
});

for (const code of ['room_unknown', 'hangup_failed'] as const)
  test(`what cannot be done yet stays: ${code}`, async (t) => {
    const { leave, left, performing } = await setUp(t);
    await leave('hangup');
    await performing(code);
    t.deepEqual(await left(), ['hangup']);
  });

test('what cannot be done any more goes', async (t) => {
  const { leave, left, performing } = await setUp(t);
  await leave('hangup');
  await performing('call_not_active');
  t.deepEqual(await left(), []);
});
