import { randomUUID } from 'node:crypto';
import test from 'ava';
import { recordFact } from '#src/persistence/call-facts.ts';
import { listCalls, type CallListQuery } from '#src/persistence/call-list.ts';
import { findCall } from '#src/persistence/calls.ts';
import { takeFromEarlierProcess } from '#src/persistence/held-calls.ts';
import { findEndedCall } from '#src/persistence/ended-calls.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';

const at = (second: number): Date => new Date(Date.UTC(2026, 10, 21, 3, 0, second));

test('pages of the list hold every call once, newest first, even where calls began at the same time', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const seconds = [5, 1, 3, 3, 3, 3, 2, 5, 3];
  for (const second of seconds) await storedCall(db, owner, { startedAt: at(second) });
  const stranger = await storedNumber(db);
  await storedCall(db, stranger, { startedAt: at(3) });

  const scope = { numberId: owner.numberId };
  const whole = await listCalls(db, { scope, limit: 100 });
  t.is(whole.length, seconds.length);
  t.deepEqual(
    whole.map((call) => [call.startedAt.getTime(), call.id]),
    whole
      .map((call): [number, string] => [call.startedAt.getTime(), call.id])
      .sort(([a, x], [b, y]) => b - a || (x < y ? 1 : -1)),
  );
  const paged = [];
  let after: CallListQuery['after'];
  for (;;) {
    const page = await listCalls(db, { scope, limit: 2, after });
    paged.push(...page);
    after = page.at(-1);
    if (page.length < 2) break;
  }
  t.deepEqual(paged, whole);
});

test('a list holds what its filters let through', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const early = await storedCall(db, owner, { startedAt: at(1), direction: 'inbound' });
  const middle = await storedCall(db, owner, { startedAt: at(2) });
  const late = await storedCall(db, owner, { startedAt: at(3) });
  await recordFact(db, middle, 1, { type: 'call.answered', at: at(4).getTime() });
  const ids = async (filters: Partial<CallListQuery>): Promise<string[]> =>
    (await listCalls(db, { scope: { workspaceId: owner.workspaceId }, limit: 10, ...filters })).map(
      ({ id }) => id,
    );
  t.deepEqual(await ids({}), [late, middle, early]);
  t.deepEqual(await ids({ status: 'active' }), [middle]);
  t.deepEqual(await ids({ direction: 'inbound' }), [early]);
  t.deepEqual(await ids({ since: at(2) }), [late, middle]);
  t.deepEqual(await ids({ until: at(2) }), [early]);
  t.deepEqual(await ids({ since: at(2), until: at(3), status: 'active', direction: 'outbound' }), [middle]);
  t.deepEqual(await ids({ scope: { workspaceId: randomUUID() } }), []);
});

test('a call is found by its own number and workspace alone', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const stranger = await storedNumber(db);
  const callId = await storedCall(db, owner);
  t.is((await findCall(db, { callId, numberId: owner.numberId }))?.id, callId);
  t.is((await findCall(db, { callId, workspaceId: owner.workspaceId }))?.id, callId);
  t.is(await findCall(db, { callId, numberId: stranger.numberId }), undefined);
  t.is(await findCall(db, { callId, workspaceId: stranger.workspaceId }), undefined);
  t.is(await findCall(db, { callId: randomUUID(), numberId: owner.numberId }), undefined);
});

test('the calls in progress are those of the node that ring or are active', async (t) => {
  const db = await testDatabase();
  const owner = await storedNumber(db);
  const node = randomUUID();
  const ringing = await storedCall(db, owner, { node, startedAt: at(1) });
  const active = await storedCall(db, owner, { node, startedAt: at(2) });
  const over = await storedCall(db, owner, { node, startedAt: at(3) });
  await storedCall(db, owner, { node: 'another' });
  await recordFact(db, active, 1, { type: 'call.answered', at: at(3).getTime() });
  await recordFact(db, over, 1, {
    type: 'call.ended',
    at: at(4).getTime(),
    reason: 'busy',
    status: 'no_answer',
  });
  t.deepEqual(
    (await takeFromEarlierProcess(db, node)).map(({ id }) => id).toSorted(),
    [ringing, active].toSorted(),
  );
  t.is(await findEndedCall(db, active), null);
  t.deepEqual(await findEndedCall(db, over), {
    language: 'ko',
    durationSec: 0,
    endReason: 'busy',
    turns: [],
  });
});
