import test from 'ava';
import { z } from 'zod';
import { fakeGateway, type FakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

const to = '01000000001';

const placedWith = async (t: Parameters<typeof fakeGateway>[0], metadata: unknown) => {
  const { client, asked } = await fakeGateway(t);
  const { status, body } = await client.post('/api/v1/calls', { to, metadata });
  return { status, body, asked };
};

const placing = (gateway: FakeGateway, more: object) => [
  'placeCall',
  { numberId: gateway.number.id, to, instruction: null, maxDurationSec: null, ...more },
];

const taken = test.macro<[Record<string, string>]>({
  async exec(t, metadata) {
    const gateway = await fakeGateway(t);
    t.is((await gateway.client.post('/api/v1/calls', { to, metadata })).status, 201);
    t.deepEqual(gateway.asked, [placing(gateway, { metadata })]);
  },
  title: (name = '') => `metadata is taken as it is: ${name}`,
});
test('names are data and keep their spelling', taken, { order_id: 'A-1042', 'crm.Deal-Id_2': '예약' });
test('as many and as long as there may be', taken, {
  ['k'.repeat(40)]: '가'.repeat(500),
  ...Object.fromEntries(Array.from({ length: 18 }, (_, index) => [`key-${index}`, String(index)])),
  empty: '',
});
test('names that every object has', taken, { constructor: 'a', toString: 'b', hasOwnProperty: 'c' });
test('line ends and marks of other languages in a value', taken, {
  note: 'one\r\nVia: two\t</script> {{x}} 🙂',
});

test('metadata in which nothing stands is none', async (t) => {
  const gateway = await fakeGateway(t);
  t.is((await gateway.client.post('/api/v1/calls', { to, metadata: {} })).status, 201);
  t.deepEqual(gateway.asked, [placing(gateway, {})]);
});

const refused = test.macro<[unknown]>({
  async exec(t, metadata) {
    const { status, body, asked } = await placedWith(t, metadata);
    t.like({ status, code: body.code }, { status: 400, code: 'invalid_request' });
    t.deepEqual(asked, []);
  },
  title: (name = '') => `metadata is refused: ${name}`,
});
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '']));
test('twenty-one keys', refused, many(21));
test('thousands of keys', refused, many(3_000));
test('an empty key', refused, { '': 'a' });
test('a key of forty-one characters', refused, { ['k'.repeat(41)]: 'a' });
test('a key with a space', refused, { 'a b': 'a' });
test('a key in another alphabet', refused, { 주문: 'a' });
test('a key with a line end behind it', refused, { 'a\n': 'a' });
test('a value of 501 characters', refused, { a: 'x'.repeat(501) });
test('a number', refused, { a: 1 });
test('null in a key', refused, { a: null });
test('an object in a key', refused, { a: { b: 'c' } });
test('half of a surrogate pair', refused, { a: '\ud800' });
test('NUL', refused, { a: 'a\0b' });
test('a list', refused, ['a']);
test('a text', refused, 'order=1');
test('null', refused, null);

test('a key that cannot be is told why, by its path', async (t) => {
  const { body } = await placedWith(t, { 'a b': 'x', c: 5 });
  t.deepEqual(body.errors, [
    {
      path: 'metadata.a b',
      message: 'A key has 1 to 40 letters of ASCII, digits, underscores, dots and hyphens.',
    },
    { path: 'metadata.c', message: 'Invalid input: expected string, received number' },
  ]);
});

test('one key for repetitions, and other metadata: that is another request', async (t) => {
  const { client, asked } = await fakeGateway(t);
  const place = (metadata: object) =>
    client.post('/api/v1/calls', { to, metadata }, { 'Idempotency-Key': 'k' });
  const first = await place({ order: '1' });
  t.deepEqual((await place({ order: '1' })).body, first.body);
  t.is((await place({ order: '2' })).body.code, 'idempotency_key_reused');
  t.is(asked.length, 1);
});

const page = z.object({ calls: z.array(z.looseObject({ id: z.string() })) });

const metadata = { order_id: 'A-1042', 'crm.deal': '77' };

test('every read of a call has its metadata', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, { metadata });
  const { client, admin } = gateway;
  t.deepEqual((await client.get(`/api/v1/calls/${id}`)).body.metadata, metadata);
  t.deepEqual((await admin.get(`/api/v1/admin/calls/${id}`)).body.metadata, metadata);
  for (const { body } of [await client.get('/api/v1/calls'), await admin.get('/api/v1/admin/calls')])
    t.deepEqual(page.parse(body).calls[0]?.['metadata'], metadata);
});

test('a call of which nothing was said has no such field anywhere', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway);
  const { client, admin } = gateway;
  t.false('metadata' in (await client.get(`/api/v1/calls/${id}`)).body);
  t.false('metadata' in (await admin.get(`/api/v1/admin/calls/${id}`)).body);
  for (const { body } of [await client.get('/api/v1/calls'), await admin.get('/api/v1/admin/calls')])
    for (const call of page.parse(body).calls) t.false('metadata' in call);
});

const listed = test.macro<[query: string, expected: readonly string[]]>({
  async exec(t, query, expected) {
    const gateway = await fakeGateway(t);
    const stored = {
      both: { order_id: 'A-1', 'crm.deal': '7' },
      one: { order_id: 'A-1' },
      other: { order_id: 'A-2', A: 'A-1' },
      none: null,
    };
    const names = new Map<string, string>();
    for (const [name, said] of Object.entries(stored))
      names.set((await storeCall(gateway, { metadata: said })).id, name);
    const { client, admin } = gateway;
    for (const { body } of [
      await client.get(`/api/v1/calls?${query}`),
      await admin.get(`/api/v1/admin/calls?${query}`),
    ]) {
      const found = page.parse(body).calls.map(({ id }) => names.get(id) ?? id);
      t.deepEqual(found.toSorted(), [...expected]);
    }
    const csv = await admin.get(`/api/v1/admin/calls.csv?${query}`);
    t.is(csv.bytes.toString().trim().split('\n').length - 1, expected.length);
  },
  title: (_, query, expected) => `?${query} finds ${expected.join(' and ') || 'nothing'}`,
});
test(listed, 'metadata.order_id=A-1', ['both', 'one']);
test(listed, 'metadata.order_id=A-1&metadata.crm.deal=7', ['both']);
test(listed, 'metadata.crm.deal=7', ['both']);
test(listed, 'metadata.order_id=A', []);
test(listed, 'metadata.order_id=', []);
test(listed, 'metadata.order_id=A-1&direction=inbound', []);
test(listed, 'metadata.A=A-1', ['other']);
test(listed, 'metadata.order_id=%27%3B--%22%7D', []);
test(listed, 'metadata.toString=x', []);

test('a filter that cannot be met by any call says so', async (t) => {
  const { client, admin } = await fakeGateway(t);
  const queries = [
    'metadata=x',
    'metadata.=x',
    'metadata.a%20b=x',
    'metadata.a=1&metadata.a=2',
    'metadata.a=%00',
  ];
  for (const query of queries) {
    t.is((await client.get(`/api/v1/calls?${query}`)).body.code, 'invalid_request', query);
    t.is((await admin.get(`/api/v1/admin/calls?${query}`)).body.code, 'invalid_request', query);
  }
});
