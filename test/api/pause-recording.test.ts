import { randomUUID } from 'node:crypto';
import test from 'ava';
import { Refusal } from '#src/domain/refusal.ts';
import { fakeGateway } from './fake-gateway.ts';
import { storeCall, storeRecording } from './stored-calls.ts';

const callId = randomUUID();
const path = `/api/v1/calls/${callId}/recording`;

for (const [verb, paused] of [
  ['pause', true],
  ['resume', false],
] as const) {
  test(`${verb} answers with the state that the recording then has`, async (t) => {
    const { client, asked, number } = await fakeGateway(t);
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await client.post(`${path}/${verb}`);
      t.is(status, 200);
      t.deepEqual(body, { call_id: callId, recording: { paused } });
    }
    t.deepEqual(asked[0], [`${verb}Recording`, { callId, numberId: number.id }]);
    t.is(asked.length, 2);
  });

  test(`what refuses to ${verb} reaches the caller`, async (t) => {
    const refusals = [
      new Refusal('call_not_found', 'No.'),
      new Refusal('call_not_active', 'No.'),
      new Refusal('room_unknown', 'No.'),
      new Refusal('recording_not_available', 'No.', { extras: { reason: 'none' } }),
    ];
    for (const refusal of refusals) {
      const refuse = () => Promise.reject(refusal);
      const { client } = await fakeGateway(t, { pauseRecording: refuse, resumeRecording: refuse });
      const { status, body } = await client.post(`${path}/${verb}`);
      t.is(status, refusal.status);
      t.is(body.code, refusal.code);
      t.is(body.reason, refusal.extras.reason);
    }
  });
}

test('a key is needed', async (t) => {
  const { client } = await fakeGateway(t);
  t.is((await client.as('').post(`${path}/pause`)).status, 401);
});

test('a call says whether its recording is paused: as its last fact says, and never after its end', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, { status: 'active', endedAt: null, endReason: null });
  const isPaused = async (): Promise<unknown> => {
    const { body } = await gateway.client.get(`/api/v1/calls/${id}`);
    return body.recording;
  };
  t.deepEqual(await isPaused(), { status: 'none', paused: false, truncated: false });
  await storeRecording(gateway.database, id, { status: 'pending' });
  t.deepEqual(await isPaused(), { status: 'pending', paused: false, truncated: false });
  const facts = ['recording.paused', 'recording.resumed', 'recording.paused', 'turn.digit'];
  const seen: unknown[] = [];
  for (const [index, type] of facts.entries()) {
    await gateway.database.execute(
      `insert into call_fact (call_id, sequence, type, at, data) values ($1, $2, $3, now(), '{}')`,
      [id, index + 1, type],
    );
    seen.push(await isPaused());
  }
  t.deepEqual(
    seen,
    [true, false, true, true].map((paused) => ({ status: 'pending', paused, truncated: false })),
  );
  await gateway.database.execute(`update call set status = 'completed' where id = $1`, [id]);
  t.deepEqual(await isPaused(), { status: 'pending', paused: false, truncated: false });
});
