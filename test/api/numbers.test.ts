/** Numbers: settings, agents, engines, keys and trials. */
import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { addNumber, addWorkspace, fakeGateway, type FakeGateway, sealing } from './fake-gateway.ts';
import { testDatabase } from '#test/helpers/database.ts';
import { fakeSpeech } from './fake-services.ts';
import { storeCall } from './stored-calls.ts';

// Numbers

const numbersPath = '/api/v1/admin/numbers';
const withId = z.object({ id: z.string() });

const builtin = {
  agent: 'builtin',
  agent_type: null,
  chat_url: null,
  assistant_id: null,
  agent_id: null,
  controls: 'off',
  model: null,
  prompt: null,
  tools: null,
  token_configured: false,
  headers: {},
};

test.serial('a new number has the built-in agent, no key and inherited policies', async (t) => {
  const { admin } = await fakeGateway(t);
  const digits = `0311${String(process.pid % 1_000_000).padStart(6, '0')}`;
  const { status, body } = await admin.post(numbersPath, {
    number: `${digits.slice(0, 4)}-${digits.slice(4)}`,
  });
  t.is(status, 201);
  t.like(body, {
    number: digits,
    language: 'ko',
    max_duration_sec: null,
    recording_enabled: null,
    barge_in: null,
    turn_end: null,
    retention_days: null,
    consent: null,
    greeting: null,
    voicemail: 'talk',
    voicemail_message: null,
    screening: 'answer',
    caller_name: null,
    menu: 'talk',
    record_transfers: true,
    transfer_max_duration_sec: 3600,
    listen_in: 'off',
    recognizer: null,
    synthesizer: null,
    voice: null,
    agents: { inbound: builtin, outbound: builtin },
    inbound_auth: { method: 'none', url: null },
    key: null,
  });
  t.deepEqual((await admin.get(`${numbersPath}/${withId.parse(body).id}`)).body, body);

  const taken = await admin.post(numbersPath, { number: digits });
  t.is(taken.status, 409);
  t.is(taken.body.code, 'number_taken');
});

test.serial('lists only the numbers of the workspace', async (t) => {
  const { admin, database, number } = await fakeGateway(t);
  const { body } = await admin.get(numbersPath);
  t.deepEqual(
    z
      .object({ numbers: z.array(withId) })
      .parse(body)
      .numbers.map(({ id }) => id),
    [number.id],
  );
  const { adminToken } = await addWorkspace(database);
  t.deepEqual((await admin.as(adminToken).get(numbersPath)).body, { numbers: [] });
});

test.serial('lists many numbers with their details by as many statements as one number', async (t) => {
  const database = await testDatabase();
  let statements = 0;
  const gateway = await fakeGateway(t, {
    database: {
      ...database,
      execute(sql, parameters) {
        // The last use of the token is recorded beside the requests.
        if (!sql.includes('last_used_at')) statements += 1;
        return database.execute(sql, parameters);
      },
      // Each read takes a manager of its own.
      entityManager() {
        statements += 1;
        return database.entityManager();
      },
    },
  });
  const listed = z.object({ numbers: z.array(z.looseObject({ id: z.string() })) });
  const list = async () => {
    statements = 0;
    const { body } = await gateway.admin.get(numbersPath);
    return { numbers: listed.parse(body).numbers, statements };
  };
  const one = await list();
  t.true(one.statements > 3);

  const { number } = gateway;
  const others = await Promise.all(Array.from({ length: 49 }, () => addNumber(gateway)));
  const [other = number] = others;
  const { body: keyless } = await gateway.admin.post(numbersPath, {
    number: `0317${String(process.pid % 1_000_000).padStart(6, '0')}`,
  });
  const agent = { agent: 'endpoint', agent_type: 'webhook', chat_url: 'https://agent.example.com/' };
  await gateway.admin.put(`${numbersPath}/${number.id}/agents/outbound`, agent);
  const begun = (by: FakeGateway['number'], day: number) =>
    storeCall({ ...gateway, number: by }, { startedAt: new Date(Date.UTC(2026, 10, day)) });
  const last = await begun(number, 20);
  const lastOfOther = await begun(other, 21);
  await begun(other, 19);

  const many = await list();
  t.is(many.numbers.length, 51);
  t.is(many.statements, one.statements);
  for (const [id, details] of [
    [number.id, { last_call: { id: last.id }, agents: { inbound: builtin, outbound: agent } }],
    [other.id, { last_call: { id: lastOfOther.id }, agents: { inbound: builtin, outbound: builtin } }],
    [keyless['id'], { last_call: null, key: null }],
  ] as const) {
    const found = many.numbers.find((each) => each.id === id);
    t.like(found, details);
    t.deepEqual<unknown, unknown>(found, (await gateway.admin.get(`${numbersPath}/${String(id)}`)).body);
  }
});

test.serial('responds with 404 for a number of another workspace', async (t) => {
  const { admin, database, number } = await fakeGateway(t);
  const stranger = admin.as((await addWorkspace(database)).adminToken);
  const id = number.id;
  const answers = [
    await stranger.get(`${numbersPath}/${id}`),
    await stranger.patch(`${numbersPath}/${id}`, { greeting: 'Hello.' }),
    await stranger.put(`${numbersPath}/${id}/agents/inbound`, { agent: 'builtin' }),
    await stranger.put(`${numbersPath}/${id}/inbound-auth`, { method: 'none' }),
    await stranger.post(`${numbersPath}/${id}/key`),
    await stranger.get(`${numbersPath}/${id}/key`),
    await admin.get(`${numbersPath}/${randomUUID()}`),
    await admin.get(`${numbersPath}/nonsense`),
  ];
  for (const { status, body } of answers) {
    t.is(status, 404);
    t.is(body.code, 'number_not_found');
  }
  t.is((await admin.get(`${numbersPath}/${id}`)).body.greeting, null);
});

test.serial('changes the given fields of a number, clears null ones and keeps the others', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${numbersPath}/${number.id}`;
  const changes = {
    language: 'en',
    max_duration_sec: 60,
    default_duration_sec: 1800,
    silence_timeout_sec: 5,
    ring_timeout_sec: 180,
    max_concurrent_calls: 10_000,
    recording_enabled: false,
    barge_in: { mode: 'stop', onset_ms: 60, speech_ms: 3_000, resume_ms: 100 },
    turn_end: { mode: 'recognizer', min_silence_ms: 300, max_silence_ms: 5_000 },
    retention_days: { recordings: 0, words: 36_500 },
    greeting: 'Hello.',
    voicemail: 'leave_message',
    voicemail_message: 'Please call us back.',
    screening: 'hang_up',
    caller_name: 'Riverside Dental',
    menu: 'hang_up',
    record_transfers: false,
    transfer_max_duration_sec: 600,
  };
  const { status, body } = await admin.patch(one, changes);
  t.is(status, 200);
  t.like(body, changes);
  t.like((await admin.patch(one, { greeting: null, max_duration_sec: null })).body, {
    ...changes,
    greeting: null,
    max_duration_sec: null,
  });
  t.like((await admin.patch(one, {})).body, { language: 'en' });
});

test.serial('sets barge-in by a mode, with defaults for omitted values', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${numbersPath}/${number.id}`;
  const usual = { mode: 'pause', onset_ms: 80, speech_ms: 600, resume_ms: 500 };
  t.like((await admin.patch(one, { barge_in: { mode: 'pause' } })).body, { barge_in: usual });
  const changes = { mode: 'stop', onset_ms: 60, speech_ms: 3_000 };
  t.like((await admin.patch(one, { barge_in: changes })).body, {
    barge_in: { ...changes, resume_ms: 500 },
  });
  for (const [name, value] of [
    ['mode', 'never'],
    ['onset_ms', 59],
    ['onset_ms', 301],
    ['speech_ms', 299],
    ['speech_ms', 3_001],
    ['resume_ms', 99],
    ['resume_ms', 3_001],
  ] as const) {
    const { status, body } = await admin.patch(one, { barge_in: { mode: 'pause', [name]: value } });
    t.is(status, 400, `${name}: ${value}`);
    t.like(body, { code: 'invalid_request', errors: [{ path: `barge_in.${name}` }] });
  }
  t.like((await admin.patch(one, { barge_in: null })).body, { barge_in: null });
});

test.serial('rejects an invalid or unknown value and changes no field', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${numbersPath}/${number.id}`;
  const before = (await admin.get(one)).body;
  const faults: Record<string, unknown[]> = {
    max_duration_sec: [59, 1801, 60.5, '600'],
    default_duration_sec: [59, 1801],
    silence_timeout_sec: [4, 601],
    ring_timeout_sec: [4, 181],
    max_concurrent_calls: [0, 10_001],
    recording_enabled: ['yes', 1],
    barge_in: ['pause', true],
    turn_end: ['pause', true],
    retention_days: [30, true],
    'retention_days.recordings': [{ recordings: -1 }, { recordings: 36_501 }],
    'retention_days.words': [{ words: 1.5 }],
    greeting: ['x'.repeat(1001), 'a\u0000b', 5],
    voicemail: ['hangup', null],
    screening: ['talk', null],
    menu: ['answer', null],
    caller_name: ['', '...', 'x'.repeat(101), 5],
    record_transfers: [null, 'no'],
    transfer_max_duration_sec: [59, 14_401, null],
    listen_in: [null, 'on', true],
    voicemail_message: ['', '...', 'x'.repeat(1001), 5],
    language: ['xx', null],
    number: ['01000000001'],
    trunk_id: ['x', randomUUID()],
    recognizer: [5, '', 'whisper-cpp', 'elevenlabs'],
    synthesizer: [5, '', 'flite', 'vosk'],
    voice: [5, 'ko'],
  };
  for (const [field, values] of Object.entries(faults)) {
    for (const value of values) {
      const [name = ''] = field.split('.');
      const { status, body } = await admin.patch(one, { recording_enabled: false, [name]: value });
      t.is(status, 400, `${field}: ${String(value)}`);
      t.like(body, { code: 'invalid_request', errors: [{ path: field }] });
    }
  }
  t.deepEqual((await admin.get(one)).body, before);
});

test.serial('validates every field of a new number', async (t) => {
  const { admin } = await fakeGateway(t);
  for (const number of ['+82212345678', '12', 'abc', '']) {
    const { status, body } = await admin.post(numbersPath, { number });
    t.is(status, 400, number);
    t.like(body, { code: 'invalid_request', errors: [{ path: 'number' }] });
  }
  t.is((await admin.post(numbersPath, {})).status, 400);
});

test.serial('selects engines and a voice for a number among the configured ones', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${numbersPath}/${number.id}`;
  const choice = { recognizer: 'deepgram', synthesizer: 'espeak-ng', voice: 'en-us+f3' };
  t.like((await admin.patch(one, choice)).body, choice);
  t.like((await admin.get(one)).body, choice);
  t.like((await admin.patch(one, { greeting: 'Hello.' })).body, choice);
  t.like((await admin.patch(one, { recognizer: null })).body, { ...choice, recognizer: null });
  const digits = `0312${String(process.pid % 1_000_000).padStart(6, '0')}`;
  t.like((await admin.post(numbersPath, { number: digits, ...choice })).body, { number: digits, ...choice });
});

test.serial('requires the synthesizer of a chosen voice', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${numbersPath}/${number.id}`;
  const change = async (body: object) => {
    const answer = await admin.patch(one, body);
    return [answer.body['synthesizer'], answer.body['voice']];
  };
  t.deepEqual(await change({ synthesizer: 'espeak-ng' }), ['espeak-ng', null]);
  t.deepEqual(await change({ voice: 'ko' }), ['espeak-ng', 'ko']);
  t.deepEqual(await change({ synthesizer: 'espeak-ng' }), ['espeak-ng', 'ko']);
  t.deepEqual(await change({ synthesizer: 'elevenlabs' }), ['elevenlabs', null]);
  t.deepEqual(await change({ synthesizer: 'elevenlabs', voice: 'JBFqnCBsd6RMkjVDRZzb' }), [
    'elevenlabs',
    'JBFqnCBsd6RMkjVDRZzb',
  ]);
  t.deepEqual(await change({ voice: null }), ['elevenlabs', null]);
  t.deepEqual(await change({ synthesizer: null }), [null, null]);
});

test.serial('rejects an unconfigured engine or unknown voice and lists the available ones', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${numbersPath}/${number.id}`;
  const errorsOf = async (body: object) => (await admin.patch(one, body)).body['errors'];
  t.deepEqual(await errorsOf({ recognizer: 'whisper-cpp', synthesizer: 'flite', voice: 'x' }), [
    {
      path: 'recognizer',
      message: 'This recognizer is not configured on this gateway; there is vosk, deepgram.',
    },
    {
      path: 'synthesizer',
      message: 'This synthesizer is not configured on this gateway; there is elevenlabs, espeak-ng.',
    },
  ]);
  const alone = [{ path: 'voice', message: 'A voice is one of a synthesizer: choose the synthesizer too.' }];
  t.deepEqual(await errorsOf({ voice: 'ko' }), alone);
  t.deepEqual(await errorsOf({ synthesizer: null, voice: 'ko' }), alone);
  t.deepEqual(await errorsOf({ synthesizer: 'espeak-ng', voice: 'mb/mb-us1' }), [
    { path: 'voice', message: 'A voice of espeak-ng has no such name.' },
  ]);
  t.like((await admin.get(one)).body, { recognizer: null, synthesizer: null, voice: null });
});

test.serial('rejects every engine when none is configured', async (t) => {
  const engines = {
    recognizers: [],
    synthesizers: [],
    reportTurnEnds: [],
    turnModel: false,
    languageModels: [],
    isVoice: () => false,
  };
  const { admin, number } = await fakeGateway(t, { engines });
  t.deepEqual((await admin.patch(`${numbersPath}/${number.id}`, { recognizer: 'vosk' })).body['errors'], [
    { path: 'recognizer', message: 'No recognizer is configured on this gateway.' },
  ]);
});

// Delete number

const pathOf = (id: string): string => `/api/v1/admin/numbers/${id}`;

test.serial('deletes the key of a deleted number; its calls and audit log entries remain', async (t) => {
  const gateway = await fakeGateway(t);
  const { admin, client, number, workspaceId } = gateway;
  const { id: callId } = await storeCall(gateway);
  const other = await addNumber({ database: gateway.database, workspaceId });
  t.is((await admin.delete(pathOf(number.id))).status, 204);

  t.is((await client.get('/api/v1/calls')).status, 401);
  t.is((await client.post('/api/v1/calls', { to: '01000000001' })).status, 401);
  t.is((await client.as(other.key).get('/api/v1/calls')).status, 200);
  for (const answer of [
    await admin.get(pathOf(number.id)),
    await admin.patch(pathOf(number.id), { language: 'en' }),
    await admin.get(`${pathOf(number.id)}/key`),
    await admin.post(`${pathOf(number.id)}/key`),
    await admin.put(`${pathOf(number.id)}/agents/inbound`, { agent: 'builtin' }),
    await admin.delete(pathOf(number.id)),
  ]) {
    t.deepEqual([answer.status, answer.body['code']], [404, 'number_not_found']);
  }
  const numbers = z.object({ numbers: z.array(z.object({ id: z.string() })) });
  t.deepEqual(
    numbers.parse((await admin.get('/api/v1/admin/numbers')).body).numbers.map(({ id }) => id),
    [other.id],
  );

  t.like((await admin.get(`/api/v1/admin/calls/${callId}`)).body, {
    number_id: number.id,
    from: number.number,
  });
  t.like((await admin.get(`/api/v1/admin/calls?number_id=${number.id}`)).body, { calls: [{ id: callId }] });
  t.is((await admin.get(`/api/v1/admin/calls/${callId}/transcript`)).status, 200);
  t.true((await admin.get('/api/v1/admin/call-records')).bytes.includes(number.number));
  t.like((await admin.get('/api/v1/admin/audit')).body, {
    entries: [
      { action: 'number.deleted', subject: `number:${number.id}`, detail: { number: number.number } },
    ],
  });

  const again = await admin.post('/api/v1/admin/numbers', { number: number.number });
  t.is(again.status, 201);
  t.not(again.body['id'], number.id);
  t.is(again.body['key'], null);
  t.is((await client.get('/api/v1/calls')).status, 401, 'the old key is not the key of the new number');
});

test.serial('shows the call of a number that began last', async (t) => {
  const gateway = await fakeGateway(t);
  const lastCall = async () => (await gateway.admin.get(pathOf(gateway.number.id))).body['last_call'];
  t.is(await lastCall(), null);
  const begun = (day: number, direction: 'inbound' | 'outbound') =>
    storeCall(gateway, { direction, startedAt: new Date(Date.UTC(2026, 10, day)) });
  const { id } = await begun(21, 'inbound');
  await begun(20, 'outbound');
  t.like(await lastCall(), { id, direction: 'inbound', started_at: '2026-11-21T09:00:00.000+09:00' });
});

test.serial('rejects deleting a number with an active call and keeps its key', async (t) => {
  const gateway = await fakeGateway(t);
  await storeCall(gateway, { status: 'active', endReason: null, endedAt: null });
  const { status, body } = await gateway.admin.delete(pathOf(gateway.number.id));
  t.deepEqual([status, body['code']], [409, 'number_in_use']);
  t.is((await gateway.client.get('/api/v1/calls')).status, 200);
});

test.serial('does not delete a number of another workspace', async (t) => {
  const gateway = await fakeGateway(t);
  const stranger = gateway.admin.as((await addWorkspace(gateway.database)).adminToken);
  t.is((await stranger.delete(pathOf(gateway.number.id))).status, 404);
  t.is((await gateway.admin.delete(pathOf(randomUUID()))).status, 404);
  t.is((await gateway.client.get('/api/v1/calls')).status, 200);
});

test.serial('keeps the webhook endpoints of a deleted number until they are deleted', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const bound = await admin.post('/api/v1/admin/webhooks', {
    url: 'https://example.com/',
    number_id: number.id,
  });
  t.is((await admin.delete(pathOf(number.id))).status, 204);
  const path = `/api/v1/admin/webhooks/${String(bound.body['id'])}`;
  t.like((await admin.get(path)).body, { number_id: number.id, state: 'active' });
  const next = { url: 'https://example.com/', number_id: number.id };
  t.is((await admin.post('/api/v1/admin/webhooks', next)).status, 400, 'no other one can be bound to it');
  t.is((await admin.delete(path)).status, 204);
});

// Number key

const issued = z.object({ key: z.string() });

test.serial('issues, accepts, reveals and replaces the key of a number', async (t) => {
  const { client, admin, number } = await fakeGateway(t);
  const path = `/api/v1/admin/numbers/${number.id}/key`;
  const first = await admin.post(path);
  t.is(first.status, 201);
  t.is(first.headers.get('cache-control'), 'no-store');
  const { key } = issued.parse(first.body);
  t.regex(key, /^gw_live_[0-9A-Za-z]{43}$/);
  t.is((await client.get('/api/v1/calls')).status, 401, 'the one before is invalid at once');
  t.is((await client.as(key).get('/api/v1/calls')).status, 200);

  const shown = await admin.get(path);
  t.is(shown.status, 200);
  t.deepEqual(shown.body, { key });
  t.is((await client.as(key).get('/api/v1/calls')).status, 200, 'showing does not change it');

  const tailOf = async () =>
    z
      .object({ key: z.object({ tail: z.string() }) })
      .parse((await admin.get(`/api/v1/admin/numbers/${number.id}`)).body).key.tail;
  t.is(await tailOf(), key.slice(-4));
  const second = issued.parse((await admin.post(path)).body).key;
  t.is(await tailOf(), second.slice(-4));
  t.not(second, key);
  t.is((await client.as(key).get('/api/v1/calls')).status, 401);
  t.is((await client.as(second).get('/api/v1/calls')).status, 200);
});

test.serial('records each issue and reveal in the audit log without the key', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const path = `/api/v1/admin/numbers/${number.id}/key`;
  const { key } = issued.parse((await admin.post(path)).body);
  await admin.get(path);
  await admin.get(path);
  const audit = await admin.get('/api/v1/admin/audit');
  const { entries } = z
    .object({ entries: z.array(z.object({ action: z.string(), subject: z.string() })) })
    .parse(audit.body);
  t.deepEqual(
    entries.map(({ action }) => action),
    ['number_key.revealed', 'number_key.revealed', 'number_key.reissued'],
  );
  for (const { subject } of entries) t.is(subject, `number:${number.id}`);
  t.false(audit.bytes.includes(key));
});

test.serial('rejects revealing a key without a recovery copy', async (t) => {
  const { admin, database, number } = await fakeGateway(t);
  await database.execute('update number_key set key_sealed = null where number_id = $1', [number.id]);
  const { status, body } = await admin.get(`/api/v1/admin/numbers/${number.id}/key`);
  t.is(status, 409);
  t.is(body.code, 'key_not_recoverable');
  const read = await admin.get(`/api/v1/admin/numbers/${number.id}`);
  t.like(read.body, { key: { recoverable: false } });
});

test.serial('rejects revealing the key of a number without one', async (t) => {
  const { admin, database, number } = await fakeGateway(t);
  await database.execute('delete from number_key where number_id = $1', [number.id]);
  const path = `/api/v1/admin/numbers/${number.id}/key`;
  const { status, body } = await admin.get(path);
  t.is(status, 404);
  t.is(body.code, 'not_found');
  t.is((await admin.post(path)).status, 201);
  const audit = await admin.get('/api/v1/admin/audit');
  t.like(audit.body, { entries: [{ action: 'number_key.issued' }] });
});

// Put agent

const url = 'https://agent.example.com/chat';

const agentPath = ({ number }: FakeGateway, direction: string) =>
  `/api/v1/admin/numbers/${number.id}/agents/${direction}`;

const storedToken = async ({ database, number }: FakeGateway): Promise<string | null> => {
  const [row] = await database.execute<{ sealed: string | null }>(
    `select token_sealed as sealed from agent_binding where number_id = $1 and direction = 'outbound'`,
    [number.id],
  );
  return row?.sealed ? sealing.open(row.sealed, number.id) : null;
};

const all = { agent: 'endpoint', chat_url: url, assistant_id: 'graph', agent_id: 'support' };

/** Fields that each type stores (guides/design/agents.md, "Bindings"). */
const table: [string, 'inbound' | 'outbound', { assistant_id: string | null; agent_id: string | null }][] = [
  ['webhook', 'inbound', { assistant_id: null, agent_id: null }],
  ['webhook', 'outbound', { assistant_id: null, agent_id: null }],
  ['openai_compatible', 'inbound', { assistant_id: null, agent_id: null }],
  ['openai_compatible', 'outbound', { assistant_id: null, agent_id: null }],
  ['n8n', 'inbound', { assistant_id: null, agent_id: null }],
  ['n8n', 'outbound', { assistant_id: null, agent_id: null }],
  ['langgraph', 'inbound', { assistant_id: 'graph', agent_id: null }],
  ['langgraph', 'outbound', { assistant_id: 'graph', agent_id: null }],
  ['mastra', 'inbound', { assistant_id: null, agent_id: null }],
  ['mastra', 'outbound', { assistant_id: null, agent_id: 'support' }],
];

for (const [agentType, direction, stored] of table) {
  test.serial(`keeps the stored fields of a ${agentType} binding, ${direction}`, async (t) => {
    const gateway = await fakeGateway(t);
    const { status, body } = await gateway.admin.put(agentPath(gateway, direction), {
      ...all,
      agent_type: agentType,
    });
    t.is(status, 200);
    t.deepEqual(body, {
      agent: 'endpoint',
      agent_type: agentType,
      chat_url: url,
      ...stored,
      controls: 'off',
      model: null,
      prompt: null,
      tools: null,
      token_configured: false,
      headers: {},
    });
    const number = await gateway.admin.get(`/api/v1/admin/numbers/${gateway.number.id}`);
    const { agents } = z.object({ agents: z.record(z.string(), z.unknown()) }).parse(number.body);
    t.deepEqual(agents[direction], body);
  });
}

test.serial('writes, keeps, replaces and removes the token, and never returns it', async (t) => {
  const gateway = await fakeGateway(t);
  const path = agentPath(gateway, 'outbound');
  const body = { agent: 'endpoint', agent_type: 'webhook', chat_url: url };
  const put = async (token?: string | null) => {
    const answer = await gateway.admin.put(path, token === undefined ? body : { ...body, token });
    t.is(answer.status, 200);
    t.false(answer.bytes.includes('secret-'));
    return answer.body.token_configured;
  };
  t.false(await put());
  t.true(await put('secret-1'));
  t.is(await storedToken(gateway), 'secret-1');
  t.true(await put());
  t.is(await storedToken(gateway), 'secret-1');
  t.true(await put('secret-2'));
  t.is(await storedToken(gateway), 'secret-2');
  t.false(await put(null));
  t.is(await storedToken(gateway), null);
  t.true(await put('secret-3'));
  t.false(await put(''));

  await put('secret-4');
  const read = await gateway.admin.get(`/api/v1/admin/numbers/${gateway.number.id}`);
  t.false(read.bytes.includes('secret-'));
  const audit = await gateway.admin.get('/api/v1/admin/audit');
  t.false(audit.bytes.includes('secret-'));
  t.false(JSON.stringify(gateway.logged).includes('secret-'));
});

const storedHeaders = async ({ database, number }: FakeGateway): Promise<Record<string, string>> => {
  const [row] = await database.execute<{ sealed: Record<string, string> }>(
    `select headers_sealed as sealed from agent_binding where number_id = $1 and direction = 'inbound'`,
    [number.id],
  );
  return Object.fromEntries(
    Object.entries(row?.sealed ?? {}).map(([name, sealed]) => [name, sealing.open(sealed, number.id)]),
  );
};

test.serial('writes, keeps, replaces and removes headers one by one, and never returns them', async (t) => {
  const gateway = await fakeGateway(t);
  const path = agentPath(gateway, 'inbound');
  const body = { agent: 'endpoint', agent_type: 'webhook', chat_url: url };
  const put = async (headers?: Record<string, string | null> | null) => {
    const answer = await gateway.admin.put(path, headers === undefined ? body : { ...body, headers });
    t.is(answer.status, 200);
    t.false(answer.bytes.includes('secret-'));
    return answer.body.headers;
  };
  t.deepEqual(await put({ 'X-Api-Key': 'secret-1', 'x-route': 'secret-eu' }), {
    'x-api-key': { configured: true },
    'x-route': { configured: true },
  });
  t.deepEqual(await storedHeaders(gateway), { 'x-api-key': 'secret-1', 'x-route': 'secret-eu' });
  await put();
  await put({});
  await put({ 'X-API-KEY': 'secret-2' });
  t.deepEqual(await storedHeaders(gateway), { 'x-api-key': 'secret-2', 'x-route': 'secret-eu' });
  t.deepEqual(await put({ 'x-route': null }), { 'x-api-key': { configured: true } });
  t.deepEqual(await put({ 'x-api-key': '' }), {});
  await put({ 'x-api-key': 'secret-3' });

  const read = await gateway.admin.get(`/api/v1/admin/numbers/${gateway.number.id}`);
  t.like(read.body, { agents: { inbound: { headers: { 'x-api-key': { configured: true } } } } });
  t.false(read.bytes.includes('secret-'));
  const audit = await gateway.admin.get('/api/v1/admin/audit');
  t.like(audit.body, {
    entries: [{ action: 'agent.changed', detail: { changes: { headers: { from: [], to: ['x-api-key'] } } } }],
  });
  t.false(audit.bytes.includes('secret-'));
  t.false(JSON.stringify(gateway.logged).includes('secret-'));
  t.deepEqual(await put(null), {});
  t.deepEqual(await storedHeaders(gateway), {});
});

test.serial('rejects invalid headers by name, without their values', async (t) => {
  const gateway = await fakeGateway(t);
  const path = agentPath(gateway, 'inbound');
  const body = { agent: 'endpoint', agent_type: 'webhook', chat_url: url };
  const refused = async (headers: unknown, field: string) => {
    const answer = await gateway.admin.put(path, { ...body, headers });
    t.is(answer.status, 400, field);
    t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
    t.false(answer.bytes.includes('secret-'));
  };
  const reserved = [
    'Connection',
    'Content-Length',
    'content-type',
    'Expect',
    'Host',
    'Keep-Alive',
    'Proxy-Authorization',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Authorization',
    'X-Gw-Call-Id',
    'TraceParent',
  ];
  for (const name of ['', 'x api', 'x_api', 'x:', `x${'-'.repeat(64)}`, 'ключ', '__proto__', ...reserved])
    await refused({ [name]: 'secret-1' }, `headers.${name}`);
  for (const value of [
    'secret-\r\nx: y',
    'secret-\u0000',
    'secret-é',
    ' secret-',
    'secret- ',
    'secret-'.repeat(600),
  ])
    await refused({ 'x-api-key': value }, 'headers.x-api-key');
  await refused({ 'x-api-key': { configured: true } }, 'headers.x-api-key');
  await refused({ 'x-api-key': 'secret-1', 'X-Api-Key': 'secret-2' }, 'headers.X-Api-Key');
  await refused(Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`x-${index}`, 'v'])), 'headers');
  await refused([], 'headers');

  const ten = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`x-${index}`, 'v']));
  t.is((await gateway.admin.put(path, { ...body, headers: ten })).status, 200);
  await refused({ more: 'secret-1' }, 'headers');
  t.is(Object.keys(await storedHeaders(gateway)).length, 10);
  const longest = { ...body, headers: { 'x-0': '~ !'.repeat(1_365) + 'x' } };
  t.is((await gateway.admin.put(path, longest)).status, 200);
  t.is((await storedHeaders(gateway))['x-0']?.length, 4_096);
});

test.serial('rejects a token for an inbound binding', async (t) => {
  const gateway = await fakeGateway(t);
  const path = agentPath(gateway, 'inbound');
  const body = { agent: 'endpoint', agent_type: 'webhook', chat_url: url };
  const refused = await gateway.admin.put(path, { ...body, token: 'secret' });
  t.is(refused.status, 400);
  t.like(refused.body, { code: 'invalid_request', errors: [{ path: 'token' }] });
  t.is((await gateway.admin.put(path, { ...body, token: null })).status, 200);
});

test.serial('accepts an endpoint without type or URL, which then accepts no calls', async (t) => {
  const gateway = await fakeGateway(t);
  const { status, body } = await gateway.admin.put(agentPath(gateway, 'outbound'), {
    agent: 'endpoint',
    chat_url: '',
  });
  t.is(status, 200);
  t.like(body, { agent: 'endpoint', agent_type: null, chat_url: null });
});

test.serial('rejects an invalid value of a binding and changes no field', async (t) => {
  const gateway = await fakeGateway(t);
  const faults: [Record<string, unknown>, string][] = [
    [{}, 'agent'],
    [{ agent: 'other' }, 'agent'],
    [{ agent: 'endpoint', agent_type: 'gpt' }, 'agent_type'],
    [{ agent: 'endpoint', agent_type: 'webhook', chat_url: 'http://agent.example.com' }, 'chat_url'],
    [{ agent: 'endpoint', agent_type: 'webhook', chat_url: 'nonsense' }, 'chat_url'],
    [{ agent: 'endpoint', agent_type: 'webhook', chat_url: url, token: 'line\nbreak' }, 'token'],
    [{ agent: 'builtin', more: true }, 'more'],
  ];
  for (const [body, field] of faults) {
    const answer = await gateway.admin.put(agentPath(gateway, 'outbound'), body);
    t.is(answer.status, 400, field);
    t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
  }
  t.is((await gateway.admin.put(agentPath(gateway, 'sideways'), { agent: 'builtin' })).status, 400);
  const { body } = await gateway.admin.get(`/api/v1/admin/numbers/${gateway.number.id}`);
  t.like(body, { agents: { outbound: { agent: 'builtin', chat_url: null } } });
});

test.serial('requires a graph for an enabled LangGraph binding', async (t) => {
  const gateway = await fakeGateway(t);
  const put = (changes: object) =>
    gateway.admin.put(agentPath(gateway, 'outbound'), { ...all, agent_type: 'langgraph', ...changes });
  for (const assistant_id of [null, '', undefined]) {
    const { status, body } = await put({ assistant_id });
    t.is(status, 400);
    t.like(body, { code: 'invalid_request', errors: [{ path: 'assistant_id' }] });
  }
  const unfinished = await put({ assistant_id: null, chat_url: null });
  t.is(unfinished.status, 200, 'without a chat URL it takes no calls yet');
});

// Agent controls

test.serial('stores for each direction whether controls in replies are executed', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `/api/v1/admin/numbers/${number.id}`;
  const agent = async (direction: string, body: object) =>
    (await admin.put(`${one}/agents/${direction}`, body)).body;

  t.is((await agent('inbound', { agent: 'builtin', controls: 'inline' })).controls, 'inline');
  t.is((await agent('outbound', { agent: 'builtin' })).controls, 'off');
  const { body } = await admin.get(one);
  t.like(body, { agents: { inbound: { controls: 'inline' }, outbound: { controls: 'off' } } });
  t.is((await agent('inbound', { agent: 'builtin' })).controls, 'off');
  t.is((await agent('inbound', { agent: 'builtin', controls: 'always' })).code, 'invalid_request');
});

// Built-in agent

const builtInSettings = { model: 'large', prompt: 'The code of the door is 4711.', tools: ['hang_up'] };

test.serial(
  'stores model, instructions and tools of the built-in agent, and drops them for an endpoint',
  async (t) => {
    const gateway = await fakeGateway(t);
    const path = agentPath(gateway, 'inbound');
    const put = async (body: object) => (await gateway.admin.put(path, body)).body;
    t.like(await put({ agent: 'builtin', ...builtInSettings }), builtInSettings);
    const { body } = await gateway.admin.get(`/api/v1/admin/numbers/${gateway.number.id}`);
    t.like(body, {
      agents: { inbound: builtInSettings, outbound: { model: null, prompt: null, tools: null } },
    });
    const unset = { model: null, prompt: null, tools: null };
    t.like(await put({ agent: 'builtin', model: '', prompt: ' \n', tools: null }), unset);
    const repeated = await put({ agent: 'builtin', tools: ['transfer_call', 'hang_up', 'hang_up'] });
    t.deepEqual(repeated.tools, ['hang_up', 'transfer_call']);
    t.deepEqual((await put({ agent: 'builtin', tools: [] })).tools, []);
    const endpoint = { agent: 'endpoint', agent_type: 'webhook', chat_url: url };
    t.like(await put({ ...endpoint, ...builtInSettings }), unset);
  },
);

test.serial(
  'refuses a model that the operator does not offer, an unknown tool and long instructions',
  async (t) => {
    const gateway = await fakeGateway(t);
    const path = agentPath(gateway, 'inbound');
    t.is((await gateway.admin.put(path, { agent: 'builtin', prompt: '가'.repeat(8_000) })).status, 200);
    const faults: [object, string][] = [
      [{ model: 'huge' }, 'model'],
      [{ tools: ['send_fax'] }, 'tools.0'],
      [{ prompt: '가'.repeat(8_001) }, 'prompt'],
    ];
    for (const [fault, field] of faults) {
      const { status, body } = await gateway.admin.put(path, { agent: 'builtin', ...fault });
      t.is(status, 400, field);
      t.like(body, { code: 'invalid_request', errors: [{ path: field }] });
    }
    const engines = { ...fakeSpeech(() => undefined).engines, languageModels: [] };
    const without = await fakeGateway(t, { engines });
    const refused = await without.admin.put(agentPath(without, 'inbound'), {
      agent: 'builtin',
      model: 'small',
    });
    t.like(refused.body, {
      errors: [{ path: 'model', message: 'This gateway has no language model (GW_LLM_BASE_URL).' }],
    });
  },
);

test.serial('audits model and tools from and to, and instructions only by their length', async (t) => {
  const gateway = await fakeGateway(t);
  const path = agentPath(gateway, 'inbound');
  const changesAfter = async (body: object) => {
    await gateway.admin.put(path, { agent: 'builtin', ...body });
    const audit = await gateway.admin.get('/api/v1/admin/audit');
    t.notRegex(audit.bytes.toString(), /(?<![\w-])471[12](?![\w-])/);
    const [entry] = z
      .object({ entries: z.array(z.object({ detail: z.object({ changes: z.unknown() }) })) })
      .parse(audit.body).entries;
    return entry?.detail.changes;
  };
  const { prompt } = builtInSettings;
  t.deepEqual(await changesAfter(builtInSettings), {
    model: { from: null, to: 'large' },
    tools: { from: null, to: ['hang_up'] },
    prompt: { from: null, to: { characters: prompt.length } },
  });
  const changed = { ...builtInSettings, prompt: prompt.replace('4711', '4712') };
  t.deepEqual(await changesAfter(changed), {
    prompt: { from: { characters: prompt.length }, to: { characters: prompt.length } },
  });
  t.deepEqual(await changesAfter(changed), {});
  t.notRegex(JSON.stringify(gateway.logged), /(?<![\w-])471[12](?![\w-])/);
});

test.serial(
  'a trial of the built-in agent has the settings of its number, unless it has its own',
  async (t) => {
    const gateway = await fakeGateway(t);
    await gateway.admin.put(agentPath(gateway, 'inbound'), { agent: 'builtin', ...builtInSettings });
    const trial = { agent_type: 'builtin', say: ['Hello'] };
    const triedWith = async (body: object) => {
      t.is((await gateway.admin.post(tryAgentPath, { ...trial, ...body })).status, 200);
      return tried(gateway);
    };
    const unset = { model: null, prompt: null, tools: null };
    t.like(await triedWith({}), unset);
    t.like(await triedWith({ number_id: gateway.number.id }), builtInSettings);
    t.like(await triedWith({ number_id: gateway.number.id, direction: 'outbound' }), unset);
    const ownTools = ['press_keys'];
    t.like(await triedWith({ number_id: gateway.number.id, prompt: null, tools: ownTools }), {
      model: 'large',
      prompt: null,
      tools: ownTools,
    });
    t.like(
      await triedWith({ number_id: gateway.number.id, agent_type: 'webhook', chat_url: chatUrl }),
      unset,
    );
    const refused = await gateway.admin.post(tryAgentPath, { ...trial, model: 'huge' });
    t.like(refused.body, { code: 'invalid_request', errors: [{ path: 'model' }] });
  },
);

// Audit

test.serial('audits settings of a number from and to, and spoken texts only by name', async (t) => {
  const gateway = await fakeGateway(t);
  const path = `/api/v1/admin/numbers/${gateway.number.id}`;
  const lastDetail = async () => {
    const audit = await gateway.admin.get('/api/v1/admin/audit');
    t.notRegex(audit.bytes.toString(), /Good morning|0212345678/);
    return z.object({ entries: z.array(z.object({ detail: z.unknown() })) }).parse(audit.body).entries[0]
      ?.detail;
  };
  await gateway.admin.patch(path, {
    greeting: 'Good morning.',
    transfer_to: ['0212345678'],
    voicemail: 'hang_up',
    ring_timeout_sec: null,
  });
  t.deepEqual(await lastDetail(), {
    fields: ['greeting', 'voicemail', 'transfer_to'],
    changes: { voicemail: { from: 'talk', to: 'hang_up' } },
  });
  await gateway.admin.put(`${path}/inbound-auth`, {
    method: 'handshake',
    url: 'https://example.com/in?key=hush',
  });
  t.deepEqual(await lastDetail(), {
    changes: {
      method: { from: 'none', to: 'handshake' },
      url: { from: null, to: 'https://example.com/in?…' },
    },
  });
});

// Engines

const enginesPath = '/api/v1/admin/engines';

test.serial('lists engines in order, with the voices of those that have a list', async (t) => {
  const { admin } = await fakeGateway(t);
  const { status, body } = await admin.get(enginesPath);
  t.is(status, 200);
  t.deepEqual(body, {
    recognizers: [{ name: 'vosk' }, { name: 'deepgram' }],
    synthesizers: [
      { name: 'elevenlabs', voices: null },
      {
        name: 'espeak-ng',
        voices: [{ name: 'en-us', language: 'en-us', title: 'English (America)' }],
      },
    ],
    language_models: ['small', 'large'],
  });
});

test.serial('lists the supported languages of a recognizer if they are few', async (t) => {
  const { admin } = await fakeGateway(t, {
    engines: {
      ...fakeSpeech(() => undefined).engines,
      languagesOf: (name) => (name === 'vosk' ? ['en'] : ['ko', 'en', 'ja']),
    },
  });
  const { body } = await admin.get(enginesPath);
  t.like(body, { recognizers: [{ name: 'vosk', languages: ['en'] }, { name: 'deepgram' }] });
});

test.serial('lists an engine without voices when its voice list fails', async (t) => {
  const { admin } = await fakeGateway(t, {
    voiceSamples: {
      voicesOf: () => Promise.reject(new Error('broken')),
      speak: () => Promise.reject(new Error('broken')),
    },
  });
  const { status, body } = await admin.get(enginesPath);
  t.is(status, 200);
  t.like(body, { synthesizers: [{ name: 'elevenlabs', voices: null }, { voices: null }] });
});

test.serial('speaks a short text with a voice; the audit log does not contain the text', async (t) => {
  const { admin } = await fakeGateway(t);
  const request = { synthesizer: 'espeak-ng', voice: 'en-us+f3', language: 'en', text: 'Good morning.' };
  const { status, headers } = await admin.post(`${enginesPath}/sample`, request);
  t.is(status, 200);
  t.is(headers.get('content-type'), 'audio/wav');
  const { body } = await admin.get('/api/v1/admin/audit?limit=1');
  t.like(body, {
    entries: [
      { action: 'voice.heard', detail: { synthesizer: 'espeak-ng', voice: 'en-us+f3', language: 'en' } },
    ],
  });
  t.false(JSON.stringify(body).includes('Good morning'));
});

for (const [what, wrong, at] of [
  ['an unconfigured engine', { synthesizer: 'flite' }, 'synthesizer'],
  ['an invalid voice', { synthesizer: 'espeak-ng', voice: '--help' }, 'voice'],
  ['a voice without a synthesizer', { voice: 'en-us' }, 'voice'],
  ['a text that is too long', { text: 'a'.repeat(201) }, 'text'],
] as const) {
  test.serial(`rejects ${what}`, async (t) => {
    const { admin } = await fakeGateway(t);
    const { status, body } = await admin.post(`${enginesPath}/sample`, {
      language: 'en',
      text: 'Good morning.',
      ...wrong,
    });
    t.is(status, 400);
    t.like(body, { code: 'invalid_request', errors: [{ path: at }] });
  });
}

// Turn end
// The end-of-turn detector: available values, for a number and for its workspace.

test.serial('sets the end-of-turn detector by a mode, which must be available', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${numbersPath}/${number.id}`;
  const usual = { mode: 'pause', min_silence_ms: 200, max_silence_ms: 3_000 };
  t.like((await admin.patch(one, { turn_end: { mode: 'pause' } })).body, { turn_end: usual });
  for (const [name, value] of [
    ['min_silence_ms', 99],
    ['min_silence_ms', 1_001],
    ['max_silence_ms', 999],
    ['max_silence_ms', 10_001],
  ] as const) {
    const { status, body } = await admin.patch(one, { turn_end: { mode: 'pause', [name]: value } });
    t.is(status, 400, `${name}: ${value}`);
    t.like(body, { errors: [{ path: `turn_end.${name}` }] });
  }
  const refusedWith = async (change: Record<string, unknown>): Promise<unknown> => {
    const { status, body } = await admin.patch(one, change);
    t.is(status, 400);
    return body['errors'];
  };
  t.deepEqual(await refusedWith({ turn_end: { mode: 'model' } }), [
    {
      path: 'turn_end.mode',
      message: 'No model that hears the end of a turn is configured on this gateway (GW_TURN_MODEL).',
    },
  ]);
  const byRecognizer = { turn_end: { mode: 'recognizer' } };
  const deaf = [
    {
      path: 'turn_end.mode',
      message: 'The recognizer vosk does not tell where a turn ends; there is deepgram.',
    },
  ];
  t.deepEqual(await refusedWith({ ...byRecognizer, recognizer: 'vosk' }), deaf);
  t.is((await admin.patch(one, { recognizer: 'vosk' })).status, 200);
  t.deepEqual(await refusedWith(byRecognizer), deaf);
  t.is((await admin.patch(one, { ...byRecognizer, recognizer: 'deepgram' })).status, 200);
  t.like((await admin.get(one)).body, { turn_end: { ...usual, mode: 'recognizer' } });
  t.is(
    (await admin.post(numbersPath, { number: '07000000000', ...byRecognizer, recognizer: 'vosk' })).status,
    400,
  );
  const workspace = '/api/v1/admin/workspace';
  t.is((await admin.patch(workspace, { turn_end: { mode: 'model' } })).status, 400);
  t.like((await admin.patch(workspace, byRecognizer)).body, {
    effective: { turn_end: { mode: 'recognizer' } },
  });
});

test.serial('rejects end-of-turn by the recognizer when none supports it', async (t) => {
  const engines = {
    recognizers: ['vosk'],
    synthesizers: [],
    reportTurnEnds: [],
    turnModel: true,
    languageModels: [],
    isVoice: () => false,
  };
  const { admin, number } = await fakeGateway(t, { engines });
  const one = `${numbersPath}/${number.id}`;
  t.deepEqual((await admin.patch(one, { turn_end: { mode: 'recognizer' } })).body['errors'], [
    { path: 'turn_end.mode', message: 'No recognizer of this gateway tells where a turn ends.' },
  ]);
  t.is((await admin.patch(one, { turn_end: { mode: 'model' } })).status, 200);
});

// Try agent

const tryAgentPath = '/api/v1/admin/agents/try';
const chatUrl = 'https://agent.example.com/chat';
const basic = { agent_type: 'webhook', chat_url: chatUrl, say: ['Hello'] };

const storeToken = ({ admin, number }: FakeGateway, token: string) =>
  admin.put(`/api/v1/admin/numbers/${number.id}/agents/outbound`, {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: chatUrl,
    token,
  });

const tried = ({ asked }: FakeGateway): unknown => asked.findLast(([name]) => name === 'tryAgent')?.[1];

const auditOf = async ({ admin }: FakeGateway) => {
  const { body } = await admin.get('/api/v1/admin/audit');
  const { entries } = z.object({ entries: z.array(z.looseObject({ action: z.string() })) }).parse(body);
  return entries.find(({ action }) => action === 'agent.tried');
};

test.serial('requires type, URL and words of a trial, and has defaults for the other fields', async (t) => {
  const gateway = await fakeGateway(t);
  const { status, body } = await gateway.admin.post(tryAgentPath, basic);
  t.is(status, 200);
  t.like(body, { ok: true, agent_type: 'webhook', direction: 'inbound', turns: [] });
  t.deepEqual(tried(gateway), {
    agentType: 'webhook',
    chatUrl,
    assistantId: null,
    agentId: null,
    controls: 'off',
    model: null,
    prompt: null,
    tools: null,
    token: null,
    headers: {},
    direction: 'inbound',
    language: 'ko',
    instruction: null,
    say: ['Hello'],
  });
  t.like(await auditOf(gateway), {
    subject: `workspace:${gateway.workspaceId}`,
    detail: {
      direction: 'inbound',
      agent_type: 'webhook',
      host: 'agent.example.com',
      stored_token_used: false,
      headers: [],
      ok: true,
    },
  });
});

test.serial('accepts an outbound trial with only a kickoff', async (t) => {
  const gateway = await fakeGateway(t);
  const { status } = await gateway.admin.post(tryAgentPath, {
    agent_type: 'langgraph',
    chat_url: chatUrl,
    assistant_id: 'graph',
    direction: 'outbound',
    instruction: 'Book a table',
    language: 'en',
    token: 'given',
  });
  t.is(status, 200);
  t.like(tried(gateway), {
    agentType: 'langgraph',
    assistantId: 'graph',
    direction: 'outbound',
    instruction: 'Book a table',
    language: 'en',
    token: 'given',
    say: [],
  });
});

test.serial('uses the number and stored token of a number without returning the token', async (t) => {
  const gateway = await fakeGateway(t);
  await storeToken(gateway, 'secret-1');
  const answer = await gateway.admin.post(tryAgentPath, {
    ...basic,
    number_id: gateway.number.id,
    direction: 'outbound',
  });
  t.is(answer.status, 200);
  t.false(answer.bytes.includes('secret-'));
  t.like(tried(gateway), { token: 'secret-1', ownNumber: gateway.number.number });
  const entry = await auditOf(gateway);
  t.like(entry, { subject: `number:${gateway.number.id}`, detail: { stored_token_used: true } });
  t.false(JSON.stringify(entry).includes('secret-'));
  t.false(JSON.stringify(gateway.logged).includes('secret-'));
});

test.serial('sends the stored token of a trial only on request and only to its stored URL', async (t) => {
  const gateway = await fakeGateway(t);
  await storeToken(gateway, 'secret-1');
  const outbound = { ...basic, number_id: gateway.number.id, direction: 'outbound' };
  const tokens: [Record<string, unknown>, string | null][] = [
    [{ ...outbound, chat_url: 'https://agent.example.com/another/path' }, 'secret-1'],
    [{ ...outbound, chat_url: 'https://elsewhere.example.com/chat' }, null],
    [{ ...outbound, chat_url: 'https://agent.example.com:8443/chat' }, null],
    [{ ...outbound, direction: 'inbound' }, null],
    [{ ...outbound, token: 'given' }, 'given'],
    [{ ...outbound, token: '' }, null],
    [{ ...outbound, token: null }, null],
    [{ ...basic, direction: 'outbound' }, null],
  ];
  for (const [body, token] of tokens) {
    t.is((await gateway.admin.post(tryAgentPath, body)).status, 200);
    t.like(tried(gateway), { token }, JSON.stringify(body));
  }
});

test.serial('sends stored headers only to their own server and in their own direction', async (t) => {
  const gateway = await fakeGateway(t);
  await gateway.admin.put(agentPath(gateway, 'inbound'), {
    agent: 'endpoint',
    agent_type: 'webhook',
    chat_url: chatUrl,
    headers: { 'x-api-key': 'secret-1', 'x-route': 'secret-eu' },
  });
  const inbound = { ...basic, number_id: gateway.number.id };
  const stored = { 'x-api-key': 'secret-1', 'x-route': 'secret-eu' };
  const sent: [Record<string, unknown>, Record<string, string>][] = [
    [inbound, stored],
    [{ ...inbound, chat_url: 'https://agent.example.com/another/path' }, stored],
    [{ ...inbound, headers: {} }, stored],
    [
      { ...inbound, headers: { 'X-Api-Key': 'given', 'x-route': null, more: 'x' } },
      { 'x-api-key': 'given', more: 'x' },
    ],
    [{ ...inbound, headers: null }, {}],
    [{ ...inbound, direction: 'outbound' }, {}],
    [{ ...inbound, chat_url: 'https://elsewhere.example.com/chat' }, {}],
    [{ ...inbound, chat_url: 'https://elsewhere.example.com/chat', headers: { a: 'b' } }, { a: 'b' }],
    [{ ...basic, headers: { 'X-Api-Key': 'given' } }, { 'x-api-key': 'given' }],
  ];
  for (const [body, headers] of sent) {
    const answer = await gateway.admin.post(tryAgentPath, body);
    t.is(answer.status, 200);
    t.false(answer.bytes.includes('secret-'));
    t.like(tried(gateway), { headers }, JSON.stringify(body));
    t.like(await auditOf(gateway), { detail: { headers: Object.keys(headers).toSorted() } });
  }
  const nine = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`y-${index}`, 'v']));
  const { status, body } = await gateway.admin.post(tryAgentPath, { ...inbound, headers: nine });
  t.is(status, 400);
  t.like(body, { errors: [{ path: 'headers' }] });
  const audit = await gateway.admin.get('/api/v1/admin/audit');
  t.false(audit.bytes.includes('secret-'));
  t.false(JSON.stringify(gateway.logged).includes('secret-'));
});

test.serial('responds with 404 for numbers of other workspaces', async (t) => {
  const gateway = await fakeGateway(t);
  const { workspaceId } = await addWorkspace(gateway.database);
  const other = await addNumber({ database: gateway.database, workspaceId });
  for (const id of [other.id, randomUUID()]) {
    const { status, body } = await gateway.admin.post(tryAgentPath, { ...basic, number_id: id });
    t.is(status, 404);
    t.like(body, { code: 'number_not_found' });
  }
  t.is(tried(gateway), undefined);
});

test.serial('an invalid body sends no request to the agent', async (t) => {
  const gateway = await fakeGateway(t);
  const faults: [Record<string, unknown>, string][] = [
    [{ ...basic, agent_type: 'gpt' }, 'agent_type'],
    [{ ...basic, chat_url: 'http://agent.example.com' }, 'chat_url'],
    [{ ...basic, chat_url: '' }, 'chat_url'],
    [{ agent_type: 'webhook', chat_url: chatUrl }, 'say'],
    [{ ...basic, say: [''] }, 'say.0'],
    [{ ...basic, say: ['1', '2', '3', '4', '5', '6'] }, 'say'],
    [{ ...basic, instruction: 'Book a table' }, 'instruction'],
    [{ ...basic, language: 'de' }, 'language'],
    [{ ...basic, token: 'line\nbreak' }, 'token'],
    [{ ...basic, headers: { host: 'a' } }, 'headers.host'],
    [{ ...basic, headers: { 'x-key': 'line\nbreak' } }, 'headers.x-key'],
    [{ ...basic, number_id: 'x' }, 'number_id'],
    [{ ...basic, more: true }, 'more'],
  ];
  for (const [body, field] of faults) {
    const answer = await gateway.admin.post(tryAgentPath, body);
    t.is(answer.status, 400, field);
    t.like(answer.body, { code: 'invalid_request', errors: [{ path: field }] });
  }
  t.is(tried(gateway), undefined);
  t.is((await gateway.client.post(tryAgentPath, basic)).status, 401);
});

test.serial('tries the built-in agent without a URL, and rejects an endpoint without one', async (t) => {
  const gateway = await fakeGateway(t);
  const { status } = await gateway.admin.post(tryAgentPath, { agent_type: 'builtin', say: ['Hello'] });
  t.is(status, 200);
  t.like(tried(gateway), { agentType: 'builtin', chatUrl: null, token: null });
  t.like(await auditOf(gateway), { detail: { agent_type: 'builtin', host: null } });
  const refused = await gateway.admin.post(tryAgentPath, { agent_type: 'webhook', say: ['Hello'] });
  t.is(refused.status, 400);
  t.like(refused.body, { errors: [{ path: 'chat_url' }] });
});
