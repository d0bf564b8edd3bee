import test from 'ava';
import { listening } from '#config/policy.ts';
import { createLineTime } from '#sip/line-time.ts';
import { createTurnTaking } from '#sip/listening/turn-taking.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';

const numbers = listening.turns;

const createWorld = (language = 'en') => {
  const clock = createOrderedClock();
  const begunAt = clock.now();
  const story: unknown[] = [];
  let isAudible = false;
  const turns = createTurnTaking({
    numbers,
    language,
    time: createLineTime(clock, 1),
    isAgentAudible: () => isAudible,
    on: {
      speech: () => story.push('speech'),
      heard: ({ text, startedAt, backchannel }) =>
        story.push([backchannel ? 'backchannel' : 'heard', text, startedAt - begunAt]),
      pause: () => story.push('pause'),
    },
  });
  return {
    clock,
    story,
    turns,
    agent(audible: boolean) {
      isAudible = audible;
    },
    now: () => clock.now() - begunAt,
    pass: (milliseconds: number) => clock.advance(milliseconds),
    voice: (isOn: boolean) => (isOn ? turns.voiceBegan : turns.voiceEnded)(clock.now()),
    partial: (text: string) => turns.recognized({ type: 'partial', text }),
    final: (text: string) => turns.recognized({ type: 'final', text }),
    complete: () => turns.recognized({ type: 'turn-complete' }),
  };
};

/** An engine that streams has shown itself by a first sentence. */
const streamed = (language = 'en') => {
  const world = createWorld(language);
  world.voice(true);
  world.partial('well');
  world.voice(false);
  world.final('Well.');
  world.pass(2_000);
  world.story.splice(0);
  return world;
};

const endings = test.macro<[string, string, number]>({
  exec(t, text, language, waitMs) {
    const { voice, final, partial, pass, story, now } = createWorld(language);
    voice(true);
    pass(400);
    partial(text);
    pass(400);
    final(text);
    voice(false);
    pass(waitMs - 1);
    t.deepEqual(story, ['speech', 'pause']);
    pass(1);
    t.deepEqual(story.slice(2), [['heard', text, 0]]);
    t.is(now(), 800 + waitMs);
  },
  title: (_, text, language, waitMs) =>
    `after "${text}" (${language}) a silence of ${waitMs} ms ends the turn`,
});

test(endings, 'Tomorrow at seven.', 'en', numbers.wholeMs);
test(endings, 'Tomorrow at seven', 'en', numbers.usualMs);
test(endings, 'Tomorrow at seven and', 'en', numbers.openMs);
test(endings, 'Well,', 'en', numbers.openMs);
test(endings, '내일 일곱 시요', 'ko', numbers.wholeMs);
test(endings, '일곱 시', 'ko', numbers.usualMs);
test(endings, '일곱 시에 가고 싶은데', 'ko', numbers.openMs);
test(endings, '예약했는데', 'ko', numbers.openMs);
test(endings, '七時です', 'ja-JP', numbers.wholeMs);
test(endings, '七時ですけど', 'ja-JP', numbers.openMs);

test('an engine that takes the turn for complete shortens the silence', (t) => {
  const { voice, final, complete, pass, story } = createWorld();
  voice(true);
  pass(500);
  voice(false);
  final('Tomorrow and');
  complete();
  pass(numbers.completeMs);
  t.deepEqual(story, ['speech', ['heard', 'Tomorrow and', 0]]);
});

test('who goes on after a pause is heard as one', (t) => {
  const { voice, final, pass, story } = createWorld();
  voice(true);
  pass(500);
  final('One moment,');
  voice(false);
  pass(numbers.openMs - 100);
  voice(true);
  pass(500);
  voice(false);
  final('it is Tuesday.');
  pass(numbers.wholeMs);
  t.deepEqual(story, ['speech', 'pause', 'pause', ['heard', 'One moment, it is Tuesday.', 0]]);
});

test('words that never settle are taken as they are, and what settles too late is not heard twice', (t) => {
  const { voice, partial, final, pass, story } = createWorld();
  voice(true);
  pass(500);
  partial('on Tuesday');
  voice(false);
  pass(numbers.settleMs);
  t.deepEqual(story, ['speech', 'pause', ['heard', 'on Tuesday', 0]]);
  final('On Tuesday.');
  pass(5_000);
  t.is(story.length, 3);
  voice(true);
  final('At seven.');
  voice(false);
  pass(numbers.wholeMs);
  t.deepEqual(story.slice(3), ['speech', 'pause', ['heard', 'At seven.', 7_000]]);
});

test('words that settle behind a new voice are heard without those that were taken', (t) => {
  const { voice, partial, final, pass, story } = createWorld();
  voice(true);
  partial('on Tuesday');
  voice(false);
  pass(numbers.settleMs);
  voice(true);
  partial('on Tuesday at seven');
  pass(300);
  voice(false);
  final('on Tuesday at seven.');
  pass(numbers.wholeMs);
  t.deepEqual(
    story.filter((one) => Array.isArray(one)),
    [
      ['heard', 'on Tuesday', 0],
      ['heard', 'at seven.', numbers.settleMs],
    ],
  );
});

test('a voice without words says nothing', (t) => {
  const { voice, pass, story, clock } = streamed();
  voice(true);
  pass(20_000);
  voice(false);
  pass(20_000);
  t.deepEqual(story, ['pause']);
  t.is(clock.pending(), 0);
});

test('an engine that repeats itself holds nothing up', (t) => {
  const { voice, partial, final, pass, story } = streamed();
  voice(true);
  partial('');
  pass(400);
  partial('seven');
  for (let times = 0; times < numbers.wordsMs; times += 100) {
    pass(100);
    partial('seven');
  }
  t.deepEqual(story, ['speech', ['heard', 'seven', 2_000]]);
  final('');
  voice(false);
  pass(5_000);
  t.is(story.length, 2);
  voice(true);
  partial('');
  voice(false);
  final('');
  pass(5_000);
  t.deepEqual(story.slice(2), ['pause']);
});

test('marks alone are no words', (t) => {
  const { voice, partial, final, pass, story } = createWorld();
  voice(true);
  partial('…');
  final('...');
  voice(false);
  pass(20_000);
  t.deepEqual(story, ['pause']);
});

test('short noises say nothing to an engine of sentences', (t) => {
  const { voice, pass, story } = createWorld();
  for (let times = 0; times < 4; times += 1) {
    voice(true);
    pass(numbers.lastingVoiceMs - 50);
    voice(false);
    pass(numbers.pauseMs + 50);
  }
  t.deepEqual(story, ['pause', 'pause', 'pause', 'pause']);
  pass(numbers.sentenceWordsMs);
  t.is(story.length, 4);
});

test('a lasting voice is speech to an engine of sentences', (t) => {
  const { voice, pass, story, final } = createWorld();
  voice(true);
  pass(numbers.lastingVoiceMs);
  t.deepEqual(story, ['speech']);
  voice(false);
  pass(2_000);
  final('I have a question.');
  pass(0);
  t.deepEqual(story.slice(1), ['pause', ['heard', 'I have a question.', 0]]);
});

test('words over the voice of the agent interrupt as soon as they are more than a backchannel', (t) => {
  const { agent, voice, partial, final, pass, story } = streamed();
  agent(true);
  voice(true);
  pass(300);
  partial('okay');
  t.deepEqual(story, []);
  pass(300);
  partial('okay but');
  t.deepEqual(story, ['speech']);
  agent(false);
  final('Okay, but wait.');
  voice(false);
  pass(numbers.wholeMs);
  t.deepEqual(story.slice(1), ['pause', ['heard', 'Okay, but wait.', 2_000]]);
});

const backchannel = (begins: boolean, ends: boolean, language = 'en', text = 'Uh-huh.') => {
  const { agent, voice, final, pass, story } = createWorld(language);
  agent(begins);
  voice(true);
  pass(400);
  agent(ends);
  voice(false);
  final(text);
  pass(1_000);
  return story.filter((one) => one !== 'pause');
};

test('a backchannel over the voice of the agent is heard and is no speech', (t) => {
  t.deepEqual(backchannel(true, true), [['backchannel', 'Uh-huh.', 0]]);
  t.deepEqual(backchannel(true, true, 'ko', '네네'), [['backchannel', '네네', 0]]);
});

test('said into silence, or into the last sound of the agent, it is an answer', (t) => {
  for (const begins of [true, false])
    t.deepEqual(backchannel(begins, false), ['speech', ['heard', 'Uh-huh.', 0]]);
});

test('words over the voice of the agent without another voice are its echo', (t) => {
  const { agent, partial, final, pass, story } = createWorld();
  agent(true);
  partial('Your table is');
  final('Your table is confirmed.');
  pass(10_000);
  t.deepEqual(story, []);
});

test('words of a voice that nobody noticed are heard while the agent is silent', (t) => {
  const { partial, final, pass, story, now } = createWorld();
  pass(1_000);
  partial('hello');
  for (let times = 0; times < 10; times += 1) {
    pass(500);
    partial(`hello ${'la '.repeat(times + 1)}`);
  }
  t.deepEqual(story, ['speech']);
  final('Hello la la.');
  const saidAt = now();
  pass(numbers.wholeMs);
  t.deepEqual(story.slice(1), [['heard', 'Hello la la.', 1_000]]);
  t.is(now(), saidAt + numbers.wholeMs);
});

test('what sounds on behind the words does not hold them up', (t) => {
  const { voice, partial, final, pass, story } = streamed();
  voice(true);
  pass(400);
  partial('seven please');
  final('Seven, please.');
  pass(numbers.wordsMs);
  t.deepEqual(story, ['speech', ['heard', 'Seven, please.', 2_000]]);
  pass(5_000);
  partial('for two');
  pass(200);
  final('For two.');
  pass(numbers.wordsMs);
  t.deepEqual(story.slice(2), ['speech', ['heard', 'For two.', 2_000 + 400 + numbers.wordsMs + 5_000]]);
});

test('at the end of the line what was said whole is heard, a word in the mouth is not', (t) => {
  const world = createWorld();
  world.voice(true);
  world.final('Goodbye.');
  world.partial('and th');
  world.turns.stop();
  world.turns.stop();
  t.deepEqual(world.story, ['speech', ['heard', 'Goodbye.', 0]]);
  world.final('and thanks');
  world.voice(false);
  world.pass(10_000);
  t.is(world.story.length, 2);

  const other = createWorld();
  other.voice(true);
  other.partial('bye');
  other.voice(false);
  other.turns.stop();
  t.deepEqual(other.story, ['speech', ['heard', 'bye', 0]]);
  t.is(other.clock.pending(), 0);
});
