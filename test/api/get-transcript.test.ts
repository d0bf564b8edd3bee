import { randomUUID } from 'node:crypto';
import test from 'ava';
import { addNumber, fakeGateway } from './fake-gateway.ts';
import { storeCall } from './stored-calls.ts';

test('the turns up to now are read in order', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, {
    status: 'active',
    endReason: null,
    endedAt: null,
    durationSec: null,
  });
  const path = `/api/v1/calls/${id}/transcript`;
  t.deepEqual((await gateway.client.get(path)).body, { call_id: id, transcript: [] });

  for (const [sequence, role, text, offset] of [
    [2, 'user', '네, 맞아요.', 3.25],
    [1, 'assistant', '안녕하세요?', 0.5],
  ] as const) {
    await gateway.database.execute(
      `insert into call_turn (call_id, sequence, role, text, t_offset_sec, spoken_at, whole)
       values ($1, $2, $3, $4, $5, $6, true)`,
      [id, sequence, role, text, offset, new Date(Date.UTC(2026, 10, 21, 3, 0, 5) + offset * 1000)],
    );
  }
  const { status, body } = await gateway.client.get(path);
  t.is(status, 200);
  t.deepEqual(body, {
    call_id: id,
    transcript: [
      {
        role: 'assistant',
        sequence: 1,
        t_offset_sec: 0.5,
        text: '안녕하세요?',
        timestamp: '2026-11-21T12:00:05.500+09:00',
      },
      {
        role: 'user',
        sequence: 2,
        t_offset_sec: 3.25,
        text: '네, 맞아요.',
        timestamp: '2026-11-21T12:00:08.250+09:00',
      },
    ],
  });
});

test('the transcript of a call that is not the key’s own does not exist', async (t) => {
  const gateway = await fakeGateway(t);
  const foreign = await storeCall({ ...gateway, number: await addNumber(gateway) });
  for (const id of [foreign.id, randomUUID(), 'x']) {
    const { status, body } = await gateway.client.get(`/api/v1/calls/${id}/transcript`);
    t.is(status, 404);
    t.is(body.code, 'call_not_found');
  }
});
