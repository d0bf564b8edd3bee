import { randomUUID } from 'node:crypto';
import test from 'ava';
import { joinNodes } from '#src/persistence/nodes.ts';
import { storedCall, storedNumber } from '#test/helpers/stored-number.ts';
import { fakeGateway } from './fake-gateway.ts';

const path = '/api/v1/admin/gateways';

test('the gateways are listed with the calls of the workspace alone', async (t) => {
  const { admin, database, workspaceId, number } = await fakeGateway(t);
  const stored = { workspaceId, numberId: number.id, number: number.number };
  for (const name of ['test', 'other', 'lost'])
    await joinNodes(database, {
      name,
      instance: randomUUID(),
      address: 'http://10.0.0.5:8080',
      takes: name === 'other' ? { lines: 'simulator', form: 1 } : null,
    });
  await database.execute("update node set lost_at = now() where name = 'lost'");
  await storedCall(database, stored);
  const takenOver = await storedCall(database, stored, { node: 'other' });
  await database.execute(`update call set status = 'active', epoch = 2 where id = '${takenOver}'`);
  await storedCall(database, await storedNumber(database), { node: 'other' });

  const { status, body } = await admin.get(path);
  t.is(status, 200);
  t.like(body, {
    gateways: [
      { name: 'lost', state: 'lost', calls: { ringing: 0, active: 0, taken_over: 0 }, is_current: false },
      { name: 'other', state: 'silent', takes_calls: true, calls: { ringing: 0, active: 1, taken_over: 1 } },
      { name: 'test', takes_calls: false, calls: { ringing: 1, active: 0, taken_over: 0 }, is_current: true },
    ],
  });
  t.notRegex(JSON.stringify(body), /10\.0\.0\.5/, 'where they are is nobody’s business');
});

test('the key of a number, and no key, see none of them', async (t) => {
  const { client } = await fakeGateway(t);
  t.is((await client.get(path)).status, 401);
  t.is((await client.as('').get(path)).status, 401);
});
