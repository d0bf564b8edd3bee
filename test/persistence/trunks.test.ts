import { randomUUID } from 'node:crypto';
import test from 'ava';
import { findNumber, patchNumber } from '#src/persistence/numbers.ts';
import { createTrunkLoad } from '#src/persistence/trunk-load.ts';
import {
  createTrunk,
  deleteTrunk,
  findNumberOwner,
  findTrunk,
  listAllTrunks,
  listTrunks,
  patchTrunk,
  trunksChannel,
  type TrunkRecord,
} from '#src/persistence/trunks.ts';
import { ownDatabase, testDatabase } from '#test/helpers/database.ts';
import { storedNumber } from '#test/helpers/stored-number.ts';
import { until } from '#test/helpers/until.ts';

const record = (workspaceId: string, changes: Partial<TrunkRecord> = {}): TrunkRecord => ({
  id: randomUUID(),
  workspaceId,
  name: 'carrier',
  host: 'sip.example.com',
  port: null,
  transport: 'tls',
  username: 'gw',
  passwordSealed: 'sealed',
  register: true,
  realm: 'example.com',
  fromDomain: 'example.org',
  numberFormat: 'e164',
  callerId: 'p-asserted-identity',
  privacy: true,
  codecs: ['PCMA'],
  srtp: 'required',
  media: 'direct',
  priority: 1,
  weight: 2,
  maxChannels: 3,
  callsPerSecond: 4,
  failoverStatuses: ['403', '6xx'],
  redirects: 'any',
  addresses: [{ host: '10.0.0.1', port: 5070, priority: 1, weight: 2, drained: true }],
  drained: true,
  prefixes: ['+8210'],
  headersIn: ['X-Ticket'],
  headersOut: [],
  inboundAddresses: ['10.0.0.0/8', '2001:db8::1'],
  inboundAuth: 'digest',
  healthCheck: false,
  enabled: true,
  createdAt: new Date('2026-11-21T03:00:00.000Z'),
  ...changes,
});

test('a trunk comes back as it was stored, to its workspace alone', async (t) => {
  const db = await testDatabase(t);
  const { workspaceId } = await storedNumber(db);
  const stored = record(workspaceId);
  t.deepEqual(await createTrunk(db, stored), stored);
  t.deepEqual(await findTrunk(db, { trunkId: stored.id, workspaceId }), stored);
  t.deepEqual(await listTrunks(db, workspaceId), [stored]);
  t.is(await findTrunk(db, { trunkId: stored.id, workspaceId: randomUUID() }), undefined);
  t.true((await listAllTrunks(db)).some(({ id }) => id === stored.id));
  t.is(await createTrunk(db, record(workspaceId)), undefined, 'the name is taken');
});

test('undefined leaves a setting as it is, null clears it', async (t) => {
  const db = await testDatabase(t);
  const { workspaceId } = await storedNumber(db);
  const stored = record(workspaceId);
  const one = { trunkId: stored.id, workspaceId };
  await createTrunk(db, stored);
  const changes = { host: '10.1.1.1', codecs: null, inboundAddresses: [], passwordSealed: undefined };
  const after = { ...stored, ...changes, passwordSealed: 'sealed' };
  t.deepEqual(await patchTrunk(db, one, changes), after);
  t.deepEqual(await findTrunk(db, one), after);
  await createTrunk(db, record(workspaceId, { name: 'other' }));
  t.is(await patchTrunk(db, one, { name: 'other' }), 'name_taken');
  t.is(await patchTrunk(db, { ...one, workspaceId: randomUUID() }, { weight: 1 }), undefined);
});

test('a number tells whose it is and which trunk it is bound to, until that is removed', async (t) => {
  const db = await testDatabase(t);
  const { workspaceId, numberId, number } = await storedNumber(db);
  t.deepEqual(await findNumberOwner(db, number), { workspaceId, trunkId: null });
  t.is(await findNumberOwner(db, '0999'), undefined);
  const stored = record(workspaceId);
  await createTrunk(db, stored);
  await patchNumber(db, { numberId, workspaceId }, { trunkId: stored.id });
  t.deepEqual(await findNumberOwner(db, number), { workspaceId, trunkId: stored.id });
  t.false(await deleteTrunk(db, { trunkId: stored.id, workspaceId: randomUUID() }));
  t.true(await deleteTrunk(db, { trunkId: stored.id, workspaceId }));
  t.false(await deleteTrunk(db, { trunkId: stored.id, workspaceId }));
  t.is((await findNumber(db, { numberId, workspaceId }))?.trunkId, null);
});

test('what gateways have on a trunk goes with it, and nothing of another one', async (t) => {
  const db = await testDatabase(t);
  const { workspaceId } = await storedNumber(db);
  const stored = record(workspaceId);
  const another = randomUUID();
  await createTrunk(db, stored);
  const load = createTrunkLoad(db, 'one');
  for (const trunkId of [stored.id, another]) {
    await load.take({ trunkId, callId: randomUUID(), maxChannels: 1 });
    await load.turn({ trunkId, callsPerSecond: 1, patienceMs: 1_000 });
  }
  t.true(await deleteTrunk(db, { trunkId: stored.id, workspaceId }));
  for (const table of ['trunk_channel', 'trunk_load'])
    t.deepEqual(
      await db.execute(`select trunk_id from ${table} where trunk_id = any($1)`, [[stored.id, another]]),
      [{ trunk_id: another }],
      table,
    );
});

test('each change is told to those who listen', async (t) => {
  const db = await ownDatabase(t);
  const { workspaceId } = await storedNumber(db);
  let told = 0;
  const end = await db.listen(trunksChannel, () => (told += 1));
  const stored = record(workspaceId);
  const one = { trunkId: stored.id, workspaceId };
  const toldTimes = (times: number) => until(`it is told ${times} times`, () => told === times || undefined);
  await createTrunk(db, stored);
  await toldTimes(1);
  await patchTrunk(db, one, { weight: 5 });
  await toldTimes(2);
  await deleteTrunk(db, one);
  await toldTimes(3);
  await end();
  t.pass();
});
