/** When a turn is over. */
import test from 'ava';
import { createWorld, numbers, streamed } from './turn-taking-world.ts';

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
