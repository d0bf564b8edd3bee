/** Voices over the agent's: words, backchannels, echoes. */
import test from 'ava';
import { createWorld, numbers, streamed } from './turn-taking-world.ts';

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
