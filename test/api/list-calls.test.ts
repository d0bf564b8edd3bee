import test from 'ava';
import { z } from 'zod';
import { addNumber, fakeGateway, type FakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

const page = z.object({ calls: z.array(z.object({ id: z.string() })), next_cursor: z.string().nullable() });

const at = (second: number): Date => new Date(Date.UTC(2026, 10, 21, 3, 0, second));

const idsOf = async ({ client }: FakeGateway, query: string): Promise<string[]> =>
  page.parse((await client.get(`/api/v1/calls${query}`)).body).calls.map(({ id }) => id);

test('a list item has exactly its declared fields', async (t) => {
  const gateway = await fakeGateway(t);
  const call = await storeCall(gateway, { summary: 'A short call.' });
  const { status, body } = await gateway.client.get('/api/v1/calls');
  t.is(status, 200);
  t.deepEqual(body, {
    calls: [
      {
        id: call.id,
        number_id: gateway.number.id,
        direction: 'outbound',
        counterparty: '01000000001',
        status: 'completed',
        end_reason: 'agent_hangup',
        instruction: 'Ask about the delivery.',
        summary: 'A short call.',
        transfer: null,
        started_at: '2026-11-21T12:00:00.000+09:00',
        ended_at: '2026-11-21T12:01:05.500+09:00',
      },
    ],
    next_cursor: null,
  });
});

test('only calls of the number of the key are listed', async (t) => {
  const gateway = await fakeGateway(t);
  const other = await addNumber(gateway);
  await storeCall({ ...gateway, number: other });
  const own = await storeCall(gateway);
  t.deepEqual(await idsOf(gateway, ''), [own.id]);
});

test('newest first, then by id; pages follow one another without a gap', async (t) => {
  const gateway = await fakeGateway(t);
  // Pairs that started in the same millisecond.
  const calls = [];
  for (let second = 0; second < 7; second += 1) {
    calls.push(await storeCall(gateway, { startedAt: at(Math.floor(second / 2)) }));
  }
  const expected = calls
    .toSorted((a, b) => b.startedAt.getTime() - a.startedAt.getTime() || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
  t.deepEqual(await idsOf(gateway, ''), expected);

  const seen: string[] = [];
  let query = '?limit=3';
  for (;;) {
    const { calls: found, next_cursor: next } = page.parse(
      (await gateway.client.get(`/api/v1/calls${query}`)).body,
    );
    seen.push(...found.map(({ id }) => id));
    if (next === null) break;
    query = `?limit=3&cursor=${next}`;
  }
  t.deepEqual(seen, expected);
});

test('a page that ends exactly at the last call has no next one', async (t) => {
  const gateway = await fakeGateway(t);
  await storeCall(gateway);
  await storeCall(gateway);
  t.is((await gateway.client.get('/api/v1/calls?limit=2')).body.next_cursor, null);
});

test('twenty calls are a page unless the limit says otherwise', async (t) => {
  const gateway = await fakeGateway(t);
  for (let second = 0; second < 21; second += 1) await storeCall(gateway, { startedAt: at(second) });
  t.is((await idsOf(gateway, '')).length, 20);
  t.is((await idsOf(gateway, '?limit=200')).length, 21);
  t.is((await idsOf(gateway, '?limit=1')).length, 1);
});

test('filters narrow the list', async (t) => {
  const gateway = await fakeGateway(t);
  const early = await storeCall(gateway, { startedAt: at(0), direction: 'inbound' });
  const late = await storeCall(gateway, { startedAt: at(10), status: 'no_answer', endReason: 'busy' });
  t.deepEqual(await idsOf(gateway, '?status=no_answer'), [late.id]);
  t.deepEqual(await idsOf(gateway, '?direction=inbound'), [early.id]);
  t.deepEqual(await idsOf(gateway, '?since=2026-11-21T03:00:10Z'), [late.id]);
  t.deepEqual(await idsOf(gateway, '?until=2026-11-21T03:00:10Z'), [early.id]);
  t.deepEqual(await idsOf(gateway, '?since=2026-11-21T12:00:05%2B09:00'), [late.id]);
  t.deepEqual(
    await idsOf(gateway, '?since=2026-11-21T12:00:05+09:00'),
    [late.id],
    'a plus that nobody encoded',
  );
  t.deepEqual(await idsOf(gateway, '?since=2026-11-21T03:00:01Z&until=2026-11-21T03:00:02Z'), []);
});

test('a query that does not validate is refused by its field', async (t) => {
  const { client } = await fakeGateway(t);
  const faults = {
    limit: ['0', '201', '-1', '1.5', 'ten', '', '1e2', '99999999999'],
    cursor: ['x', '', 'AAAA'],
    status: ['ended', ''],
    direction: ['both'],
    since: ['yesterday', '2026-11-21', '2026-11-21T00:00:00', '0000-01-01T00:00:00Z', '2026-13-01T00:00:00Z'],
    until: ['1'],
  };
  for (const [field, values] of Object.entries(faults)) {
    for (const value of values) {
      const { status, body } = await client.get(`/api/v1/calls?${field}=${value}`);
      t.is(status, 400, `${field}=${value}`);
      t.like(body, { code: 'invalid_request', errors: [{ path: field }] });
    }
  }
  t.is((await client.get('/api/v1/calls?limit=1&limit=2')).status, 400);
  t.is((await client.get('/api/v1/calls?unknown=1')).status, 200);
});
