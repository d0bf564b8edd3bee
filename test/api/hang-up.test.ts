import { randomUUID } from 'node:crypto';
import test from 'ava';
import { Refusal, type RefusalCode } from '#src/domain/refusal.ts';
import { fakeGateway } from './fake-gateway.ts';

const callId = randomUUID();
const path = `/api/v1/calls/${callId}/hangup`;

test('the body is optional; the farewell is waited for', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  for (const body of [undefined, {}, { immediate: false }, { unknown: 1 }]) {
    const answer = await client.post(path, body);
    t.is(answer.status, 202);
    t.deepEqual(answer.body, { call_id: callId, status: 'hangup_requested' });
  }
  t.deepEqual(asked.at(0), ['requestHangup', { callId, numberId: number.id, immediate: false }]);
  t.is(asked.length, 4);
});

test('an empty body that calls itself JSON is an empty body', async (t) => {
  const { client } = await fakeGateway(t);
  const { status } = await client.send('POST', path, { headers: { 'content-type': 'application/json' } });
  t.is(status, 202);
});

test('immediate does not wait', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  t.is((await client.post(path, { immediate: true })).status, 202);
  t.deepEqual(asked, [['requestHangup', { callId, numberId: number.id, immediate: true }]]);
});

test('a body that does not validate asks for nothing', async (t) => {
  const { client, asked } = await fakeGateway(t);
  for (const body of [{ immediate: 'yes' }, { immediate: null }, [], 1, null]) {
    const answer = await client.post(path, body);
    t.is(answer.status, 400, JSON.stringify(body));
    t.is(answer.body.code, 'invalid_request');
  }
  t.deepEqual(asked, []);
});

test('what is no id is looked up as one of nobody', async (t) => {
  const { client, asked } = await fakeGateway(t);
  await client.post('/api/v1/calls/nonsense/hangup');
  t.like(asked[0]?.[1], { callId: '00000000-0000-0000-0000-000000000000' });
});

const codes: [RefusalCode, number][] = [
  ['call_not_found', 404],
  ['call_not_active', 409],
  ['room_unknown', 409],
  ['hangup_failed', 502],
  ['hangup_unavailable', 503],
];

for (const [code, status] of codes) {
  test(`what refuses the hangup reaches the caller: ${code}`, async (t) => {
    const { client } = await fakeGateway(t, {
      requestHangup: () => Promise.reject(new Refusal(code, 'The call stays alive.')),
    });
    const answer = await client.post(path);
    t.is(answer.status, status);
    t.is(answer.body.code, code);
  });
}
