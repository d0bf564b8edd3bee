/** Where a voice over the agent's has its onset, and what comes of it. */
import test from 'ava';
import { listening } from '#config/policy.ts';
import { createLineTime } from '#sip/line-time.ts';
import { createOnsets } from '#sip/listening/onsets.ts';
import { createSpeechMeter } from '#sip/listening/speech-meter.ts';
import { bargeInSounds } from '#test/barge-in-sounds/sounds.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { pausing, stopping } from '#test/helpers/usual-barge-in.ts';

const numbers = listening.onsets;
const frameLength = 160;

/** Eight hundred milliseconds of words. */
const words = bargeInSounds()
  .find(({ text }) => text === 'Can you say that again?')
  ?.samples.subarray(0, 6_400);
const hush = new Int16Array(6_400).map((_, index) => (index * 7_919) % 997);

const framesOf = (samples: Int16Array): Int16Array[] =>
  Array.from({ length: samples.length / frameLength }, (_, index) =>
    samples.subarray(index * frameLength, (index + 1) * frameLength),
  );

const createWorld = ({ bargeIn = pausing, isAudible = true, early = false } = {}) => {
  const clock = createOrderedClock();
  const begunAt = clock.now();
  const story: [string, number][] = [];
  const tell = (what: string) => () => void story.push([what, clock.now() - begunAt]);
  const onsets = createOnsets({
    numbers,
    bargeIn,
    begunMs: 60,
    time: createLineTime(clock, 1),
    isAgentAudible: () => isAudible,
    givesWordsEarly: () => early,
    on: { onset: tell('onset'), noSpeech: tell('no speech'), speechLasts: tell('speech') },
  });
  return {
    clock,
    story,
    onsets,
    /** A voice of so many milliseconds, which is told 60 ms behind its beginning. */
    voice(sound: Int16Array, milliseconds: number): void {
      clock.advance(60);
      onsets.voiceBegan();
      for (const frame of framesOf(sound.subarray(320, milliseconds * 8))) {
        onsets.sounds(frame);
        clock.advance(20);
      }
    },
  };
};

test('an onset is told when a voice has lasted for so long, over the agent alone, and where it pauses', (t) => {
  const { voice, story } = createWorld();
  voice(hush, 400);
  t.deepEqual(story, [['onset', 80]]);
  const later = createWorld({ bargeIn: { ...pausing, onsetMs: 200 } });
  later.voice(hush, 400);
  t.deepEqual(later.story, [['onset', 200]]);
  for (const world of [createWorld({ isAudible: false }), createWorld({ bargeIn: stopping })]) {
    world.voice(hush, 400);
    t.deepEqual(world.story, []);
  }
});

test('what is shorter than an onset is none', (t) => {
  const { voice, onsets, story, clock } = createWorld();
  voice(hush, 60);
  onsets.voiceEnded();
  clock.advance(10_000);
  t.deepEqual(story, []);
  t.is(clock.pending(), 0);
});

test('silence for so long behind it says that it was nothing; a voice in between begins it anew', (t) => {
  const { voice, onsets, story, clock } = createWorld();
  voice(hush, 200);
  onsets.voiceEnded();
  clock.advance(pausing.resumeMs - 1);
  onsets.voiceBegan();
  clock.advance(200);
  onsets.voiceEnded();
  clock.advance(pausing.resumeMs - 1);
  t.is(story.length, 1);
  clock.advance(1);
  t.is(story[1]?.[0], 'no speech');
  t.is(clock.pending(), 0);
});

test('what is no speech holds the agent up for so long, and no longer', (t) => {
  const { voice, story, clock } = createWorld();
  voice(hush, 800);
  clock.advance(20_000);
  t.deepEqual(story, [
    ['onset', 80],
    ['no speech', 80 + numbers.longestMs],
  ]);
});

test('a backchannel that was heard is nothing at once; speech is told of no more', (t) => {
  const murmured = createWorld();
  murmured.voice(hush, 200);
  murmured.onsets.voiceEnded();
  murmured.onsets.backchannel();
  t.deepEqual(
    murmured.story.map(([what]) => what),
    ['onset', 'no speech'],
  );
  const spoken = createWorld();
  spoken.voice(hush, 200);
  spoken.onsets.speech();
  spoken.onsets.voiceEnded();
  spoken.onsets.backchannel();
  spoken.clock.advance(20_000);
  t.deepEqual(
    spoken.story.map(([what]) => what),
    ['onset'],
  );
  const ended = createWorld();
  ended.voice(hush, 200);
  ended.onsets.stop();
  ended.clock.advance(20_000);
  t.deepEqual(
    ended.story.map(([what]) => what),
    ['onset'],
  );
});

test('what sounds like speech for so long is told, and noise is not', (t) => {
  if (words === undefined) throw new Error('The words are gone');
  const { voice, story } = createWorld();
  voice(words, 800);
  t.is(story[1]?.[0], 'speech');
  t.true((story[1]?.[1] ?? 0) >= pausing.speechMs && (story[1]?.[1] ?? 0) <= pausing.speechMs + 100);
  const noise = createWorld();
  noise.voice(hush, 800);
  t.deepEqual(noise.story, [['onset', 80]]);
});

test('where words come late, what sounded like speech is waited for longer', (t) => {
  if (words === undefined) throw new Error('The words are gone');
  for (const [early, sound, waitMs] of [
    [false, words, numbers.lateWordsMs],
    [true, words, pausing.resumeMs],
    [false, hush, pausing.resumeMs],
  ] as const) {
    const { voice, onsets, story, clock } = createWorld({ early });
    voice(sound, 560);
    const endedMs = 580;
    onsets.voiceEnded();
    clock.advance(20_000);
    t.is(story[1]?.[0], 'no speech');
    t.true(Math.abs((story[1]?.[1] ?? 0) - endedMs - waitMs) <= 20, `${story[1]?.[1]} ms`);
  }
});

test('speech has a pitch most of the time; noise has none, and a tone is all pitch', (t) => {
  const soundsLikeSpeech = (samples: Int16Array): boolean => {
    const meter = createSpeechMeter(numbers);
    for (const frame of framesOf(samples)) meter.add(frame);
    return meter.soundsLikeSpeech();
  };
  if (words === undefined) throw new Error('The words are gone');
  t.true(soundsLikeSpeech(words));
  t.false(soundsLikeSpeech(hush));
  const tone = Int16Array.from(
    { length: 6_400 },
    (_, index) => 8_000 * Math.sin((2 * Math.PI * 440 * index) / 8_000),
  );
  t.false(soundsLikeSpeech(tone));
  const meter = createSpeechMeter(numbers);
  for (const frame of framesOf(words)) meter.add(frame);
  meter.reset();
  t.is(meter.voicedMs(), 0);
});
