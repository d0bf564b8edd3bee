import test from 'ava';
import { listening } from '#config/policy.ts';
import { createVoiceActivity } from '#sip/listening/voice-activity.ts';
import { loadVoiceDetector, type VoiceDetector } from '#sip/listening/voice-detector.ts';
import { fromMuLaw, toMuLaw } from '#test/real-sip/mu-law.ts';
import { sayInTones } from '#test/real-sip/tone-speech.ts';

const numbers = listening.voice;
const openDetector = await loadVoiceDetector();

const silence = (milliseconds: number): Int16Array => new Int16Array(8 * milliseconds);

const noise = (milliseconds: number, loudness: number): Int16Array => {
  let seed = 1;
  return Int16Array.from({ length: 8 * milliseconds }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return (seed / 2 ** 30 - 1) * loudness;
  });
};

const hum = (milliseconds: number): Int16Array =>
  Int16Array.from(
    { length: 8 * milliseconds },
    (_, index) => 5_000 * Math.sin((2 * Math.PI * 440 * index) / 8_000),
  );

const quieter = (samples: Int16Array, factor: number): Int16Array =>
  samples.map((sample) => Math.round(sample * factor));

const sum = (samples: Int16Array, other: Int16Array): Int16Array =>
  samples.map((sample, index) => sample + (other[index] ?? 0));

const inOne = (parts: readonly Int16Array[]): Int16Array =>
  Int16Array.from(parts.flatMap((part) => [...part]));

/** When a voice is found in this sound, in milliseconds. */
const voicesIn = (
  parts: readonly Int16Array[],
  { piece = 160, agentDb = -Infinity, detector = openDetector(numbers.mode) } = {},
) => {
  const sound = fromMuLaw(toMuLaw(inOne(parts)));
  const found: { from: number; to: number | null }[] = [];
  let atMs = 0;
  const activity = createVoiceActivity({
    detector,
    numbers,
    on: {
      began: (agoMs) => found.push({ from: atMs - agoMs, to: null }),
      ended(agoMs) {
        const last = found.at(-1);
        if (last !== undefined) last.to = atMs - agoMs;
      },
    },
  });
  for (let from = 0; from < sound.length; from += piece) {
    atMs = (from + piece) / 8;
    activity.write(sound.subarray(from, from + piece), agentDb);
  }
  detector.close();
  return { found, activity };
};

const voice = sayInTones('Hello, who is there?');
const voiceMs = voice.length / 8;

test('a voice is found where it begins and ends', (t) => {
  const [only, ...others] = voicesIn([silence(1_000), voice, silence(1_000)]).found;
  t.is(others.length, 0);
  t.true(Math.abs((only?.from ?? 0) - 1_000) <= 80, `${only?.from}`);
  t.true(Math.abs((only?.to ?? 0) - 1_000 - voiceMs) <= 120, `${only?.to}`);
});

test('pieces of any size are the same sound', (t) => {
  const parts = [silence(1_000), voice, silence(1_000)];
  const { found } = voicesIn(parts);
  t.is(found.length, 1);
  // Told at the end of a longer piece, the times lie in it.
  for (const piece of [80, 240, 1_600]) {
    const [only, ...others] = voicesIn(parts, { piece }).found;
    t.is(others.length, 0);
    t.true(Math.abs((only?.from ?? 0) - (found[0]?.from ?? 0)) <= piece / 8);
  }
});

test('what is too quiet or too short is none', (t) => {
  t.deepEqual(voicesIn([silence(500), quieter(voice, 0.01), silence(500)]).found, []);
  t.deepEqual(
    voicesIn([silence(500), noise(20, 20_000), silence(500), noise(20, 20_000), silence(500)]).found,
    [],
  );
});

test('steady sound is a voice for a moment only', (t) => {
  for (const sound of [noise(5_000, 6_000), hum(5_000)]) {
    const { found } = voicesIn([silence(500), sound, silence(500)]);
    t.true(found.length <= 1);
    t.true((found[0]?.to ?? 0) - (found[0]?.from ?? 0) < 700, JSON.stringify(found));
  }
});

test('a voice stands out of noise, and its end is found in it', (t) => {
  const length = 8 * (2_000 + 2_000) + voice.length;
  const { found } = voicesIn([sum(inOne([silence(2_000), voice, silence(2_000)]), noise(length / 8, 800))]);
  const last = found.at(-1);
  t.true((found.find(({ from }) => from > 1_500)?.from ?? 0) < 2_200, JSON.stringify(found));
  t.true(Math.abs((last?.to ?? 0) - 2_000 - voiceMs) <= 300, JSON.stringify(found));
});

test('what is as quiet as an echo of the agent is none', (t) => {
  const echo = quieter(voice, 0.06);
  t.is(voicesIn([silence(500), echo, silence(500)]).found.length, 1);
  t.deepEqual(voicesIn([silence(500), echo, silence(500)], { agentDb: -15 }).found, []);
  t.is(voicesIn([silence(500), voice, silence(500)], { agentDb: -15 }).found.length, 1);
});

test('a voice ends when no sound comes any more', (t) => {
  const { found, activity } = voicesIn([silence(500), voice.subarray(0, 8_000)]);
  t.is(found[0]?.to, null);
  t.true(activity.isVoiced());
  activity.silence();
  activity.silence();
  t.false(activity.isVoiced());
  t.is(found.length, 1);
  t.not(found[0]?.to, null);
});

test('many calls have their detectors at once, and closing gives them back', (t) => {
  const detectors = Array.from({ length: 2_000 }, () => openDetector(numbers.mode));
  const [first, second] = detectors;
  const frames = sayInTones('Hello').subarray(0, 16 * 160);
  const heard = (detector: VoiceDetector | undefined): boolean[] =>
    Array.from({ length: 16 }, (_, index) =>
      detector === undefined ? false : detector.isVoice(frames.subarray(index * 160, (index + 1) * 160)),
    );
  const before = heard(first);
  t.true(before.includes(true));
  t.deepEqual(heard(second), before, 'one does not hear what the other hears');
  for (const detector of detectors) {
    detector.close();
    detector.close();
  }
  t.false(first?.isVoice(frames.subarray(0, 160)) ?? true);
});
