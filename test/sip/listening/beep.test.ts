import test from 'ava';
import { listening } from '#config/policy.ts';
import { createBeepDetector } from '#sip/listening/beep.ts';
import { loadResampler } from '#sip/resampler.ts';
import { espeakNg } from '#src/speech/espeak-ng.ts';
import { isInstalled } from '#src/speech/run-program.ts';
import { sayInTones } from '#test/real-sip/tone-speech.ts';
import { onLine, silence, tone } from './line-sound.ts';

const resample = await loadResampler();
const canSpeak = await isInstalled('espeak-ng', process.env['PATH'] ?? '');

/** When beeps were found in this sound, in milliseconds. */
const beepsIn = (sound: Int16Array, piece = 160): number[] => {
  const found: number[] = [];
  let atMs = 0;
  const detector = createBeepDetector(listening.beep, () => found.push(atMs));
  for (let from = 0; from < sound.length; from += piece) {
    atMs = (from + piece) / 8;
    detector.write(sound.subarray(from, from + piece));
  }
  return found;
};

const around = (sound: Int16Array): Int16Array => onLine(silence(500), sound, silence(500));

test('a beep is found when it is over, whatever its pitch and length, in noise, too', (t) => {
  for (const pitch of [350, 400, 440, 620, 1_000, 1_400, 2_100])
    for (const milliseconds of [160, 400, 1_000, 1_900])
      for (const noise of [0, 600]) {
        const [at, ...others] = beepsIn(around(tone(milliseconds, [pitch], { noise })));
        t.deepEqual(others, [], `${pitch} Hz for ${milliseconds} ms`);
        const lateMs = (at ?? 0) - 500 - milliseconds;
        t.true(Math.abs(lateMs) <= 80, `${pitch} Hz for ${milliseconds} ms: ${lateMs} ms late`);
      }
});

test('a quiet beep is one, what can hardly be heard is none', (t) => {
  t.is(beepsIn(around(tone(500, [1_000], { loudness: 600 }))).length, 1);
  t.is(beepsIn(around(tone(500, [1_000], { loudness: 60 }))).length, 0);
});

test('pieces of any size are the same sound', (t) => {
  const sound = around(tone(500, [1_000]));
  for (const piece of [80, 100, 240, 1_600]) t.is(beepsIn(sound, piece).length, 1);
});

const none = test.macro<[string, () => Int16Array]>({
  exec: (t, _, sound) => t.deepEqual(beepsIn(around(sound())), []),
  title: (_, what) => `${what} is no beep`,
});

test(none, 'silence', () => silence(2_000));
test(none, 'noise', () => tone(2_000, [0], { noise: 8_000 }));
test(none, 'a click', () => tone(60, [1_000]));
test(none, 'a tone that stays', () => tone(3_000, [1_000]));
test(none, 'the whistle of a fax', () => tone(3_000, [2_100]));
test(none, 'a telephone that rings', () => tone(1_000, [440, 480]));
test(none, 'a busy telephone', () => tone(500, [480, 620]));
test(none, 'a dial tone', () => tone(1_500, [350, 440]));
for (const [row, low] of [697, 770, 852, 941].entries())
  for (const [column, high] of [1_209, 1_336, 1_477, 1_633].entries())
    test(none, `the key ${'123A456B789C*0#D'[4 * row + column]}`, () => tone(300, [low, high]));
test(none, 'a fast melody of tones', () => sayInTones('Hello, who is there?'));
test(none, 'a siren', () =>
  Int16Array.from({ length: 16_000 }, (_, at) => 6_000 * Math.sin(at / 8 + at ** 2 / 2e4)),
);

const voices: readonly [string, string][] = [
  ['ko', '안녕하세요. 지금은 전화를 받을 수 없습니다. 음, 네. 오오, 우우.'],
  ['en', 'Hello? Ooh, mmm, who are you? We will call you back very soon.'],
  ['ja', 'もしもし。ううん、おおきな声でお話しください。'],
];

for (const [language, text] of voices)
  (canSpeak ? test : test.skip)(`a voice is no beep (${language})`, async (t) => {
    const { sampleRate, samples } = await espeakNg().synthesize(text, language);
    t.deepEqual(beepsIn(onLine(resample(samples, sampleRate, 8_000))), []);
  });
