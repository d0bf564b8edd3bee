/** Endpoints of calls: create, read, list, cancel, hang up and act in a call. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { Refusal, type RefusalCode } from '#src/domain/refusal.ts';
import { addNumber, fakeGateway, type FakeGateway } from './fake-gateway.ts';
import { storeCall, storeRecording } from './stored-calls.ts';

// Create call

const to = '01000000001';

test.serial('a call is placed from the number of the key', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  const { status, body } = await client.post('/api/v1/calls', {
    to,
    instruction: 'Say hello.',
    max_duration_sec: 60,
  });
  t.is(status, 201);
  t.like(body, { status: 'ringing', from: number.number });
  t.deepEqual(asked, [
    ['placeCall', { numberId: number.id, to, instruction: 'Say hello.', maxDurationSec: 60 }],
  ]);
});

test.serial('hyphens and spaces are removed; what is omitted is left to the policy', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  t.is((await client.post('/api/v1/calls', { to: ' 010-0000 0001', instruction: null })).status, 201);
  t.deepEqual(asked, [['placeCall', { numberId: number.id, to, instruction: null, maxDurationSec: null }]]);
});

test.serial('a body is refused by its first fault, and nothing is placed', async (t) => {
  const { client, asked } = await fakeGateway(t);
  const faults: [unknown, string][] = [
    [{}, 'invalid_request'],
    [[], 'invalid_request'],
    ['text', 'invalid_request'],
    [{ to: 1_000_000_001 }, 'invalid_request'],
    [{ to, instruction: 5 }, 'invalid_request'],
    [{ to, instruction: 'x'.repeat(8001) }, 'invalid_request'],
    [{ to, instruction: 'a\u0000b' }, 'invalid_request'],
    [{ to, instruction: '\ud800' }, 'invalid_request'],
    [{ to: 5, max_duration_sec: 5 }, 'invalid_request'],
    [{ to: '+821000000001' }, 'invalid_to'],
    [{ to: '+82 10-0000-0001' }, 'invalid_to'],
    [{ to: '010' }, 'invalid_to'],
    [{ to: '' }, 'invalid_to'],
    [{ to: 'abc' }, 'invalid_to'],
    [{ to, max_duration_sec: 59 }, 'invalid_max_duration_sec'],
    [{ to, max_duration_sec: 1801 }, 'invalid_max_duration_sec'],
    [{ to, max_duration_sec: 60.5 }, 'invalid_max_duration_sec'],
    [{ to, max_duration_sec: '600' }, 'invalid_max_duration_sec'],
    [{ to, max_duration_sec: null }, 'invalid_max_duration_sec'],
    [{ to, max_duration_sec: -1e300 }, 'invalid_max_duration_sec'],
  ];
  for (const [body, code] of faults) {
    const answer = await client.post('/api/v1/calls', body);
    t.is(answer.status, 400, JSON.stringify(body));
    t.is(answer.body.code, code, JSON.stringify(body));
  }
  t.deepEqual(asked, []);
});

test.serial(
  'a number of this country in international form is refused with the form that it takes',
  async (t) => {
    const { client } = await fakeGateway(t);
    const { body } = await client.post('/api/v1/calls', { to: '+82 10-0000-0001' });
    t.is(body.detail, 'Give the number in domestic format: write 0 in place of +82.');
  },
);

test.serial('each fault is named by its path', async (t) => {
  const { client } = await fakeGateway(t);
  const { body } = await client.post('/api/v1/calls', { instruction: 5 });
  t.deepEqual(body.errors, [
    { path: 'to', message: 'This is required.' },
    { path: 'instruction', message: 'Invalid input: expected string, received number' },
  ]);
});

test.serial('an empty body says that one is required', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, body } = await client.post('/api/v1/calls');
  t.is(status, 400);
  t.deepEqual(body.errors, [{ path: '', message: 'This is required.' }]);
});

test.serial('fields that do not exist are ignored, a sender too', async (t) => {
  const { client, number } = await fakeGateway(t);
  const { status, body } = await client.post('/api/v1/calls', { to, from: '0299999999', more: {} });
  t.is(status, 201);
  t.is(body.from, number.number);
});

test.serial('an eight-digit service number can be called', async (t) => {
  const { client } = await fakeGateway(t);
  t.is((await client.post('/api/v1/calls', { to: '1588-1234' })).status, 201);
});

const refused = test.macro({
  async exec(
    t,
    refusal: Refusal,
    status: number,
    extras: Record<string, unknown>,
    retryAfter: string | null = null,
  ) {
    const { client } = await fakeGateway(t, { placeCall: () => Promise.reject(refusal) });
    const answer = await client.post('/api/v1/calls', { to });
    t.is(answer.status, status);
    t.like(answer.body, { code: refusal.code, detail: refusal.message, ...extras });
    t.is(answer.headers.get('retry-after'), retryAfter);
  },
  title: (_, refusal: Refusal) => `what the gateway refuses reaches the caller: ${refusal.code}`,
});

test.serial(refused, new Refusal('no_agent_endpoint', 'Nobody could speak.'), 422, {});
test.serial(
  refused,
  new Refusal('max_duration_exceeds_policy', 'Too long.', { extras: { maximum: 300 } }),
  400,
  {
    maximum: 300,
  },
);
test.serial(refused, new Refusal('concurrency_limit', 'Full.', { extras: { maximum: 3 } }), 429, {
  maximum: 3,
});
test.serial(refused, new Refusal('draining', 'Going.'), 503, {}, '5');
test.serial(refused, new Refusal('over_capacity', 'Full.'), 503, {}, '5');

test.serial('an accident says nothing about the inside, and is logged with its cause', async (t) => {
  const { client, logged } = await fakeGateway(t, {
    placeCall: () => Promise.reject(new Error('secret inside')),
  });
  const { status, body, bytes } = await client.post('/api/v1/calls', { to });
  t.is(status, 500);
  t.is(body.code, 'internal_error');
  t.false(bytes.includes('secret inside'));
  const line = logged.find(({ msg }) => msg === 'a request failed');
  t.like(line, { request_id: body.request_id, err: { message: 'secret inside' } });
});

test.serial('a database that is away for a moment is 503, with a time to try again', async (t) => {
  const lost = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
  const { client } = await fakeGateway(t, { placeCall: () => Promise.reject(lost) });
  const { status, body, headers } = await client.post('/api/v1/calls', { to });
  t.is(status, 503);
  t.is(body.code, 'service_unavailable');
  t.is(headers.get('retry-after'), '2');
});

// Get call

const unknownStream = { packets: null, loss: null, jitter_ms: null, mos: null };

const inForce = { max_duration_sec: 600, recording: true };

test.serial('a finished call has all of its fields', async (t) => {
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
      dtmf: null,
      round_trip_ms: null,
      one_way: null,
    },
  });
});

test.serial('a caller has a name, and those who sent it on, where its network tells them', async (t) => {
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

test.serial('while it rings, options are pending and nothing has an end', async (t) => {
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

test.serial('from the answer on, options are in force', async (t) => {
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

test.serial('a call that was never answered lasted 0 seconds and never had options in force', async (t) => {
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

test.serial('a duration that nobody knows is null, not 0', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, { status: 'failed', endReason: 'system_error', durationSec: null });
  t.is((await gateway.client.get(`/api/v1/calls/${id}`)).body.duration_sec, null);
});

test.serial('from and to are turned for an inbound call', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, { direction: 'inbound' });
  t.like((await gateway.client.get(`/api/v1/calls/${id}`)).body, {
    from: '01000000001',
    to: gateway.number.number,
    counterparty: '01000000001',
  });
});

test.serial('timestamps are those of the workspace', async (t) => {
  const gateway = await fakeGateway(t);
  await gateway.database.execute('update workspace set time_zone = $2 where id = $1', [
    gateway.workspaceId,
    'America/New_York',
  ]);
  const { id } = await storeCall(gateway);
  t.is((await gateway.client.get(`/api/v1/calls/${id}`)).body.started_at, '2026-11-20T22:00:00.000-05:00');
});

test.serial('a foreign call, an unknown one and no id at all are not to be told apart', async (t) => {
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

test.serial('the id may be written in capitals', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway);
  t.is((await gateway.client.get(`/api/v1/calls/${id.toUpperCase()}`)).body.id, id);
});

// Get transcript

test.serial('the turns up to now are read in order', async (t) => {
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

test.serial('the transcript of a call that is not the key’s own does not exist', async (t) => {
  const gateway = await fakeGateway(t);
  const foreign = await storeCall({ ...gateway, number: await addNumber(gateway) });
  for (const id of [foreign.id, randomUUID(), 'x']) {
    const { status, body } = await gateway.client.get(`/api/v1/calls/${id}/transcript`);
    t.is(status, 404);
    t.is(body.code, 'call_not_found');
  }
});

// List calls

const page = z.object({ calls: z.array(z.object({ id: z.string() })), next_cursor: z.string().nullable() });

const at = (second: number): Date => new Date(Date.UTC(2026, 10, 21, 3, 0, second));

const idsOf = async ({ client }: FakeGateway, query: string): Promise<string[]> =>
  page.parse((await client.get(`/api/v1/calls${query}`)).body).calls.map(({ id }) => id);

test.serial('a list item has exactly its declared fields', async (t) => {
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

test.serial('only calls of the number of the key are listed', async (t) => {
  const gateway = await fakeGateway(t);
  const other = await addNumber(gateway);
  await storeCall({ ...gateway, number: other });
  const own = await storeCall(gateway);
  t.deepEqual(await idsOf(gateway, ''), [own.id]);
});

test.serial('newest first, then by id; pages follow one another without a gap', async (t) => {
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

test.serial('a page that ends exactly at the last call has no next one', async (t) => {
  const gateway = await fakeGateway(t);
  await storeCall(gateway);
  await storeCall(gateway);
  t.is((await gateway.client.get('/api/v1/calls?limit=2')).body.next_cursor, null);
});

test.serial('twenty calls are a page unless the limit says otherwise', async (t) => {
  const gateway = await fakeGateway(t);
  for (let second = 0; second < 21; second += 1) await storeCall(gateway, { startedAt: at(second) });
  t.is((await idsOf(gateway, '')).length, 20);
  t.is((await idsOf(gateway, '?limit=200')).length, 21);
  t.is((await idsOf(gateway, '?limit=1')).length, 1);
});

test.serial('filters narrow the list', async (t) => {
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

test.serial('a query that does not validate is refused by its field', async (t) => {
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

// Cancel call

const cancelledCallId = randomUUID();
const cancelPath = `/api/v1/calls/${cancelledCallId}/cancel`;

test.serial('a ringing call is asked to stop', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  const { status, body } = await client.post(cancelPath);
  t.is(status, 202);
  t.deepEqual(body, { call_id: cancelledCallId, status: 'cancel_requested' });
  t.deepEqual(asked, [['requestCancel', { callId: cancelledCallId, numberId: number.id }]]);
});

test.serial('a call that rings no more cannot be cancelled', async (t) => {
  const { client } = await fakeGateway(t, {
    requestCancel: () => Promise.reject(new Refusal('call_not_active', 'It does not ring any more.')),
  });
  const { status, body } = await client.post(cancelPath, {});
  t.is(status, 409);
  t.is(body.code, 'call_not_active');
});

// Hang up

const endedCallId = randomUUID();
const hangUpPath = `/api/v1/calls/${endedCallId}/hangup`;

test.serial('the body is optional; the farewell is waited for', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  for (const body of [undefined, {}, { immediate: false }, { unknown: 1 }]) {
    const answer = await client.post(hangUpPath, body);
    t.is(answer.status, 202);
    t.deepEqual(answer.body, { call_id: endedCallId, status: 'hangup_requested' });
  }
  t.deepEqual(asked.at(0), ['requestHangup', { callId: endedCallId, numberId: number.id, immediate: false }]);
  t.is(asked.length, 4);
});

test.serial('an empty body that calls itself JSON is an empty body', async (t) => {
  const { client } = await fakeGateway(t);
  const { status } = await client.send('POST', hangUpPath, {
    headers: { 'content-type': 'application/json' },
  });
  t.is(status, 202);
});

test.serial('immediate does not wait', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  t.is((await client.post(hangUpPath, { immediate: true })).status, 202);
  t.deepEqual(asked, [['requestHangup', { callId: endedCallId, numberId: number.id, immediate: true }]]);
});

test.serial('a body that does not validate asks for nothing', async (t) => {
  const { client, asked } = await fakeGateway(t);
  for (const body of [{ immediate: 'yes' }, { immediate: null }, [], 1, null]) {
    const answer = await client.post(hangUpPath, body);
    t.is(answer.status, 400, JSON.stringify(body));
    t.is(answer.body.code, 'invalid_request');
  }
  t.deepEqual(asked, []);
});

test.serial('what is no id is looked up as one of nobody', async (t) => {
  const { client, asked } = await fakeGateway(t);
  await client.post('/api/v1/calls/nonsense/hangup');
  t.like(asked[0]?.[1], { callId: '00000000-0000-0000-0000-000000000000' });
});

const hangUpCodes: [RefusalCode, number][] = [
  ['call_not_found', 404],
  ['call_not_active', 409],
  ['room_unknown', 409],
  ['hangup_failed', 502],
  ['hangup_unavailable', 503],
];

for (const [code, status] of hangUpCodes) {
  test.serial(`what refuses the hangup reaches the caller: ${code}`, async (t) => {
    const { client } = await fakeGateway(t, {
      requestHangup: () => Promise.reject(new Refusal(code, 'The call stays alive.')),
    });
    const answer = await client.post(hangUpPath);
    t.is(answer.status, status);
    t.is(answer.body.code, code);
  });
}

// Pause recording

const recordedCallId = randomUUID();
const pausePath = `/api/v1/calls/${recordedCallId}/recording`;

for (const [verb, paused] of [
  ['pause', true],
  ['resume', false],
] as const) {
  test.serial(`${verb} answers with the state that the recording then has`, async (t) => {
    const { client, asked, number } = await fakeGateway(t);
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await client.post(`${pausePath}/${verb}`);
      t.is(status, 200);
      t.deepEqual(body, { call_id: recordedCallId, recording: { paused } });
    }
    t.deepEqual(asked[0], [`${verb}Recording`, { callId: recordedCallId, numberId: number.id }]);
    t.is(asked.length, 2);
  });

  test.serial(`what refuses to ${verb} reaches the caller`, async (t) => {
    const refusals = [
      new Refusal('call_not_found', 'No.'),
      new Refusal('call_not_active', 'No.'),
      new Refusal('room_unknown', 'No.'),
      new Refusal('recording_not_available', 'No.', { extras: { reason: 'none' } }),
    ];
    for (const refusal of refusals) {
      const refuse = () => Promise.reject(refusal);
      const { client } = await fakeGateway(t, { pauseRecording: refuse, resumeRecording: refuse });
      const { status, body } = await client.post(`${pausePath}/${verb}`);
      t.is(status, refusal.status);
      t.is(body.code, refusal.code);
      t.is(body.reason, refusal.extras.reason);
    }
  });
}

test.serial('a key is needed', async (t) => {
  const { client } = await fakeGateway(t);
  t.is((await client.as('').post(`${pausePath}/pause`)).status, 401);
});

test.serial(
  'a call says whether its recording is paused: as its last fact says, and never after its end',
  async (t) => {
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
  },
);

// Acts in call
// Keys and words of a program in a call in progress.

const activeCallId = randomUUID();
const keys = `/api/v1/calls/${activeCallId}/keys`;
const say = `/api/v1/calls/${activeCallId}/say`;
const collect = `/api/v1/calls/${activeCallId}/collect`;

test.serial('keys of the telephone are pressed', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  const answer = await client.post(keys, { keys: '1w204#*AD' });
  t.is(answer.status, 202);
  t.deepEqual(answer.body, { call_id: activeCallId, status: 'keys_requested' });
  t.deepEqual(asked, [['pressKeys', { callId: activeCallId, numberId: number.id, keys: '1w204#*AD' }]]);
});

test.serial('words wait for the floor unless they are to interrupt', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  for (const body of [{ text: ' One moment. ' }, { text: 'Stop.', interrupt: true }]) {
    const answer = await client.post(say, body);
    t.is(answer.status, 202);
    t.deepEqual(answer.body, { call_id: activeCallId, status: 'say_requested' });
  }
  t.deepEqual(asked, [
    ['say', { callId: activeCallId, numberId: number.id, text: 'One moment.', interrupt: false }],
    ['say', { callId: activeCallId, numberId: number.id, text: 'Stop.', interrupt: true }],
  ]);
});

test.serial(
  'keys of the other party are waited for, ten seconds each and in the open where nothing is said',
  async (t) => {
    const { client, asked, number } = await fakeGateway(t);
    const all = { digits: 4, finish: '#', timeout_sec: 30, secret: true };
    for (const body of [{}, all, { finish: '*' }]) {
      const answer = await client.post(collect, body);
      t.is(answer.status, 202);
      t.deepEqual(answer.body, { call_id: activeCallId, status: 'collect_requested' });
    }
    const wanted = { digits: null, finish: null, timeoutSec: 10, secret: false };
    t.deepEqual(asked, [
      ['collectKeys', { callId: activeCallId, numberId: number.id, wanted }],
      [
        'collectKeys',
        {
          callId: activeCallId,
          numberId: number.id,
          wanted: { digits: 4, finish: '#', timeoutSec: 30, secret: true },
        },
      ],
      ['collectKeys', { callId: activeCallId, numberId: number.id, wanted: { ...wanted, finish: '*' } }],
    ]);
  },
);

test.serial('what does not validate is asked of no call', async (t) => {
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

const actCodes: [RefusalCode, number][] = [
  ['call_not_found', 404],
  ['call_not_active', 409],
  ['room_unknown', 409],
];

for (const [code, status] of actCodes) {
  test.serial(`what refuses them reaches the caller: ${code}`, async (t) => {
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

test.serial('without a key nothing is asked', async (t) => {
  const { client, asked } = await fakeGateway(t);
  for (const [path, body] of [
    [keys, { keys: '1' }],
    [say, { text: 'Hello.' }],
  ] as const)
    t.is((await client.as('').post(path, body)).status, 401);
  t.deepEqual(asked, []);
});
