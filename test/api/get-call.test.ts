import { randomUUID } from 'node:crypto';
import test from 'ava';
import { addNumber, fakeGateway } from './fake-gateway.ts';
import { storeCall, storeRecording } from './stored-calls.ts';

const unknownStream = { packets: null, loss: null, jitter_ms: null, mos: null };

const inForce = { max_duration_sec: 600, recording: true };

test('a finished call has all of its fields', async (t) => {
  const gateway = await fakeGateway(t);
  const call = await storeCall(gateway, {
    answeredBy: 'machine',
    sipStatus: 200,
    sipReason: 'OK',
    sipCallId: 'abc@host',
  });
  await storeRecording(gateway.database, call.id, {
    status: 'completed',
    file: 'a.ogg',
    contentType: 'audio/ogg',
  });
  const { status, body } = await gateway.client.get(`/api/v1/calls/${call.id}`);
  t.is(status, 200);
  t.deepEqual(body, {
    call_id: call.id,
    id: call.id,
    number_id: gateway.number.id,
    direction: 'outbound',
    counterparty: '01000000001',
    status: 'completed',
    end_reason: 'agent_hangup',
    instruction: 'Ask about the delivery.',
    summary: null,
    started_at: '2026-11-21T12:00:00.000+09:00',
    ended_at: '2026-11-21T12:01:05.500+09:00',
    from: gateway.number.number,
    from_name: null,
    diversions: [],
    to: '01000000001',
    language: 'ko',
    options: inForce,
    options_pending: {},
    duration_sec: 60.5,
    answered_at: '2026-11-21T12:00:05.000+09:00',
    answered_by: 'machine',
    recording: {
      status: 'completed',
      paused: false,
      truncated: false,
      content_type: 'audio/ogg',
      duration_sec: 60.5,
    },
    sip: { status: 200, reason: 'OK', call_id: 'abc@host' },
    transfer: null,
    post_dial_delay_ms: null,
    sound: {
      codec: null,
      received: unknownStream,
      sent: unknownStream,
      round_trip_ms: null,
      one_way: null,
    },
  });
});

test('a caller has a name, and those who sent it on, where its network tells them', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, { direction: 'inbound' });
  const diversions = [{ number: '0212345678', reason: 'no-answer' }];
  await gateway.database.execute('update call set caller_name = $2, diversions = $3 where id = $1', [
    id,
    'Kim',
    JSON.stringify(diversions),
  ]);
  t.like((await gateway.client.get(`/api/v1/calls/${id}`)).body, { from_name: 'Kim', diversions });
});

test('while it rings, options are pending and nothing has an end', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, {
    status: 'ringing',
    endReason: null,
    instruction: null,
    answeredAt: null,
    endedAt: null,
    durationSec: null,
  });
  t.like((await gateway.client.get(`/api/v1/calls/${id}`)).body, {
    status: 'ringing',
    end_reason: null,
    instruction: null,
    options: {},
    options_pending: inForce,
    duration_sec: null,
    answered_at: null,
    ended_at: null,
    recording: { status: 'none', paused: false, truncated: false },
    sip: { status: null, reason: null, call_id: null },
  });
});

test('from the answer on, options are in force', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, {
    status: 'active',
    endReason: null,
    endedAt: null,
    durationSec: null,
  });
  await storeRecording(gateway.database, id, { status: 'pending' });
  t.like((await gateway.client.get(`/api/v1/calls/${id}`)).body, {
    options: inForce,
    options_pending: {},
    duration_sec: null,
    recording: { status: 'pending', paused: false, truncated: false },
  });
});

test('a call that was never answered lasted 0 seconds and never had options in force', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, {
    status: 'no_answer',
    endReason: 'no_answer',
    answeredAt: null,
    durationSec: 0,
  });
  t.like((await gateway.client.get(`/api/v1/calls/${id}`)).body, {
    duration_sec: 0,
    options: {},
    options_pending: {},
  });
});

test('a duration that nobody knows is null, not 0', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, { status: 'failed', endReason: 'system_error', durationSec: null });
  t.is((await gateway.client.get(`/api/v1/calls/${id}`)).body.duration_sec, null);
});

test('from and to are turned for an inbound call', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, { direction: 'inbound' });
  t.like((await gateway.client.get(`/api/v1/calls/${id}`)).body, {
    from: '01000000001',
    to: gateway.number.number,
    counterparty: '01000000001',
  });
});

test('timestamps are those of the workspace', async (t) => {
  const gateway = await fakeGateway(t);
  await gateway.database.execute('update workspace set time_zone = $2 where id = $1', [
    gateway.workspaceId,
    'America/New_York',
  ]);
  const { id } = await storeCall(gateway);
  t.is((await gateway.client.get(`/api/v1/calls/${id}`)).body.started_at, '2026-11-20T22:00:00.000-05:00');
});

test('a foreign call, an unknown one and no id at all are not to be told apart', async (t) => {
  const gateway = await fakeGateway(t);
  const foreign = await storeCall({ ...gateway, number: await addNumber(gateway) });
  const answers = [];
  for (const id of [
    foreign.id,
    randomUUID(),
    'x',
    '%20',
    '00000000-0000-0000-0000-000000000000',
    '%00',
    "'--",
  ]) {
    const { status, body } = await gateway.client.get(`/api/v1/calls/${id}`);
    answers.push({ status, ...body, request_id: '' });
  }
  const [first, ...others] = answers;
  t.like(first, { status: 404, code: 'call_not_found' });
  for (const other of others) t.deepEqual(other, first);
});

test('the id may be written in capitals', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway);
  t.is((await gateway.client.get(`/api/v1/calls/${id.toUpperCase()}`)).body.id, id);
});
