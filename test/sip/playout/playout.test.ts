import test from 'ava';
import { pino } from 'pino';
import type { Speak } from '#sip/playout/synthesis.ts';
import type { Played } from '#sip/line-reports.ts';
import { createPlayout } from '#sip/playout/playout.ts';
import { createLineTime } from '#sip/line-time.ts';
import { ringMemory, SampleRing } from '#sip/media/sample-ring.ts';
import { createSoundPath } from '#sip/media/sound-path.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

/** One second of sound a word; the texts "fails" and "never" have none. */
const speak: Speak = async function* (text, _rate, signal) {
  if (text === 'fails') throw new Error('The engine fails');
  if (text === 'never')
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  if (text.startsWith('breaks')) {
    yield new Int16Array(8_000).fill(1);
    throw new Error('The engine fails');
  }
  yield new Int16Array(8_000 * text.split(' ').length).fill(1);
};

/** An engine that gives pieces when the test does. */
const handMade = () => {
  const pieces: Int16Array[] = [];
  let isComplete = false;
  let wake = (): void => {};
  const settled = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));
  return {
    async *speak() {
      for (;;) {
        const piece = pieces.shift();
        if (piece !== undefined) yield piece;
        else if (isComplete) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    async give(milliseconds: number) {
      pieces.push(new Int16Array(8 * milliseconds).fill(8_000));
      wake();
      await settled();
    },
    async end() {
      isComplete = true;
      wake();
      await settled();
    },
  };
};

const frameMs = 20;

const createWorld = (engine: Speak = speak) => {
  const clock = createOrderedClock();
  const time = createLineTime(clock, 1);
  const ring = new SampleRing(ringMemory(65_536));
  const told: string[] = [];
  const played: Played[] = [];
  const playout = createPlayout({
    time,
    speak: engine,
    sampleRate: 8_000,
    on: {
      played: (one) => played.push(one),
      sent: (samples) => told.push(`${samples.length / 8} ms`),
      cut: () => told.push('cut'),
    },
    logger: pino({ level: 'silent' }),
  });
  return {
    clock,
    /** What the recording was told. */
    told,
    playout,
    attach: () => playout.attach(createSoundPath(ring, 8_000, time)),
    /** So much time goes by, in which the sound leaves. Returns for how much of it words sounded. */
    pass(milliseconds: number): number {
      const frame = new Int16Array(frameMs * 8);
      let sounded = 0;
      for (let gone = 0; gone < milliseconds; gone += frameMs) {
        frame.fill(0, ring.read(frame));
        sounded += frame.filter((sample) => sample !== 0).length / 8;
        clock.advance(frameMs);
      }
      return sounded;
    },
    /** What was promised in the meantime happens. */
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    story: () => played.map(({ utterance, text, whole }) => [utterance, text, whole]),
  };
};

test('an utterance is played with a breath behind it, and then the next one', async (t) => {
  const { playout, attach, settle, pass, story } = createWorld();
  attach();
  playout.say(1, 'one');
  playout.say(2, 'two words');
  await settle();
  t.is(pass(1_000), 1_000);
  t.is(pass(100), 0);
  t.deepEqual(story(), []);
  t.is(pass(40), 0);
  t.deepEqual(story(), [[1, 'one', true]]);
  t.is(pass(2_000), 2_000);
  pass(140);
  t.deepEqual(story(), [
    [1, 'one', true],
    [2, 'two words', true],
  ]);
});

test('what is said before the sound is connected waits for it', async (t) => {
  const { playout, attach, settle, pass } = createWorld();
  playout.say(1, 'one');
  await settle();
  t.is(pass(500), 0);
  attach();
  t.is(pass(1_000), 1_000);
});

test('what is stopped is silent at once, and reported with what was heard; new words follow at once', async (t) => {
  const { playout, attach, settle, told, pass, story } = createWorld();
  attach();
  playout.say(1, 'alpha bravo charlie delta');
  playout.say(2, 'never');
  await settle();
  pass(2_100);
  playout.stopTalking();
  t.deepEqual(story(), [
    [1, 'alpha bravo', false],
    [2, '', false],
  ]);
  t.deepEqual(told, ['4000 ms', 'cut']);
  t.is(pass(100), 0);
  playout.say(3, 'new');
  await settle();
  t.is(pass(1_000), 1_000);
  pass(140);
  t.deepEqual(story().at(-1), [3, 'new', true]);
});

test('sound that nobody fetched was not heard, however much time has gone by', async (t) => {
  const { playout, attach, settle, pass, clock, story } = createWorld();
  attach();
  playout.say(1, 'alpha bravo charlie delta');
  await settle();
  pass(1_060);
  clock.advance(2_000);
  playout.stopTalking();
  t.deepEqual(story(), [[1, 'alpha', false]]);
});

test('an utterance that is stopped after its last sound was heard whole', async (t) => {
  const { playout, attach, settle, pass, story } = createWorld();
  attach();
  playout.say(1, 'alpha bravo');
  await settle();
  pass(2_060);
  playout.stopTalking();
  t.deepEqual(story(), [[1, 'alpha bravo', true]]);
});

test('an empty utterance and one that the engine fails at are reported in their turn', async (t) => {
  const { playout, attach, settle, pass, story } = createWorld();
  attach();
  playout.say(1, 'one');
  playout.say(2, '');
  playout.say(3, 'fails');
  playout.say(4, 'four');
  await settle();
  t.is(pass(2_300), 2_000);
  t.deepEqual(story(), [
    [1, 'one', true],
    [2, '', true],
    [3, '', true],
    [4, 'four', true],
  ]);
});

test('when the line ends everything is reported, and nothing is sent any more', async (t) => {
  const { playout, attach, settle, pass, told, story, clock } = createWorld();
  attach();
  playout.say(1, 'alpha bravo');
  playout.say(2, 'two');
  await settle();
  pass(1_500);
  playout.close();
  playout.say(3, 'three');
  await settle();
  t.deepEqual(story(), [
    [1, 'alpha', false],
    [2, '', false],
    [3, '', false],
  ]);
  t.deepEqual(told, ['2000 ms', 'cut']);
  t.is(pass(1_000), 0);
  t.is(clock.pending(), 0);
});

test('a voice that is still being made sounds from its first piece on', async (t) => {
  const engine = handMade();
  const { playout, attach, clock, pass, told, story } = createWorld(engine.speak);
  attach();
  playout.say(1, 'alpha bravo');
  t.is(playout.level(), null);
  await engine.give(40);
  t.is(pass(100), 40);
  t.true((playout.level() ?? -96) > -20);
  await engine.give(300);
  t.is(pass(800), 300);
  t.is(playout.level(), -96, 'nothing sounds while no more is made');
  await engine.give(300);
  await engine.end();
  t.deepEqual(told, ['40 ms', '300 ms', '300 ms']);
  t.is(pass(400), 300);
  t.deepEqual(story(), []);
  pass(40);
  t.deepEqual(story(), [[1, 'alpha bravo', true]]);
  t.is(playout.level(), null);
  t.is(clock.pending(), 0);
});

test('what is cut of a voice that is still being made is measured by the time that its text takes', async (t) => {
  const engine = handMade();
  const { playout, attach, pass, story } = createWorld(engine.speak);
  attach();
  const text = 'The first words are followed by many others that nobody hears.';
  playout.say(1, text);
  await engine.give(1_000);
  pass(900);
  playout.stopTalking();
  await engine.give(1_000);
  const [cut] = story();
  t.deepEqual(cut, [1, 'The first', false]);
  t.is(story().length, 1);
});

test('what was made before an engine failed is played, and the utterance has run its course', async (t) => {
  const { playout, attach, pass, settle, story } = createWorld();
  attach();
  playout.say(1, 'breaks behind these words, and the others are never heard');
  await settle();
  t.is(pass(1_200), 1_000);
  t.deepEqual(story(), [[1, 'breaks behind', true]]);
});
