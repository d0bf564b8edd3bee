import { existsSync } from 'node:fs';
import test from 'ava';
import type { Synthesizer } from '#sip/speech.ts';
import { EngineFailure, VoiceRefused } from '#src/speech/engine-failure.ts';
import { espeakNg } from '#src/speech/espeak-ng.ts';
import { espeakVoices } from '#src/speech/espeak-voices.ts';
import { readWav } from '#src/speech/read-wav.ts';
import { createVoiceSamples } from '#src/speech/voice-samples.ts';

const request = { synthesizer: null, voice: null, language: 'en', text: 'Good morning.' };

const samplesOf = (synthesize: Synthesizer['synthesize']) =>
  createVoiceSamples([{ name: 'engine', speakingWith: () => ({ name: 'engine', synthesize }) }]);

test('what fails is told by its field, or by the name of its engine', async (t) => {
  const failing = (error: Error) =>
    samplesOf(async () => {
      throw error;
    }).speak(request);
  await t.throwsAsync(failing(new VoiceRefused('engine', null)), {
    name: 'Refusal',
    code: 'invalid_request',
  });
  await t.throwsAsync(failing(new EngineFailure('engine answered with HTTP 500')), {
    name: 'Refusal',
    code: 'service_unavailable',
    message: 'engine answered with HTTP 500.',
  });
  await t.throwsAsync(failing(new Error('broken')), { name: 'Error', message: 'broken' });
});

test('two are spoken at once, and a third when one of them is over', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { speak } = samplesOf(async () => {
    await promise;
    return { sampleRate: 8_000, samples: new Int16Array(4) };
  });
  const both = [speak(request), speak(request)];
  await t.throwsAsync(speak(request), { name: 'Refusal', code: 'over_capacity' });
  resolve();
  t.deepEqual(
    (await Promise.all(both)).map((wav) => readWav(wav).samples.length),
    [4, 4],
  );
  t.is(readWav(await speak(request)).sampleRate, 8_000);
});

test('an engine tells its voices or does not', async (t) => {
  const { voicesOf } = samplesOf(() => Promise.reject(new Error('unused')));
  t.is(await voicesOf('engine'), null);
  t.is(await voicesOf('another'), null);
});

const hasEspeak = existsSync('/usr/bin/espeak-ng');

(hasEspeak ? test : test.skip)('each voice that espeak-ng tells of speaks', async (t) => {
  const voices = await espeakVoices();
  t.true(voices.some(({ name, title }) => name === 'ko' && title === 'Korean'));
  t.true(voices.some(({ name }) => name === 'en-us'));
  t.deepEqual(
    voices.filter(({ language }) => !/^(ko|en|ja)(-|$)/.test(language)),
    [],
  );
  const { speak } = createVoiceSamples([{ name: 'espeak-ng', speakingWith: espeakNg, voices: espeakVoices }]);
  for (const { name, language } of voices) {
    const { samples } = readWav(await speak({ ...request, synthesizer: 'espeak-ng', voice: name, language }));
    t.true(
      samples.some((sample) => Math.abs(sample) > 1_000),
      name,
    );
  }
});
