/** Sentences when nothing comes for a moment. */
import test from 'ava';
import * as fc from 'fast-check';
import { createSentenceCutter } from '#src/agents/sentences.ts';
import { examples, pieces } from './cut.ts';

/** What a pause gives out. */
const paused = (text: string): string[] => {
  const cutter = createSentenceCutter();
  cutter.add(text);
  return cutter.pause();
};

for (const text of [
  '안녕하세요.',
  '오후 3시.',
  '정말요?',
  '음...',
  '네…',
  'はい。',
  '「はい。」',
  '"Yes."',
  '**네.**',
  'He is here.',
  '5!',
]) {
  test(`a pause gives out ${text}`, (t) => {
    t.deepEqual(paused(text), [text]);
  });
}

for (const text of [
  '잠시만 기다려 주',
  '예약은,',
  '1.',
  'It costs 5.',
  '2026. 12.',
  '12.25.',
  'Mr.',
  'No.',
  'at 9 p.m.',
  'J.',
  'He said "Come in.',
  '「はい。',
  '(네.',
  '[안내.',
  'https://example.com.',
  '네. \ud83d',
  '',
]) {
  test(`a pause holds back ${JSON.stringify(text)}`, (t) => {
    t.deepEqual(paused(text), []);
  });
}

test('pauses between words change nothing about where sentences are cut', (t) => {
  for (const sentences of examples.filter(
    (sentences) => !/\.\.|…|["”] [a-z라하]/u.test(sentences.join(' ')),
  )) {
    const cutter = createSentenceCutter();
    const words = sentences.join(' ').split(/(?= )/u);
    const given = words.flatMap((word) => [...cutter.add(word), ...cutter.pause()]);
    t.deepEqual([...given, ...cutter.end()], sentences);
  }
});

test('whenever it pauses, what it gives out ends in a sentence mark, and no word is lost', (t) => {
  fc.assert(
    fc.property(pieces, ({ whole, parts }) => {
      const cutter = createSentenceCutter();
      const given: string[] = [];
      for (const part of parts) {
        given.push(...cutter.add(part));
        const held = cutter.pause();
        t.true(held.length < 2 && held.every((text) => /[.!?…。！？][\p{P}\p{S}\u{FE0F}]*$/u.test(text)));
        given.push(...held);
      }
      given.push(...cutter.end());
      const bare = (words: string): string => words.replaceAll(/\s/gu, '');
      t.is(bare(given.join('')), bare(whole));
    }),
  );
});

test('a quotation is not spoken half when nothing comes for a moment', (t) => {
  const cutter = createSentenceCutter();
  t.deepEqual(cutter.add('그분이 "안녕하세요.'), []);
  t.deepEqual(cutter.pause(), []);
  t.deepEqual(cutter.add(' 네."라고 했어요. '), ['그분이 "안녕하세요. 네."라고 했어요.']);
  t.deepEqual(cutter.add('अच्छा।'), []);
  t.deepEqual(cutter.pause(), ['अच्छा।']);
});
