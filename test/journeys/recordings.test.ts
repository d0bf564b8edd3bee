/** Recordings of whole calls on the simulated line, in the data folder and in a store, and the erasure of calls. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { sendReply, startAgentServer } from '#test/helpers/agent-server.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { everyRow } from '#test/helpers/every-row.ts';
import { type TestGateway, finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { startWebhookReceiver } from '#test/helpers/webhook-receiver.ts';
import { readOggVorbis } from '#test/recordings/ogg-vorbis.ts';
import { type S3Server, startS3Server } from '#test/recordings/s3-server.ts';

// Recordings

const recordingOf = async ({ client }: TestGateway, callId: string) => {
  const { body } = await client.get(`/api/v1/calls/${callId}`);
  return z.object({ status: z.string(), paused: z.boolean() }).loose().parse(body['recording']);
};

const download = ({ client }: TestGateway, callId: string, headers: Record<string, string> = {}) =>
  client.get(`/api/v1/calls/${callId}/recording`, headers);

const completed = (gateway: TestGateway, callId: string) =>
  until('the recording is completed', async () =>
    (await recordingOf(gateway, callId)).status === 'completed' ? true : undefined,
  );

/** Recordings with audio. */
const audible = { GW_RECORDINGS_FORMAT: 'ogg' };

const storeSettings = (server: S3Server): Record<string, string> => ({
  ...audible,
  GW_RECORDINGS_S3_ENDPOINT: server.endpoint,
  GW_RECORDINGS_S3_BUCKET: server.bucket,
  GW_RECORDINGS_S3_REGION: server.region,
  GW_RECORDINGS_S3_ACCESS_KEY: server.accessKey,
  GW_RECORDINGS_S3_SECRET_KEY: server.secretKey,
  GW_RECORDINGS_S3_PREFIX: 'gateway-1',
});

const dataFolder = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-journey-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const recordedFiles = async (folder: string): Promise<string[]> =>
  (await readdir(join(folder, 'recordings'), { recursive: true })).filter((name) => name.includes('.'));

test.serial(
  'a paused recording contains no audio of the pause, and all other audio at its original time',
  async (t) => {
    // Runs in real time: at a higher speed, the clock of the call depends on the load of the machine.
    const gateway = await testGateway(t, { ...audible, GW_SIMULATOR_SPEED: '1' });
    const { client, admin } = gateway;
    const sentence = 'The number of your card is one two three four.';
    const server = await startAgentServer(sendReply(Array.from({ length: 80 }, () => sentence).join(' ')));
    t.teardown(server.close);
    await admin.put(`${gateway.numberPath}/agents/outbound`, {
      agent: 'endpoint',
      agent_type: 'webhook',
      chat_url: server.url,
    });
    const callId = await gateway.call('01000000006');
    const path = `/api/v1/calls/${callId}/recording`;
    const call = await gateway.untilStatus(callId, 'active');
    const answeredAt = Date.parse(z.string().parse(call['answered_at']));
    const sinceAnswer = (): number => (Date.now() - answeredAt) / 1_000;
    await until('some of it was said', () => (sinceAnswer() > 4 ? true : undefined));

    const before = sinceAnswer();
    const paused = await client.post(`${path}/pause`);
    t.is(paused.status, 200);
    t.deepEqual(paused.body, { call_id: callId, recording: { paused: true } });
    const from = sinceAnswer();
    t.is((await client.post(`${path}/pause`)).status, 200, 'twice is once');
    await until('the record says so', async () =>
      (await recordingOf(gateway, callId)).paused ? true : undefined,
    );
    t.is((await download(gateway, callId)).body['reason'], 'pending');
    await until('some of it was not to be kept', () => (sinceAnswer() > from + 6 ? true : undefined));
    const to = sinceAnswer();
    t.is((await client.post(`${path}/resume`)).status, 200);
    const after = sinceAnswer();
    await until('the record says so', async () =>
      (await recordingOf(gateway, callId)).paused ? undefined : true,
    );

    await until('some more was said', () => (sinceAnswer() > after + 6 ? true : undefined));
    await client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true });
    await gateway.untilStatus(callId, ...finalStatuses);
    await completed(gateway, callId);
    t.is((await client.post(`${path}/pause`)).body['code'], 'call_not_active');
    const { blocks, seconds } = readOggVorbis((await download(gateway, callId)).bytes);
    const sounds = blocks.filter(({ left, right }) => left || right === true).map(({ at }) => at);
    // The agent speaks all the time, so that the pause is the longest silence.
    const silences = sounds.map((at, index) => ({ at, lasts: (sounds[index + 1] ?? at) - at }));
    const longest = silences.reduce((most, each) => (each.lasts > most.lasts ? each : most));
    t.log({ before, from, to, after, seconds, longest });
    t.true(longest.lasts > to - from - 0.3);
    // Each change happened between its request and its response; the rest is between sentences.
    t.true(longest.at > before - 3 && longest.at < from + 3);
    t.true(
      sounds.some((at) => at > after),
      'it is recorded again',
    );
    t.true(seconds > after + 3);
  },
);

test.serial('a call without recording has no file and rejects a pause', async (t) => {
  const gateway = await testGateway(t, audible);
  const busy = await gateway.call('01000000003');
  await gateway.untilStatus(busy, 'no_answer');
  t.like(await recordingOf(gateway, busy), { status: 'none', paused: false, truncated: false });
  t.is((await download(gateway, busy)).body['reason'], 'none');

  const talking = { recording_enabled: false, silence_timeout_sec: 600 };
  t.is((await gateway.admin.patch(gateway.numberPath, talking)).status, 200);
  const unrecorded = await gateway.call('01000000006');
  t.is((await download(gateway, unrecorded)).body['reason'], 'none', 'while it rings');
  await gateway.untilStatus(unrecorded, 'active');
  t.is((await download(gateway, unrecorded)).body['reason'], 'none', 'while it lasts');
  for (const verb of ['pause', 'resume']) {
    const { status, body } = await gateway.client.post(`/api/v1/calls/${unrecorded}/recording/${verb}`);
    t.is(status, 409);
    t.like(body, { code: 'recording_not_available', reason: 'none' });
  }
  await gateway.client.post(`/api/v1/calls/${unrecorded}/hangup`, { immediate: true });
  await gateway.untilStatus(unrecorded, ...finalStatuses);
  t.is((await download(gateway, unrecorded)).body['reason'], 'none', 'when it is over');
});

test.serial(
  'moves a recording to the object store and reads it from there, completely and in ranges',
  async (t) => {
    const server = await startS3Server(t);
    const folder = await dataFolder(t);
    const gateway = await testGateway(t, { ...storeSettings(server), GW_DATA_DIR: folder });
    server.misbehave(() => ({ status: 503, body: 'SlowDown hush-hush' }));
    const callId = await gateway.call('01000000007');
    await gateway.untilStatus(callId, ...finalStatuses);
    await until('the store was asked', () => (server.seen.length > 0 ? true : undefined));
    t.is((await recordingOf(gateway, callId)).status, 'pending');
    t.is((await download(gateway, callId)).body['reason'], 'pending');
    server.misbehave(() => undefined);
    await completed(gateway, callId);
    await until('the local file is gone', async () =>
      (await recordedFiles(folder)).length === 0 ? true : undefined,
    );
    const [[key, object] = ['', undefined]] = server.objects;
    t.regex(key, new RegExp(`^gateway-1/\\d{4}-\\d{2}/${callId}\\.ogg$`));
    if (object === undefined) throw new Error('Nothing is in the store');
    const { bytes, contentType } = object;
    t.is(contentType, 'audio/ogg');

    const whole = await download(gateway, callId);
    t.is(whole.status, 200);
    t.deepEqual(whole.bytes, bytes);
    const part = await download(gateway, callId, { range: 'bytes=100-199' });
    t.is(part.status, 206);
    t.is(part.headers.get('content-range'), `bytes 100-199/${bytes.length}`);
    t.deepEqual(part.bytes, bytes.subarray(100, 200));
    const outside = await download(gateway, callId, { range: `bytes=${bytes.length}-` });
    t.is(outside.status, 416);
    t.is(outside.headers.get('content-range'), `bytes */${bytes.length}`);

    for (const how of [{ status: 500, body: 'hush-hush' }, 'disconnects'] as const) {
      server.misbehave(() => how);
      const away = await download(gateway, callId);
      t.is(away.status, 503);
      t.is(away.body['code'], 'service_unavailable');
      t.truthy(away.headers.get('retry-after'));
      t.notRegex(away.bytes.toString(), /hush|S3/i);
    }
    server.misbehave(() => 'breaks off');
    await t.throwsAsync(download(gateway, callId), undefined, 'a part is not the whole');
    t.notRegex(gateway.logged.join('\n'), /hush/);
  },
);

test.serial('uploads recordings after a restart that were waiting for the object store', async (t) => {
  const server = await startS3Server(t);
  const settings = {
    ...storeSettings(server),
    GW_DATA_DIR: await dataFolder(t),
    GW_DATABASE_URL: await testDatabaseUrl(t),
  };
  server.misbehave(() => 'stalls');
  const before = await testGateway(t, settings);
  const callId = await before.call('01000000007');
  await before.untilStatus(callId, ...finalStatuses);
  await until('the store was asked', () => (server.seen.length > 0 ? true : undefined));
  t.is((await recordingOf(before, callId)).status, 'pending');
  await before.close();

  server.misbehave(() => undefined);
  const after = await testGateway(t, settings);
  await completed(after, callId);
  t.true(readOggVorbis((await download(after, callId)).bytes).isWhole);
  t.is(server.objects.size, 1);
});

test.serial('records into MP3 files when configured', async (t) => {
  const gateway = await testGateway(t, { GW_RECORDINGS_FORMAT: 'mp3' });
  const callId = await gateway.call('01000000007');
  await gateway.untilStatus(callId, ...finalStatuses);
  await completed(gateway, callId);
  const { headers, bytes } = await download(gateway, callId);
  t.is(headers.get('content-type'), 'audio/mpeg');
  // MPEG 2 layer III: eleven bits of ones, version, layer.
  t.is(bytes.readUInt16BE(0) & 0xff_fe, 0xff_f2);
  t.like(await recordingOf(gateway, callId), { content_type: 'audio/mpeg' });
});

// Erasure

const caller = '01098765432';

/** Data of a call that is stored nowhere else. */
const traces = new RegExp(`quokka|wombat|numbat|${caller}`, 'i');

/** All stored data, except the callee's script and its audit log entry, which belong to no call. */
const stored = async (databaseUrl: string): Promise<string> =>
  (await everyRow(databaseUrl, ['simulated_callee'])).replaceAll(`callee:${caller}`, '');

const place = async (gateway: TestGateway): Promise<string> => {
  await gateway.admin.put(`/api/v1/admin/simulator/callees/${caller}`, {
    script: [{ say: 'A quokka, please.' }, { listen: true }, { digits: '9876' }, { hang_up: true }],
  });
  const { body } = await gateway.client.post('/api/v1/calls', {
    to: caller,
    instruction: 'Sell the wombat.',
    metadata: { animal: 'numbat' },
  });
  return z.uuid().parse(body['call_id']);
};

const untilSummarized = (gateway: TestGateway, callId: string) =>
  until('the call is summarized and its recording is kept', async () => {
    const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
    const { status } = z.object({ status: z.string() }).parse(body['recording']);
    return body['summary'] !== null && status === 'completed' ? body : undefined;
  });

const told = z.object({
  events: z.array(z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) })),
});

const digitsOf = async (gateway: TestGateway, callId: string) =>
  told
    .parse((await gateway.client.get(`/api/v1/calls/${callId}/events`)).body)
    .events.filter(({ type }) => type === 'turn.digit')
    .map(({ data }) => data['digit']);

const start = async (t: ExecutionContext) => {
  const databaseUrl = await testDatabaseUrl(t);
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '20', GW_DATABASE_URL: databaseUrl });
  return { gateway, databaseUrl };
};

test.serial('keeps times and end of an erased call, but no data about the other party', async (t) => {
  const { gateway, databaseUrl } = await start(t);
  const receiver = await startWebhookReceiver();
  t.teardown(receiver.close);
  const { body: endpoint } = await gateway.admin.post('/api/v1/admin/webhooks', { url: receiver.url });
  receiver.trust(z.string().parse(endpoint['secret']));
  const callId = await place(gateway);
  const before = await untilSummarized(gateway, callId);
  const path = `/api/v1/admin/calls/${callId}`;
  t.regex(await stored(databaseUrl), traces);
  t.deepEqual(await digitsOf(gateway, callId), ['9', '8', '7', '6']);

  t.is((await gateway.admin.delete(path)).status, 204);

  const { body: after } = await gateway.admin.get(path);
  t.like(after, {
    counterparty: '32',
    to: '32',
    instruction: null,
    summary: null,
    recording: { status: 'erased' },
    status: before['status'],
    end_reason: before['end_reason'],
    duration_sec: before['duration_sec'],
    started_at: before['started_at'],
  });
  t.false('metadata' in after);
  t.is(after['erased_at'], after['words_erased_at']);
  t.deepEqual((await gateway.admin.get(`${path}/transcript`)).body['transcript'], []);
  t.like((await gateway.admin.get(`${path}/recording`)).body, {
    code: 'recording_not_available',
    reason: 'erased',
  });
  t.is((await gateway.admin.get(`${path}/replay`)).status, 200);
  t.notRegex(await stored(databaseUrl), traces);
  t.deepEqual(await digitsOf(gateway, callId), ['•', '•', '•', '•']);
  const event = await until('its event has come', () =>
    receiver.received
      .map(({ rawBody }) => z.looseObject({ type: z.string() }).parse(JSON.parse(rawBody)))
      .find(({ type }) => type === 'call.erased'),
  );
  t.notRegex(JSON.stringify(event), traces);
  t.like(event, { call: { id: callId, to: '32' } });
  t.like((await gateway.admin.get('/api/v1/admin/audit')).body, {
    entries: [{ action: 'call.erased', subject: `call:${callId}` }],
  });
  for (const q of ['quokka', 'wombat', '9876'])
    t.deepEqual((await gateway.admin.get(`/api/v1/admin/calls?q=${q}`)).body['calls'], [], q);

  t.is((await gateway.admin.delete(path)).status, 204, 'once more');
  t.like((await gateway.admin.get(path)).body, { erased_at: after['erased_at'] });
});
