import { randomUUID } from 'node:crypto';
import test from 'ava';
import { z } from 'zod';
import { addWorkspace, fakeGateway } from './fake-gateway.ts';

const path = '/api/v1/admin/numbers';
const withId = z.object({ id: z.string() });

const builtin = {
  agent: 'builtin',
  agent_type: null,
  chat_url: null,
  assistant_id: null,
  agent_id: null,
  controls: 'off',
  token_configured: false,
};

test('a number begins with the built-in agent, no key and the policy of others', async (t) => {
  const { admin } = await fakeGateway(t);
  const digits = `0311${String(process.pid % 1_000_000).padStart(6, '0')}`;
  const { status, body } = await admin.post(path, { number: `${digits.slice(0, 4)}-${digits.slice(4)}` });
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
  t.deepEqual((await admin.get(`${path}/${withId.parse(body).id}`)).body, body);

  const taken = await admin.post(path, { number: digits });
  t.is(taken.status, 409);
  t.is(taken.body.code, 'number_taken');
});

test('the numbers of the workspace are listed, and no others', async (t) => {
  const { admin, database, number } = await fakeGateway(t);
  const { body } = await admin.get(path);
  t.deepEqual(
    z
      .object({ numbers: z.array(withId) })
      .parse(body)
      .numbers.map(({ id }) => id),
    [number.id],
  );
  const { adminToken } = await addWorkspace(database);
  t.deepEqual((await admin.as(adminToken).get(path)).body, { numbers: [] });
});

test('a number of another workspace does not exist', async (t) => {
  const { admin, database, number } = await fakeGateway(t);
  const stranger = admin.as((await addWorkspace(database)).adminToken);
  const id = number.id;
  const answers = [
    await stranger.get(`${path}/${id}`),
    await stranger.patch(`${path}/${id}`, { greeting: 'Hello.' }),
    await stranger.put(`${path}/${id}/agents/inbound`, { agent: 'builtin' }),
    await stranger.put(`${path}/${id}/inbound-auth`, { method: 'none' }),
    await stranger.post(`${path}/${id}/key`),
    await stranger.get(`${path}/${id}/key`),
    await admin.get(`${path}/${randomUUID()}`),
    await admin.get(`${path}/nonsense`),
  ];
  for (const { status, body } of answers) {
    t.is(status, 404);
    t.is(body.code, 'number_not_found');
  }
  t.is((await admin.get(`${path}/${id}`)).body.greeting, null);
});

test('what is given is changed, null falls back, the rest stays', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${path}/${number.id}`;
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

test('how the agent is interrupted is given by a mode; numbers that are not named are the usual ones', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${path}/${number.id}`;
  const usual = { mode: 'pause', onset_ms: 80, speech_ms: 600, resume_ms: 500 };
  t.like((await admin.patch(one, { barge_in: { mode: 'pause' } })).body, { barge_in: usual });
  const changes = { mode: 'stop', onset_ms: 60, speech_ms: 3_000 };
  t.like((await admin.patch(one, { barge_in: changes })).body, { barge_in: { ...changes, resume_ms: 500 } });
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

test('what is out of bounds, or does not exist, changes nothing', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${path}/${number.id}`;
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

test('a new number must be one', async (t) => {
  const { admin } = await fakeGateway(t);
  for (const number of ['+82212345678', '12', 'abc', '']) {
    const { status, body } = await admin.post(path, { number });
    t.is(status, 400, number);
    t.like(body, { code: 'invalid_request', errors: [{ path: 'number' }] });
  }
  t.is((await admin.post(path, {})).status, 400);
});

test('a number chooses engines and a voice among those that are configured', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${path}/${number.id}`;
  const choice = { recognizer: 'deepgram', synthesizer: 'espeak-ng', voice: 'en-us+f3' };
  t.like((await admin.patch(one, choice)).body, choice);
  t.like((await admin.get(one)).body, choice);
  t.like((await admin.patch(one, { greeting: 'Hello.' })).body, choice);
  t.like((await admin.patch(one, { recognizer: null })).body, { ...choice, recognizer: null });
  const digits = `0312${String(process.pid % 1_000_000).padStart(6, '0')}`;
  t.like((await admin.post(path, { number: digits, ...choice })).body, { number: digits, ...choice });
});

test('a voice goes with its synthesizer', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${path}/${number.id}`;
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

test('what is not configured, and a voice that nobody could have, is refused with what there is', async (t) => {
  const { admin, number } = await fakeGateway(t);
  const one = `${path}/${number.id}`;
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

test('where no engine is configured, none can be chosen', async (t) => {
  const engines = {
    recognizers: [],
    synthesizers: [],
    tellTurnEnds: [],
    turnModel: false,
    isVoice: () => false,
  };
  const { admin, number } = await fakeGateway(t, { engines });
  t.deepEqual((await admin.patch(`${path}/${number.id}`, { recognizer: 'vosk' })).body['errors'], [
    { path: 'recognizer', message: 'No recognizer is configured on this gateway.' },
  ]);
});
