import test from 'ava';
import { pino } from 'pino';
import type { Speak } from '#sip/drachtio/playout/synthesis.ts';
import type { Played } from '#sip/drachtio/playout/playing-utterance.ts';
import { createPlayout } from '#sip/drachtio/playout/playout.ts';
import { createLineTime } from '#sip/line-time.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

/** One second of sound a word; the texts "fails" and "never" have none. */
const speak: Speak = async function* (text, signal) {
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

const createWorld = (engine: Speak = speak) => {
  const clock = createOrderedClock();
  const sent: string[] = [];
  const played: Played[] = [];
  const playout = createPlayout({
    time: createLineTime(clock, 1),
    speak: engine,
    on: { played: (one) => played.push(one), sent: () => {}, cut: () => sent.push('cut') },
    logger: pino({ level: 'silent' }),
  });
  return {
    clock,
    sent,
    played,
    playout,
    attach: () =>
      playout.attach({
        send: (samples) => sent.push(`sound ${samples.length / 8}`),
        mark: (name) => sent.push(`mark ${name}`),
        kill: () => sent.push('kill'),
      }),
    /** What was promised in the meantime happens. */
    settle: () => new Promise((resolve) => setImmediate(resolve)),
    story: () => played.map(({ utterance, text, whole }) => [utterance, text, whole]),
  };
};

test('an utterance is sent with its breath and its mark, the next one when the mark is back', async (t) => {
  const { playout, attach, settle, clock, sent, story } = createWorld();
  attach();
  playout.say(1, 'one');
  playout.say(2, 'two words');
  await settle();
  t.deepEqual(sent, ['sound 1000']);
  clock.advance(60);
  t.deepEqual(sent.slice(1), ['sound 120', 'mark m1']);
  clock.advance(1_070);
  playout.onMark('unknown');
  t.deepEqual(story(), []);
  playout.onMark('m1');
  t.deepEqual(story(), [[1, 'one', true]]);
  t.deepEqual(sent.slice(3), ['sound 2000']);
});

test('a mark that is back too early says that sound lies waiting, which is pushed on', async (t) => {
  const { playout, attach, settle, clock, sent, story } = createWorld();
  attach();
  playout.say(1, 'one');
  await settle();
  clock.advance(80);
  playout.onMark('m1');
  t.deepEqual(story(), []);
  t.deepEqual(sent.slice(3), ['sound 80', 'mark m2']);
  clock.advance(1_200);
  playout.onMark('m2');
  t.deepEqual(story(), [[1, 'one', true]]);
  t.is(clock.pending(), 0);
});

test('what is said before the sound is connected waits for it', async (t) => {
  const { playout, attach, settle, sent } = createWorld();
  playout.say(1, 'one');
  await settle();
  t.deepEqual(sent, []);
  attach();
  t.deepEqual(sent, ['sound 1000']);
});

test('what is stopped is reported with what was heard by the clock, and new sound waits for silence', async (t) => {
  const { playout, attach, settle, sent, clock, story } = createWorld();
  attach();
  playout.say(1, 'alpha bravo charlie delta');
  playout.say(2, 'never');
  await settle();
  clock.advance(2_100);
  playout.stopTalking();
  t.deepEqual(story(), [
    [1, 'alpha bravo', false],
    [2, '', false],
  ]);
  playout.say(3, 'new');
  await settle();
  t.deepEqual(sent, ['sound 4000', 'sound 120', 'mark m1', 'cut', 'mark m2', 'kill']);
  // The mark of what was killed comes back, too.
  playout.onMark('m1');
  t.is(sent.length, 6);
  playout.onMark('m2');
  t.deepEqual(sent.slice(6), ['sound 80', 'mark m3', 'kill']);
  playout.onMark('m3');
  t.deepEqual(sent.slice(9), ['sound 1000']);
});

test('an utterance that is stopped after its last sound was heard whole', async (t) => {
  const { playout, attach, settle, clock, story } = createWorld();
  attach();
  playout.say(1, 'alpha bravo');
  await settle();
  clock.advance(2_060);
  playout.stopTalking();
  t.deepEqual(story(), [[1, 'alpha bravo', true]]);
});

test('an empty utterance and one that the engine fails at are reported in their turn', async (t) => {
  const { playout, attach, settle, clock, story } = createWorld();
  attach();
  playout.say(1, 'one');
  playout.say(2, '');
  playout.say(3, 'fails');
  playout.say(4, 'four');
  await settle();
  clock.advance(1_130);
  playout.onMark('m1');
  clock.advance(1_130);
  playout.onMark('m2');
  t.deepEqual(story(), [
    [1, 'one', true],
    [2, '', true],
    [3, '', true],
    [4, 'four', true],
  ]);
});

test('a mark that never comes back does not hold up what follows', async (t) => {
  const { playout, attach, settle, clock, sent, story } = createWorld();
  attach();
  playout.say(1, 'one');
  playout.say(2, 'two');
  await settle();
  clock.advance(4_150);
  t.deepEqual(story(), [[1, 'one', true]]);
  t.is(sent.at(-1), 'sound 1000');
  playout.stopTalking();
  playout.say(3, 'three');
  await settle();
  t.is(sent.at(-1), 'kill');
  clock.advance(1_010);
  t.is(sent.at(-1), 'sound 1000', 'nor does one of a kill');
});

test('when the line ends everything is reported, and nothing is sent any more', async (t) => {
  const { playout, attach, settle, sent, story, clock } = createWorld();
  attach();
  playout.say(1, 'alpha bravo');
  playout.say(2, 'two');
  await settle();
  clock.advance(1_500);
  playout.close();
  playout.say(3, 'three');
  await settle();
  t.deepEqual(story(), [
    [1, 'alpha', false],
    [2, '', false],
    [3, '', false],
  ]);
  t.deepEqual(sent, ['sound 2000', 'sound 120', 'mark m1', 'cut']);
  t.is(clock.pending(), 0);
});

test('a voice that is still being made sounds from its first pieces on', async (t) => {
  const engine = handMade();
  const { playout, attach, clock, sent, story } = createWorld(engine.speak);
  attach();
  playout.say(1, 'alpha bravo');
  await engine.give(100);
  t.deepEqual(sent, [], 'FreeSWITCH plays nothing of less than 160 ms');
  t.is(playout.level(), null);
  await engine.give(100);
  t.deepEqual(sent, ['sound 200']);
  clock.advance(100);
  t.true((playout.level() ?? -96) > -20);
  await engine.give(300);
  clock.advance(700);
  await engine.give(300);
  await engine.end();
  t.deepEqual(sent.slice(1), ['sound 300', 'sound 300']);
  clock.advance(60);
  t.deepEqual(sent.slice(3), ['sound 120', 'mark m1']);
  // 200 and 300 ms, a gap up to 800 ms, 300 ms and the breath.
  clock.advance(200);
  playout.onMark('m1');
  t.deepEqual(sent.slice(5), ['sound 80', 'mark m2'], 'it is known that 1220 ms are not over');
  clock.advance(180);
  playout.onMark('m2');
  t.deepEqual(story(), [[1, 'alpha bravo', true]]);
  t.is(playout.level(), null);
  t.is(clock.pending(), 0);
});

test('what is cut of a voice that is still being made is measured by the time that its text takes', async (t) => {
  const engine = handMade();
  const { playout, attach, clock, story } = createWorld(engine.speak);
  attach();
  const text = 'The first words are followed by many others that nobody hears.';
  playout.say(1, text);
  await engine.give(1_000);
  clock.advance(900);
  playout.stopTalking();
  await engine.give(1_000);
  const [cut] = story();
  t.deepEqual(cut, [1, 'The first', false]);
  t.is(story().length, 1);
});

test('what was made before an engine failed is played, and the utterance has run its course', async (t) => {
  const { playout, attach, clock, settle, sent, story } = createWorld();
  attach();
  playout.say(1, 'breaks behind these words, and the others are never heard');
  await settle();
  t.is(sent[0], 'sound 1000');
  clock.advance(1_200);
  playout.onMark('m1');
  t.deepEqual(story(), [[1, 'breaks behind', true]]);
});
