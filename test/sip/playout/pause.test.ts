/** The agent's voice pauses, and goes on with the word that was broken off. */
import test from 'ava';
import { pino } from 'pino';
import { createPlayout } from '#sip/playout/playout.ts';
import type { Played } from '#sip/line-reports.ts';
import { placeToResume } from '#sip/playout/resume-place.ts';
import type { Speak } from '#sip/playout/synthesis.ts';
import { createLineTime } from '#sip/line-time.ts';
import { ringMemory, SampleRing } from '#sip/media/sample-ring.ts';
import { createSoundPath } from '#sip/media/sound-path.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const loudness = 8_000;
const frameMs = 20;
const frameLength = 160;

/** Words of 900 ms, each with 100 ms of silence behind it. */
const inWords: Speak = async function* (text) {
  for (const _ of text.split(' ')) yield new Int16Array(8_000).fill(loudness, 0, 7_200);
};

const createWorld = (speak: Speak = inWords) => {
  const clock = createOrderedClock();
  const time = createLineTime(clock, 1);
  const ring = new SampleRing(ringMemory(65_536));
  const played: Played[] = [];
  const recorded: string[] = [];
  const playout = createPlayout({
    time,
    speak,
    sampleRate: 8_000,
    on: {
      played: (one) => played.push(one),
      sent: ({ length }) => recorded.push(`${length / 8} ms`),
      cut: () => recorded.push('cut'),
    },
    logger: pino({ level: 'silent' }),
  });
  playout.attach(createSoundPath(ring, 8_000, time));
  return {
    clock,
    playout,
    recorded,
    /** So much time goes by; returns what the far end hears in it. */
    pass(milliseconds: number): Int16Array {
      const heard = new Int16Array(milliseconds * 8);
      for (let from = 0; from < heard.length; from += frameLength) {
        const frame = new Int16Array(frameLength);
        frame.fill(0, ring.read(frame));
        heard.set(frame, from);
        clock.advance(frameMs);
      }
      return heard;
    },
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    story: () => played.map(({ utterance, text, whole }) => [utterance, text, whole]),
  };
};

const soundingMs = (heard: Int16Array): number => heard.filter((sample) => sample !== 0).length / 8;

test('a pause is silence at once, and behind it the word that was broken off is said again', async (t) => {
  const { playout, pass, settle, story } = createWorld();
  playout.say(1, 'alpha bravo charlie');
  await settle();
  t.is(soundingMs(pass(1_400)), 900 + 400);
  playout.pause();
  const fading = pass(400);
  t.true(soundingMs(fading) <= 10, 'but for a few milliseconds that fade');
  t.true((fading[79] ?? 0) < 200, 'to nothing');
  playout.resume();
  const again = pass(1_000);
  t.is(Math.round(soundingMs(again)), 900, 'all of "bravo"');
  t.true((again[1] ?? 0) < 200, 'which rises from nothing');
  t.deepEqual(story(), []);
  pass(1_200);
  t.deepEqual(story(), [[1, 'alpha bravo charlie', true]]);
});

test('what is made, and said, in a pause waits', async (t) => {
  const { playout, pass, settle, story } = createWorld();
  playout.say(1, 'alpha');
  await settle();
  pass(300);
  playout.pause();
  playout.say(2, 'bravo');
  await settle();
  t.true(soundingMs(pass(10_000)) <= 10);
  playout.resume();
  pass(1_200);
  t.deepEqual(story(), [[1, 'alpha', true]]);
  pass(1_200);
  t.deepEqual(story().slice(1), [[2, 'bravo', true]]);
});

test('what was heard before a pause counts when it is stopped, and no more', async (t) => {
  for (const isOn of [false, true]) {
    const { playout, pass, settle, story } = createWorld();
    playout.say(1, 'alpha bravo charlie delta');
    playout.say(2, 'never');
    await settle();
    pass(2_100);
    playout.pause();
    pass(500);
    if (isOn) playout.resume();
    playout.stopTalking();
    t.deepEqual(story(), [
      [1, 'alpha bravo', false],
      [2, '', false],
    ]);
    playout.say(3, 'echo');
    await settle();
    pass(1_200);
    t.deepEqual(story().slice(2), [[3, 'echo', true]], 'the pause is over');
  }
});

test('an utterance whose words are all out pauses no word, and is said once', async (t) => {
  const { playout, pass, settle, story } = createWorld(async function* () {
    yield new Int16Array(4_000).fill(loudness, 800);
  });
  playout.say(1, 'alpha');
  await settle();
  t.is(soundingMs(pass(520)), 400);
  playout.pause();
  t.is(soundingMs(pass(1_000)), 0);
  playout.resume();
  t.is(soundingMs(pass(300)), 0);
  t.deepEqual(story(), [[1, 'alpha', true]]);
});

test('the recording has the pause where it was', async (t) => {
  const { playout, pass, settle, recorded } = createWorld();
  playout.say(1, 'alpha bravo');
  await settle();
  pass(1_400);
  playout.pause();
  pass(400);
  playout.resume();
  t.deepEqual(recorded, ['1000 ms', '1000 ms', 'cut', '10 ms', '1000 ms']);
});

test('the agent is audible in a pause, but not loud', async (t) => {
  const { playout, pass, settle } = createWorld();
  playout.say(1, 'alpha bravo');
  await settle();
  pass(400);
  t.true((playout.level() ?? -96) > -20);
  playout.pause();
  pass(600);
  t.is(playout.level(), -96);
  playout.resume();
  pass(200);
  t.true((playout.level() ?? -96) > -20);
});

test('pausing and going on twice is doing so once, also where nothing is said', async (t) => {
  const { playout, pass, settle, story } = createWorld();
  playout.resume();
  playout.pause();
  playout.pause();
  playout.say(1, 'alpha');
  await settle();
  t.is(soundingMs(pass(2_000)), 0);
  playout.resume();
  playout.resume();
  t.is(soundingMs(pass(1_400)), 900);
  t.deepEqual(story(), [[1, 'alpha', true]]);
});

test('a word without a gap before it within 600 ms goes on to the sample', (t) => {
  const even = new Int16Array(16_000).fill(loudness);
  t.is(placeToResume(even, 12_000, 8_000), 12_000);
  const word = Int16Array.from({ length: 16_000 }, (_, index) =>
    index < 6_400 || index > 7_200 ? loudness : 0,
  );
  t.is(placeToResume(word, 16_000, 8_000), 16_000, 'too far back');
  t.is(placeToResume(word, 11_200, 8_000), 7_200);
});
