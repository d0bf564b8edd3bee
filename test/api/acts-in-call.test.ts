/** Keys and words of a program in a call in progress. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { Refusal, type RefusalCode } from '#src/domain/refusal.ts';
import { fakeGateway } from './fake-gateway.ts';

const callId = randomUUID();
const keys = `/api/v1/calls/${callId}/keys`;
const say = `/api/v1/calls/${callId}/say`;
const collect = `/api/v1/calls/${callId}/collect`;

test('keys of the telephone are pressed', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  const answer = await client.post(keys, { keys: '1w204#*AD' });
  t.is(answer.status, 202);
  t.deepEqual(answer.body, { call_id: callId, status: 'keys_requested' });
  t.deepEqual(asked, [['pressKeys', { callId, numberId: number.id, keys: '1w204#*AD' }]]);
});

test('words wait for the floor unless they are to interrupt', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  for (const body of [{ text: ' One moment. ' }, { text: 'Stop.', interrupt: true }]) {
    const answer = await client.post(say, body);
    t.is(answer.status, 202);
    t.deepEqual(answer.body, { call_id: callId, status: 'say_requested' });
  }
  t.deepEqual(asked, [
    ['say', { callId, numberId: number.id, text: 'One moment.', interrupt: false }],
    ['say', { callId, numberId: number.id, text: 'Stop.', interrupt: true }],
  ]);
});

test('keys of the other party are waited for, ten seconds each and in the open where nothing is said', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  const all = { digits: 4, finish: '#', timeout_sec: 30, secret: true };
  for (const body of [{}, all, { finish: '*' }]) {
    const answer = await client.post(collect, body);
    t.is(answer.status, 202);
    t.deepEqual(answer.body, { call_id: callId, status: 'collect_requested' });
  }
  const wanted = { digits: null, finish: null, timeoutSec: 10, secret: false };
  t.deepEqual(asked, [
    ['collectKeys', { callId, numberId: number.id, wanted }],
    [
      'collectKeys',
      { callId, numberId: number.id, wanted: { digits: 4, finish: '#', timeoutSec: 30, secret: true } },
    ],
    ['collectKeys', { callId, numberId: number.id, wanted: { ...wanted, finish: '*' } }],
  ]);
});

test('what does not validate is asked of no call', async (t) => {
  const { client, asked } = await fakeGateway(t);
  const wrong: [string, unknown][] = [
    ...[
      undefined,
      {},
      { keys: '' },
      { keys: '1 2' },
      { keys: 'e' },
      { keys: '1'.repeat(65) },
      { keys: 1 },
    ].map((body): [string, unknown] => [keys, body]),
    ...[
      undefined,
      {},
      { text: '' },
      { text: '  ' },
      { text: 'a'.repeat(2_001) },
      { text: 'a', interrupt: 1 },
    ].map((body): [string, unknown] => [say, body]),
  ];
  wrong.push(
    ...[
      { digits: 0 },
      { digits: 65 },
      { digits: 1.5 },
      { finish: '##' },
      { finish: 'w' },
      { timeout_sec: 0 },
      { timeout_sec: 121 },
      { secret: 'yes' },
    ].map((body): [string, unknown] => [collect, body]),
  );
  for (const [path, body] of wrong) {
    const answer = await client.post(path, body);
    t.is(answer.status, 400, JSON.stringify(body));
    t.is(answer.body.code, 'invalid_request');
  }
  t.deepEqual(asked, []);
});

const codes: [RefusalCode, number][] = [
  ['call_not_found', 404],
  ['call_not_active', 409],
  ['room_unknown', 409],
];

for (const [code, status] of codes) {
  test(`what refuses them reaches the caller: ${code}`, async (t) => {
    const refuse = () => Promise.reject(new Refusal(code, 'The call goes on.'));
    const { client } = await fakeGateway(t, { pressKeys: refuse, say: refuse });
    for (const answer of [
      await client.post(keys, { keys: '1' }),
      await client.post(say, { text: 'Hello.' }),
    ]) {
      t.is(answer.status, status);
      t.is(answer.body.code, code);
    }
  });
}

test('without a key nothing is asked', async (t) => {
  const { client, asked } = await fakeGateway(t);
  for (const [path, body] of [
    [keys, { keys: '1' }],
    [say, { text: 'Hello.' }],
  ] as const)
    t.is((await client.as('').post(path, body)).status, 401);
  t.deepEqual(asked, []);
});
