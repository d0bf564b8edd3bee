import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { SipLeg } from '#src/domain/sip-leg.ts';
import { keepTransitions } from '#src/persistence/call-transitions.ts';
import type { Database } from '#src/persistence/database.ts';
import { legsOf, writeLegs } from '#src/persistence/sip-legs.ts';
import { ownDatabase, testDatabase } from '#test/helpers/database.ts';
import { scriptedStatements } from '#test/helpers/scripted-database.ts';
import { insertCall } from '#src/persistence/calls.ts';
import { callBirth, storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { sealing } from '#test/helpers/test-sealing.ts';

/** The same database, which tells how it carried each statement out. */
const explaining = (database: Database): { database: Database; plans: string[] } => {
  const plans: string[] = [];
  const statements = scriptedStatements(async (text, parameters) => {
    const lines = await database.execute<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off, timing off) ${text}`,
      parameters,
    );
    plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
    return [];
  });
  return { database: { ...database, ...statements, journal: statements }, plans };
};

/** It was read, or the commit waits for the disk. */
const hurried = /CTE hurried\n +-> +Result \(actual/;

const leg: SipLeg = {
  state: 'standing',
  transactionId: 'transaction',
  dialogId: 'a@b;from-tag=c',
  sipCallId: 'a@b',
  local: '<sip:us@gateway>;tag=us',
  remote: '<sip:them@far>',
  target: 'sip:them@192.0.2.1',
  nextHop: null,
  channel: null,
  dialog: null,
};

test('transitions wait for no disk', async (t) => {
  const { database, plans } = explaining(await testDatabase());
  const callId = await storedCall(database, await storedNumber(await testDatabase()));
  plans.length = 0;
  await keepTransitions(database.journal, [
    {
      callId,
      epoch: 1,
      sequence: 1,
      at: new Date(),
      machine: 'call',
      chartVersion: 'abc',
      stateBefore: null,
      eventType: 'xstate.init',
      stateAfter: 'connecting',
      factsBefore: 0,
    },
  ]);
  t.is(plans.length, 1);
  t.regex(plans[0] ?? '', hurried);
});

test('the legs that came, changed and went meanwhile are one statement, which waits for no disk', async (t) => {
  const real = await testDatabase();
  const { database, plans } = explaining(real);
  const node = randomUUID();
  const over = { id: randomUUID(), callId: null, epoch: 1, leg };
  const lasting = { id: randomUUID(), callId: null, epoch: 1, leg };
  const short = { id: randomUUID(), callId: null, epoch: 1, leg };
  await writeLegs(database, sealing, node, { kept: [over, lasting], over: [] });
  await writeLegs(database, sealing, node, {
    kept: [{ ...lasting, leg: { ...leg, nextHop: 'sip:proxy;lr' } }, short],
    over: [over],
  });
  await writeLegs(database, sealing, node, { kept: [], over: [short] });
  t.is(plans.length, 3);
  for (const plan of plans) t.regex(plan, hurried);
  t.deepEqual(await legsOf(real, sealing, node), [{ ...lasting, leg: { ...leg, nextHop: 'sip:proxy;lr' } }]);
});

test('what becomes of a call until its end is written where it stands, and no index has to be told', async (t) => {
  const database = await ownDatabase(t);
  const callId = await storedCall(database, await storedNumber(database));
  await t.notThrowsAsync(
    database.execute(`do $$ begin
      update call set status = 'active', answered_at = now(), sip_status = 200, answered_by = 'human'
        where id = '${callId}';
      assert (select n_tup_hot_upd from pg_stat_xact_user_tables where relname = 'call') = 1;
    end $$`),
  );
});

test('the birth of a call that rings touches what it needs: no table of keys without a key, and none of the end', async (t) => {
  const { database, plans } = explaining(await testDatabase());
  const owner = await storedNumber(await testDatabase());
  await insertCall(database, callBirth(owner));
  await insertCall(
    database,
    callBirth(owner, {
      keyedAnswer: {
        key: 'key',
        fingerprint: Buffer.alloc(32),
        responseStatus: 201,
        responseBody: '{}',
      },
    }),
  );
  t.deepEqual(
    plans.map((plan) =>
      [...new Set([...plan.matchAll(/Insert on (\w+)/g)].map(([, table]) => String(table)))].toSorted(),
    ),
    [
      ['call', 'call_transition', 'event', 'event_delivery'],
      ['call', 'call_transition', 'event', 'event_delivery', 'idempotency_record'],
    ],
  );
});
