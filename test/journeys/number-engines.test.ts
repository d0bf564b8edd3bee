/** Numbers that choose who speaks, through a whole gateway with two engines and the voices of simulated recordings. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { bytesOf } from '#src/domain/sample-bytes.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { finalStatuses, testGateway, type TestGateway } from '#test/helpers/gateway.ts';
import { until } from '#test/helpers/until.ts';
import { numbered } from '#test/speech/doubles/heard-events.ts';
import { sendJson, sendSound, startHttpEngine, type EngineAnswer } from '#test/speech/doubles/http-engine.ts';

const speaking = sendSound([bytesOf(numbered(8_000))]);

const startEngines = async (t: ExecutionContext, elevenLabsAnswers: EngineAnswer = speaking) => {
  const [elevenLabs, openai] = [
    await startHttpEngine(t, elevenLabsAnswers),
    await startHttpEngine(t, speaking),
  ];
  return {
    elevenLabs,
    settings: {
      GW_SYNTHESIZERS: 'elevenlabs,openai-speech',
      GW_ELEVENLABS_URL: elevenLabs.url,
      GW_ELEVENLABS_API_KEY: 'hush-hush',
      GW_ELEVENLABS_VOICE: 'usual',
      GW_SPEECH_BASE_URL: openai.url,
    },
    /** The voices that were asked for since this was asked last, each once, by engine. */
    voices() {
      const ofPath = elevenLabs.requests
        .splice(0)
        .map(({ path }) => /text-to-speech\/(.*)\/stream/.exec(path)?.[1] ?? path);
      const ofBody = openai.requests
        .splice(0)
        .map(({ body }) => z.object({ voice: z.string() }).parse(JSON.parse(String(body))).voice);
      return { elevenlabs: [...new Set(ofPath)], openai: [...new Set(ofBody)] };
    },
  };
};

/** A call with a polite callee, and what was made of its recording. */
const recordedCall = async (gateway: TestGateway, instruction: string): Promise<number> => {
  const callId = await gateway.call('01000000007', instruction);
  await gateway.untilStatus(callId, ...finalStatuses);
  return until('the recording is made', async () => {
    const { status, body } = await gateway.client.get(`/api/v1/calls/${callId}/recording`);
    return status === 409 && body['reason'] === 'pending' ? undefined : status;
  });
};

test('a number speaks with the engine and the voice that it chose, and others take over when it fails', async (t) => {
  const { elevenLabs, settings, voices } = await startEngines(t);
  const gateway = await testGateway(t, settings);
  t.is(await recordedCall(gateway, 'one'), 200);
  t.deepEqual(voices(), { elevenlabs: ['usual'], openai: [] });

  const choice = { synthesizer: 'openai-speech', voice: 'nova' };
  t.like((await gateway.admin.patch(gateway.numberPath, choice)).body, choice);
  t.is(await recordedCall(gateway, 'two'), 200);
  t.deepEqual(voices(), { elevenlabs: [], openai: ['nova'] });

  await gateway.admin.patch(gateway.numberPath, { synthesizer: 'elevenlabs', voice: 'own' });
  t.is(await recordedCall(gateway, 'three'), 200);
  t.deepEqual(voices(), { elevenlabs: ['own'], openai: [] });

  elevenLabs.close();
  t.is(await recordedCall(gateway, 'four'), 200);
  t.deepEqual(voices(), { elevenlabs: [], openai: ['alloy'] });
  t.false(gateway.logged.some((line) => line.includes('hush-hush')));
});

test('an engine that a number chose and the operator took away is missed once, and calls go on without it', async (t) => {
  const databaseUrl = await testDatabaseUrl(t);
  const dataFolder = await mkdtemp(join(tmpdir(), 'trunkline-engines-'));
  t.teardown(() => rm(dataFolder, { recursive: true, force: true }));
  const { settings, voices } = await startEngines(t, sendJson({}, 503));
  const kept = { ...settings, GW_DATABASE_URL: databaseUrl, GW_DATA_DIR: dataFolder };
  const before = await testGateway(t, kept);
  await before.admin.patch(before.numberPath, { synthesizer: 'elevenlabs', voice: 'own' });
  await before.close();

  const after = await testGateway(t, { ...kept, GW_SYNTHESIZERS: 'openai-speech' });
  t.like((await after.admin.get(after.numberPath)).body, { synthesizer: 'elevenlabs', voice: 'own' });
  t.is(await recordedCall(after, 'one'), 200);
  t.is(await recordedCall(after, 'two'), 200);
  t.deepEqual(voices(), { elevenlabs: [], openai: ['alloy'] });
  t.is(after.logged.filter((line) => line.includes('is not configured any more')).length, 1);
  t.deepEqual((await after.admin.patch(after.numberPath, { synthesizer: 'elevenlabs' })).body['errors'], [
    {
      path: 'synthesizer',
      message: 'This synthesizer is not configured on this gateway; there is openai-speech.',
    },
  ]);
});
