/** Abilities of a call's engine: to know its language, to tell where a turn ends. */
import test from 'ava';
import { coolDown, engine, setUpWith } from './doubles/failing-engines.ts';
import { listen } from './doubles/heard-events.ts';

test('whether ends of turns are told is known of the engine that listens now', (t) => {
  const [a, b] = [engine('a', { tellsTurnEnds: true }), engine('b')];
  const { recognition } = listen(setUpWith(a, b).recognizer);
  t.true(recognition.tellsTurnEnds?.());
  a.fail();
  t.is(b.opened.length, 1);
  t.false(recognition.tellsTurnEnds?.());
});

test('an engine that does not know the language is asked where there is no other', (t) => {
  const [a, b] = [engine('a', { languages: ['en-US'] }), engine('b')];
  const { recognizer, clock } = setUpWith(a, b);
  listen(recognizer, 'ko-KR');
  t.deepEqual([a.opened.length, b.opened.length], [0, 1]);
  b.fail();
  clock.increment(coolDown.firstMs);
  t.deepEqual([a.opened.length, b.opened.length], [0, 2]);
  listen(recognizer, 'en-US');
  t.is(a.opened.length, 1);
  const alone = engine('c', { languages: ['en-US'] });
  listen(setUpWith(alone).recognizer, 'ko-KR');
  t.is(alone.opened.length, 1);
});
