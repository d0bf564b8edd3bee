import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { fakeGateway } from './fake-gateway.ts';

test('a request is one line, without what was asked or said', async (t) => {
  const { client, logged, number } = await fakeGateway(t);
  const { headers } = await client.get('/api/v1/calls/private-id?secret=1');
  await client.post('/api/v1/calls', { to: '01000000001', instruction: 'private words' });
  await client.get('/nothing/private-path');
  await client.get('/healthz');
  await client.get('/api/v1/calls/7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11/transcript');
  while (logged.length < 5) await setImmediate();

  t.like(logged[0], {
    level: 30,
    method: 'GET',
    route: '/api/v1/calls/{call_id}',
    status: 404,
    request_id: headers.get('x-request-id'),
  });
  t.like(logged[1], { method: 'POST', route: '/api/v1/calls', status: 201 });
  t.like(logged[2], { route: null, status: 404 });
  t.like(logged[3], { level: 20, route: '/healthz' }, 'machines that ask all the time are not worth a line');
  t.is(logged.length, 5);
  t.deepEqual(
    logged.map(({ call_id }) => call_id),
    [undefined, undefined, undefined, undefined, '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11'],
  );
  for (const { ms } of logged) t.is(typeof ms, 'number');
  const text = JSON.stringify(logged);
  for (const secret of ['private', 'secret', '01000000001', number.key]) t.false(text.includes(secret));
});
