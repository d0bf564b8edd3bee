/** Endpoints of calls: create, read, list, cancel, hang up and requests to active calls. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { Refusal, type RefusalCode } from '#src/domain/refusal.ts';
import { browserOf, byConsole, tokenId } from './console-browser.ts';
import { addNumber, addWorkspace, fakeGateway, type FakeGateway } from './fake-gateway.ts';
import { storeCall, storeRecording } from './stored-calls.ts';

// Create call

const to = '01000000001';

test.serial('places a call from the number of the key', async (t) => {
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

test.serial('places a call in another language than that of the number', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  t.is((await client.post('/api/v1/calls', { to, language: 'en' })).status, 201);
  t.deepEqual(asked, [
    ['placeCall', { numberId: number.id, to, instruction: null, maxDurationSec: null, language: 'en' }],
  ]);
});

test.serial('removes hyphens and spaces and leaves omitted fields to the policy', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  t.is((await client.post('/api/v1/calls', { to: ' 010-0000 0001', instruction: null })).status, 201);
  t.deepEqual(asked, [['placeCall', { numberId: number.id, to, instruction: null, maxDurationSec: null }]]);
});

test.serial('rejects an invalid body with its first error and places no call', async (t) => {
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
    [{ to, language: 'fr' }, 'invalid_request'],
    [{ to, language: 'en-US' }, 'invalid_request'],
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

test.serial('rejects a domestic number in international form and names the accepted form', async (t) => {
  const { client } = await fakeGateway(t);
  const { body } = await client.post('/api/v1/calls', { to: '+82 10-0000-0001' });
  t.is(body.detail, 'Give the number in domestic format: write 0 in place of +82.');
});

test.serial('names each error by its path', async (t) => {
  const { client } = await fakeGateway(t);
  const { body } = await client.post('/api/v1/calls', { instruction: 5 });
  t.deepEqual(body.errors, [
    { path: 'to', message: 'This is required.' },
    { path: 'instruction', message: 'Invalid input: expected string, received number' },
  ]);
});

test.serial('rejects an empty body and requires one', async (t) => {
  const { client } = await fakeGateway(t);
  const { status, body } = await client.post('/api/v1/calls');
  t.is(status, 400);
  t.deepEqual(body.errors, [{ path: '', message: 'This is required.' }]);
});

test.serial('ignores unknown fields of a call, including a sender number', async (t) => {
  const { client, number } = await fakeGateway(t);
  const { status, body } = await client.post('/api/v1/calls', { to, from: '0299999999', more: {} });
  t.is(status, 201);
  t.is(body.from, number.number);
});

test.serial('accepts an eight-digit service number', async (t) => {
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
  title: (_, refusal: Refusal) => `passes a rejection by the gateway to the client: ${refusal.code}`,
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

test.serial('hides the details of an internal error and logs its cause', async (t) => {
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

test.serial('responds with 503 and a retry time while the database is unreachable', async (t) => {
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

test.serial('returns all fields of a finished call', async (t) => {
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

test.serial("returns the caller's name and diversions if the network sends them", async (t) => {
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

test.serial('returns pending options and no end fields for a ringing call', async (t) => {
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

test.serial('returns options as in force from the answer on', async (t) => {
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

test.serial('returns a duration of 0 seconds and no options in force for an unanswered call', async (t) => {
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

test.serial('returns null, not 0, for an unknown duration', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, { status: 'failed', endReason: 'system_error', durationSec: null });
  t.is((await gateway.client.get(`/api/v1/calls/${id}`)).body.duration_sec, null);
});

test.serial('swaps from and to for an inbound call', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway, { direction: 'inbound' });
  t.like((await gateway.client.get(`/api/v1/calls/${id}`)).body, {
    from: '01000000001',
    to: gateway.number.number,
    counterparty: '01000000001',
  });
});

test.serial('timestamps use the time zone of the workspace', async (t) => {
  const gateway = await fakeGateway(t);
  await gateway.database.execute('update workspace set time_zone = $2 where id = $1', [
    gateway.workspaceId,
    'America/New_York',
  ]);
  const { id } = await storeCall(gateway);
  t.is((await gateway.client.get(`/api/v1/calls/${id}`)).body.started_at, '2026-11-20T22:00:00.000-05:00');
});

test.serial('responds to foreign, unknown and malformed call ids in the same way', async (t) => {
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

test.serial('accepts an id in capital letters', async (t) => {
  const gateway = await fakeGateway(t);
  const { id } = await storeCall(gateway);
  t.is((await gateway.client.get(`/api/v1/calls/${id.toUpperCase()}`)).body.id, id);
});

// Get transcript

test.serial('reads the turns so far in order', async (t) => {
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

test.serial("responds with 404 for the transcript of another number's call", async (t) => {
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

test.serial('returns exactly the declared fields of a list item', async (t) => {
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

test.serial("lists only calls of the key's number", async (t) => {
  const gateway = await fakeGateway(t);
  const other = await addNumber(gateway);
  await storeCall({ ...gateway, number: other });
  const own = await storeCall(gateway);
  t.deepEqual(await idsOf(gateway, ''), [own.id]);
});

test.serial('sorts calls newest first, then by id; consecutive pages have no gap', async (t) => {
  const gateway = await fakeGateway(t);
  // Pairs of calls that started in the same millisecond.
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

test.serial('returns no next page after a page that ends exactly at the last call', async (t) => {
  const gateway = await fakeGateway(t);
  await storeCall(gateway);
  await storeCall(gateway);
  t.is((await gateway.client.get('/api/v1/calls?limit=2')).body.next_cursor, null);
});

test.serial('returns twenty calls per page unless the query has a limit', async (t) => {
  const gateway = await fakeGateway(t);
  for (let second = 0; second < 21; second += 1) await storeCall(gateway, { startedAt: at(second) });
  t.is((await idsOf(gateway, '')).length, 20);
  t.is((await idsOf(gateway, '?limit=200')).length, 21);
  t.is((await idsOf(gateway, '?limit=1')).length, 1);
});

test.serial('applies each filter to the list of calls', async (t) => {
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

test.serial('rejects an invalid query and names its field', async (t) => {
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

test.serial('requests the cancellation of a ringing call', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  const { status, body } = await client.post(cancelPath);
  t.is(status, 202);
  t.deepEqual(body, { call_id: cancelledCallId, status: 'cancel_requested' });
  t.deepEqual(asked, [['requestCancel', { callId: cancelledCallId, numberId: number.id }]]);
});

test.serial('rejects the cancellation of a call that no longer rings', async (t) => {
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

test.serial('accepts a hangup without a body; it waits for the farewell', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  for (const body of [undefined, {}, { immediate: false }, { unknown: 1 }]) {
    const answer = await client.post(hangUpPath, body);
    t.is(answer.status, 202);
    t.deepEqual(answer.body, { call_id: endedCallId, status: 'hangup_requested' });
  }
  t.deepEqual(asked.at(0), ['requestHangup', { callId: endedCallId, numberId: number.id, immediate: false }]);
  t.is(asked.length, 4);
});

test.serial('accepts an empty hangup body with the JSON content type', async (t) => {
  const { client } = await fakeGateway(t);
  const { status } = await client.send('POST', hangUpPath, {
    headers: { 'content-type': 'application/json' },
  });
  t.is(status, 202);
});

test.serial('an immediate hangup does not wait for the farewell', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  t.is((await client.post(hangUpPath, { immediate: true })).status, 202);
  t.deepEqual(asked, [['requestHangup', { callId: endedCallId, numberId: number.id, immediate: true }]]);
});

test.serial('an invalid hangup body sends no request to the call', async (t) => {
  const { client, asked } = await fakeGateway(t);
  for (const body of [{ immediate: 'yes' }, { immediate: null }, [], 1, null]) {
    const answer = await client.post(hangUpPath, body);
    t.is(answer.status, 400, JSON.stringify(body));
    t.is(answer.body.code, 'invalid_request');
  }
  t.deepEqual(asked, []);
});

test.serial('treats a malformed call id like an unknown one', async (t) => {
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
  test.serial(`passes a rejected hangup to the client: ${code}`, async (t) => {
    const { client } = await fakeGateway(t, {
      requestHangup: () => Promise.reject(new Refusal(code, 'The call stays alive.')),
    });
    const answer = await client.post(hangUpPath);
    t.is(answer.status, status);
    t.is(answer.body.code, code);
  });
}

// Acts of admins in the console

const auditOf = async ({ admin }: FakeGateway, callId: string) =>
  (await admin.get(`/api/v1/admin/audit?subject=call:${callId}`)).body['entries'];

test.serial('audits an act in a call with the admin whose console requested it', async (t) => {
  const gateway = await fakeGateway(t);
  const browser = await browserOf(gateway);
  const key = { authorization: `Bearer ${gateway.number.key}` };
  const act = (name: string, body: object, headers: Record<string, string> = byConsole) =>
    browser.send('POST', `/api/v1/calls/${endedCallId}/${name}`, { ...headers, ...key }, body);
  t.is((await act('hangup', { immediate: true })).status, 202);
  t.is((await act('say', { text: 'One moment.' })).status, 202);
  t.is((await act('keys', { keys: '12' })).status, 202);
  // A program, and a page of another origin in the same browser.
  t.is((await gateway.client.post(hangUpPath, {})).status, 202);
  t.is((await act('cancel', {}, { 'sec-fetch-site': 'cross-site' })).status, 202);

  const entries = await auditOf(gateway, endedCallId);
  const actor = `admin:${await tokenId(gateway)}`;
  t.like(
    { entries },
    {
      entries: [
        { action: 'call.keys_requested', actor },
        { action: 'call.say_requested', actor },
        { action: 'call.hangup_requested', actor, detail: { immediate: true } },
      ],
    },
  );
});

test.serial('audits no act in a call with the key of another workspace', async (t) => {
  const gateway = await fakeGateway(t);
  const { workspaceId } = await addWorkspace(gateway.database);
  const other = await addNumber({ database: gateway.database, workspaceId });
  const browser = await browserOf(gateway);
  const key = { authorization: `Bearer ${other.key}` };
  t.is((await browser.send('POST', hangUpPath, { ...byConsole, ...key }, {})).status, 202);
  t.deepEqual(await auditOf(gateway, endedCallId), []);
});

test.serial('hangs up although the hang-up cannot be audited', async (t) => {
  const gateway = await fakeGateway(t, {
    authenticateSession: () => Promise.reject(new Error('The database is away.')),
  });
  const browser = await browserOf(gateway);
  const key = { authorization: `Bearer ${gateway.number.key}` };
  t.is((await browser.send('POST', hangUpPath, { ...byConsole, ...key }, {})).status, 202);
  t.true(gateway.logged.some(({ msg }) => msg === 'an act of an admin in a call could not be audited'));
});

// Pause recording

const recordedCallId = randomUUID();
const pausePath = `/api/v1/calls/${recordedCallId}/recording`;

for (const [verb, paused] of [
  ['pause', true],
  ['resume', false],
] as const) {
  test.serial(`${verb} responds with the new state of the recording`, async (t) => {
    const { client, asked, number } = await fakeGateway(t);
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await client.post(`${pausePath}/${verb}`);
      t.is(status, 200);
      t.deepEqual(body, { call_id: recordedCallId, recording: { paused } });
    }
    t.deepEqual(asked[0], [`${verb}Recording`, { callId: recordedCallId, numberId: number.id }]);
    t.is(asked.length, 2);
  });

  test.serial(`passes a rejected ${verb} to the client`, async (t) => {
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

test.serial('rejects requests to a call without a number key', async (t) => {
  const { client } = await fakeGateway(t);
  t.is((await client.as('').post(`${pausePath}/pause`)).status, 401);
});

test.serial(
  'returns the pause state of a recording by its last fact, and none after the end of the call',
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

// Requests to a call
// DTMF digits and words requested by API in an active call.

const activeCallId = randomUUID();
const keys = `/api/v1/calls/${activeCallId}/keys`;
const say = `/api/v1/calls/${activeCallId}/say`;
const collect = `/api/v1/calls/${activeCallId}/collect`;

test.serial('sends the requested DTMF digits in a call', async (t) => {
  const { client, asked, number } = await fakeGateway(t);
  const answer = await client.post(keys, { keys: '1w204#*AD' });
  t.is(answer.status, 202);
  t.deepEqual(answer.body, { call_id: activeCallId, status: 'keys_requested' });
  t.deepEqual(asked, [['pressKeys', { callId: activeCallId, numberId: number.id, keys: '1w204#*AD' }]]);
});

test.serial('queues words until the agent is silent unless they are to interrupt', async (t) => {
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
  'collects digits of the other party, by default unmasked and with ten seconds between digits',
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

test.serial('sends no request to a call for an invalid body', async (t) => {
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
  test.serial(`passes a rejection to the client: ${code}`, async (t) => {
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

test.serial('sends no request to a call without a valid key', async (t) => {
  const { client, asked } = await fakeGateway(t);
  for (const [path, body] of [
    [keys, { keys: '1' }],
    [say, { text: 'Hello.' }],
  ] as const)
    t.is((await client.as('').post(path, body)).status, 401);
  t.deepEqual(asked, []);
});
