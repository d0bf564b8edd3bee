/** The engines where they are installed, and what they are given where they are not. */
import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Audio } from '#sip/speech.ts';
import { espeakNg } from '#src/speech/espeak-ng.ts';
import { flite } from '#src/speech/flite.ts';

const isInstalled = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

const isSpeech = ({ sampleRate, samples }: Audio): boolean =>
  samples.length / sampleRate > 0.5 &&
  samples.length / sampleRate < 20 &&
  samples.some((sample) => sample > 1_000);

const whereInstalled = (program: string) => (isInstalled(program) ? test.serial : test.skip);

whereInstalled('espeak-ng')('espeak-ng speaks Korean, English and Japanese', async (t) => {
  t.true(isSpeech(await espeakNg().synthesize('안녕하세요, 반갑습니다.', 'ko')));
  t.true(isSpeech(await espeakNg().synthesize('Hello, how are you?', 'en-GB')));
  t.true(isSpeech(await espeakNg().synthesize('こんにちは、げんきですか。', 'ja')));
});

whereInstalled('espeak-ng')('espeak-ng fails where it has no voice, without the text', async (t) => {
  const error = await t.throwsAsync(espeakNg().synthesize('a secret', 'xx'));
  t.false(error.message.includes('secret'));
});

whereInstalled('espeak-ng')('espeak-ng takes every text for words', async (t) => {
  t.is((await espeakNg().synthesize('', 'en')).samples.length, 0);
  const { samples } = await espeakNg().synthesize('-w file', 'en');
  t.true(samples.length > 0);
  const whole = (await espeakNg().synthesize('one two three', 'en')).samples.length;
  t.true((await espeakNg().synthesize('one\0two three', 'en')).samples.length > whole * 0.8);
  const sounds = (await espeakNg().synthesize('[[h@l@U]]', 'en')).samples.length;
  t.true(sounds > (await espeakNg().synthesize('hello', 'en')).samples.length);
});

whereInstalled('flite')('flite speaks English and leaves no file behind', async (t) => {
  // Others speak and listen at the same time.
  const own = await mkdtemp(join(tmpdir(), 'trunkline-voices-'));
  const usual = process.env['TMPDIR'];
  process.env['TMPDIR'] = own;
  t.teardown(async () => {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
    await rm(own, { recursive: true, force: true });
  });
  const folders = async () => (await readdir(own)).filter((name) => name.startsWith('trunkline-speech-'));
  t.true(isSpeech(await flite().synthesize('Hello, how are you? I am well.', 'en')));
  t.deepEqual(await folders(), []);
});

/** A program that notes its arguments and speaks nothing. */
const stub = async (t: ExecutionContext, program: string): Promise<() => Promise<string>> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-voices-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const seen = join(folder, 'arguments');
  await writeFile(join(folder, program), `#!/bin/sh\necho "$@" > ${seen}\n`);
  await chmod(join(folder, program), 0o755);
  const path = process.env['PATH'];
  process.env['PATH'] = `${folder}:${path}`;
  t.teardown(() => (process.env['PATH'] = path));
  return () => readFile(seen, 'utf8');
};

test.serial('the text is no argument, and no language but a language is one', async (t) => {
  const seen = await stub(t, 'espeak-ng');
  for (const language of ['en', '--path=/', '', 'ko-KR', 'e n'])
    await espeakNg().synthesize('secret', language);
  t.is((await seen()).trim(), '-v en-us -b 1 --stdin --stdout');
  await espeakNg().synthesize('secret', 'ko-KR');
  t.is((await seen()).trim(), '-v ko -b 1 --stdin --stdout');
});

whereInstalled('espeak-ng')(
  'espeak-ng speaks with a voice that was chosen, and refuses one that is none',
  async (t) => {
    const usual = await espeakNg().synthesize('Hello, how are you?', 'en');
    const chosen = await espeakNg('en-us+f3').synthesize('Hello, how are you?', 'en');
    t.true(isSpeech(chosen));
    t.notDeepEqual(chosen.samples, usual.samples);
    await t.throwsAsync(espeakNg('nobody').synthesize('a secret', 'en'), {
      name: 'VoiceRefused',
      message: 'espeak-ng did not speak with a chosen voice: espeak-ng ended with code 1',
    });
  },
);

test.serial('a voice that was chosen takes the place of the one of the language', async (t) => {
  const seen = await stub(t, 'espeak-ng');
  await espeakNg('en-us+f3').synthesize('secret', 'ko');
  t.is((await seen()).trim(), '-v en-us+f3 -b 1 --stdin --stdout');
});

test.serial('the text is no argument of flite', async (t) => {
  const seen = await stub(t, 'flite');
  await t.throwsAsync(flite().synthesize('secret', 'en'));
  t.regex(await seen(), /^-voice kal16 -f - -o \S+\/speech\.wav$/m);
});
