import { randomUUID } from 'node:crypto';
import test from 'ava';
import { Refusal } from '#src/domain/refusal.ts';
import { fakeGateway } from './fake-gateway.ts';

const callId = randomUUID();
const path = `/api/v1/calls/${callId}/cancel`;

test('a ringing call is asked to stop', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  const { status, body } = await client.post(path);
  t.is(status, 202);
  t.deepEqual(body, { call_id: callId, status: 'cancel_requested' });
  t.deepEqual(asked, [['requestCancel', { callId, numberId: number.id }]]);
});

test('a call that rings no more cannot be cancelled', async (t) => {
  const { client } = await fakeGateway(t, {
    requestCancel: () => Promise.reject(new Refusal('call_not_active', 'It does not ring any more.')),
  });
  const { status, body } = await client.post(path, {});
  t.is(status, 409);
  t.is(body.code, 'call_not_active');
});
