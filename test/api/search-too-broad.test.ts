import test from 'ava';
import { fakeGateway } from './fake-gateway.ts';

test('a search that would take too long is refused, as a list and as a file; the list without it is not', async (t) => {
  const { admin, database } = await fakeGateway(t);
  // Nobody reads the index while somebody else has it alone: to the server that is a statement that takes long.
  await database.transaction(async ({ execute }) => {
    await execute('lock table call_search in access exclusive mode');
    for (const path of ['/api/v1/admin/calls', '/api/v1/admin/calls.csv']) {
      for (const q of ['word', '0000']) {
        const { status, body } = await admin.get(`${path}?q=${q}`);
        t.is(status, 422);
        t.is(body['code'], 'search_too_broad');
      }
      t.is((await admin.get(path)).status, 200);
    }
  });
});
