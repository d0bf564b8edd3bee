import test from 'ava';

import { eventBody, type OutgoingEvent } from '#src/events/payloads.ts';

const endedCall = (): OutgoingEvent => ({
  id: 'evt_1',
  type: 'call.ended',
  at: new Date('2026-11-21T03:01:10.250Z'),
  snapshot: {
    time_zone: 'Asia/Seoul',
    call: {
      id: '6f3c4a1e-1111-4111-8111-111111111111',
      number_id: '6f3c4a1e-2222-4222-8222-222222222222',
      direction: 'outbound',
      own_number: '0212345678',
      counterparty: '01012345678',
      language: 'ko',
      status: 'completed',
      end_reason: 'agent_hangup',
      instruction: '예약을 확인해 주세요.',
      summary: null,
      started_at: '2026-11-21T03:00:00+00:00',
      answered_at: '2026-11-21T12:00:10.5+09:00',
      ended_at: '2026-11-21T03:01:10.25+00:00',
      duration_sec: 59.75,
      answered_by: 'human',
      sip_status: 200,
      sip_reason: 'OK',
      sip_call_id: 'abc',
    },
  },
});

test('the body holds the event and the call, with the offset of the workspace', (t) => {
  t.deepEqual(JSON.parse(eventBody(endedCall())), {
    id: 'evt_1',
    type: 'call.ended',
    timestamp: '2026-11-21T12:01:10.250+09:00',
    call: {
      id: '6f3c4a1e-1111-4111-8111-111111111111',
      number_id: '6f3c4a1e-2222-4222-8222-222222222222',
      direction: 'outbound',
      from: '0212345678',
      to: '01012345678',
      language: 'ko',
      status: 'completed',
      end_reason: 'agent_hangup',
      instruction: '예약을 확인해 주세요.',
      summary: null,
      started_at: '2026-11-21T12:00:00.000+09:00',
      answered_at: '2026-11-21T12:00:10.500+09:00',
      ended_at: '2026-11-21T12:01:10.250+09:00',
      duration_sec: 59.75,
      answered_by: 'human',
    },
  });
});

test('who called, and who sent it on, is told beside the number', (t) => {
  const event = endedCall();
  Object.assign(event.snapshot.call, {
    direction: 'inbound',
    caller_name: 'Kim',
    diversions: [{ number: '0212345678', reason: 'no-answer' }],
  });
  t.like(JSON.parse(eventBody(event)).call, {
    from: '01012345678',
    from_name: 'Kim',
    diversions: [{ number: '0212345678', reason: 'no-answer' }],
  });
  event.snapshot.call.diversions = null;
  t.deepEqual(JSON.parse(eventBody(event)).call.diversions, []);
});

test('a transfer stands there where one was asked for', (t) => {
  const event = endedCall();
  const plain = eventBody(event);
  event.snapshot.call.transfer = null;
  t.is(eventBody(event), plain, 'nobody who knows nothing of them sees a change');
  const transfer = {
    id: '6f3c4a1e-3333-4333-8333-333333333333',
    to: '0212345678',
    mode: 'cold',
    status: 'failed',
    reason: 'busy',
  } as const;
  const sip = { status: 486, reason: 'Busy Here', callId: 'def' };
  event.snapshot.call.transfer = {
    ...transfer,
    startedAt: '2026-11-21T03:00:30.000Z',
    connectedAt: null,
    sip,
  };
  t.deepEqual(JSON.parse(eventBody(event)).call.transfer, {
    ...transfer,
    started_at: '2026-11-21T12:00:30.000+09:00',
    connected_at: null,
    sip: { status: 486, reason: 'Busy Here', call_id: 'def' },
  });
  event.snapshot.call.transfer.sip = null;
  t.false('sip' in JSON.parse(eventBody(event)).call.transfer);
});

test('what was said of the call, and headers of its INVITE, stand there where there are any', (t) => {
  const event = endedCall();
  const plain = eventBody(event);
  Object.assign(event.snapshot.call, { metadata: null, sip_headers: null });
  t.is(eventBody(event), plain, 'nobody who knows nothing of them sees a change');
  const metadata = { order_id: 'A-1042' };
  const headers = { 'X-Ticket': '1042' };
  Object.assign(event.snapshot.call, { metadata, sip_headers: headers });
  const { call } = JSON.parse(eventBody(event));
  t.deepEqual(
    { ...call, metadata: undefined, sip: undefined },
    { ...JSON.parse(plain).call, metadata: undefined, sip: undefined },
  );
  t.deepEqual([call.metadata, call.sip], [metadata, { headers }]);
});

test('from and to flip with the direction', (t) => {
  const event = endedCall();
  event.snapshot.call.direction = 'inbound';
  const { call } = JSON.parse(eventBody(event));
  t.is(call.from, '01012345678');
  t.is(call.to, '0212345678');
});

test('a recording event tells of the recording', (t) => {
  const event = endedCall();
  event.type = 'recording.completed';
  event.snapshot.recording = {
    status: 'completed',
    content_type: 'audio/mpeg',
    duration_sec: 59.8,
    bytes: 240_000,
    truncated: true,
  };
  t.deepEqual(JSON.parse(eventBody(event)).recording, {
    status: 'completed',
    content_type: 'audio/mpeg',
    duration_sec: 59.8,
    bytes: 240_000,
    truncated: true,
  });
});

test('the same event gives the same bytes, however its snapshot is ordered', (t) => {
  const event = endedCall();
  const { call } = event.snapshot;
  const reversed = Object.fromEntries(Object.entries(call).toReversed()) as typeof call;
  t.is(eventBody({ ...event, snapshot: { call: reversed, time_zone: 'Asia/Seoul' } }), eventBody(event));
});
