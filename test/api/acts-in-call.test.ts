/** Keys and words of a program in a call in progress. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { Refusal, type RefusalCode } from '#src/domain/refusal.ts';
import { fakeGateway } from './fake-gateway.ts';

const callId = randomUUID();
const keys = `/api/v1/calls/${callId}/keys`;
const say = `/api/v1/calls/${callId}/say`;

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
