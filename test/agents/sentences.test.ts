import test from 'ava';
import * as fc from 'fast-check';
import { createSentenceCutter } from '#src/agents/sentences.ts';

const cut = (pieces: readonly string[]): string[] => {
  const cutter = createSentenceCutter();
  return [...pieces.flatMap((piece) => cutter.add(piece)), ...cutter.end()];
};

const examples: string[][] = [
  ['안녕하세요.', '내일 오후 3시 예약을 확인해 주세요.', '가능하신가요?'],
  ['We open at 9 a.m. every day.', 'Mr. Kim will see you at 3.5 on the scale.', 'Is that all right?'],
  ['It costs 3.50 dollars, e.g. for two.', 'Thank you!'],
  ['No.', 'I cannot come.'],
  ['Please see No. 5 on page 12.', 'Thank you.'],
  ['음... 잠시만요.', '네… 확인했습니다.'],
  ['Well... let me see.', 'Yes.'],
  ['2026. 11. 21. 오후에 뵙겠습니다.', '감사합니다.'],
  ['1. 예약을 확인합니다.', '2. 이름을 말씀해 주세요.'],
  ['It costs 5.', 'Thank you.'],
  ['Really?!', 'Yes.'],
  ['He said "come in."', 'Then he left.'],
  ['See https://example.com/a?b=c.d for more.', 'Goodbye.'],
  ['J. R. Kim called from the U.S. office.', 'He will call again.'],
];

for (const sentences of examples) {
  test(`cuts ${JSON.stringify(sentences)}`, (t) => {
    t.deepEqual(cut([sentences.join(' ')]), sentences);
  });
}

test('Japanese and unspaced Korean sentences need no space between them', (t) => {
  t.deepEqual(cut(['はい、承知しました。午後三時ですね？「はい。」ありがとうございます！']), [
    'はい、承知しました。',
    '午後三時ですね？',
    '「はい。」',
    'ありがとうございます！',
  ]);
  t.deepEqual(cut(['예약했습니다.감사합니다!안녕히 계세요.']), [
    '예약했습니다.',
    '감사합니다!',
    '안녕히 계세요.',
  ]);
});

test('a line break ends a sentence, with or without a mark', (t) => {
  t.deepEqual(cut(['첫째 줄\n둘째 줄\r\n\r\n셋째 줄.\n']), ['첫째 줄', '둘째 줄', '셋째 줄.']);
});

test('the first sentence does not wait for the second', (t) => {
  const cutter = createSentenceCutter();
  t.deepEqual(cutter.add('안녕하세'), []);
  t.deepEqual(cutter.add('요.'), []);
  t.deepEqual(cutter.add(' '), ['안녕하세요.']);
  t.deepEqual(cutter.add('잠시만 기다려 주'), []);
  t.deepEqual(cutter.end(), ['잠시만 기다려 주']);
  t.deepEqual(cutter.end(), []);
});

test('nothing is made of nothing', (t) => {
  t.deepEqual(cut([]), []);
  t.deepEqual(cut(['']), []);
  t.deepEqual(cut([' \n\n ', '  ']), []);
});

test('half a character at the end of a piece joins its other half', (t) => {
  t.deepEqual(cut(['좋아요 \ud83d', '\ude00. 네.']), ['좋아요 😀.', '네.']);
  t.deepEqual(cut(['좋아요 \ud83d']), ['좋아요 \ufffd']);
});

/** Text that is rich in everything that a cut depends on. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('.', '..', '…', '!', '?', '。', '？', '\n', ' ', '  ', '"', ')', '」'),
      fc.constantFrom(
        'Mr',
        'e.g',
        'No',
        'a',
        '3',
        '3.5',
        '2026',
        '네',
        '감사합니다',
        'はい',
        'word',
        'U.S',
        '😀',
      ),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

/** The text, and the places where it is cut into pieces. */
const pieces = fc.tuple(text, fc.array(fc.nat(200), { maxLength: 30 })).map(([whole, places]) => {
  const cuts = [0, ...places.map((place) => place % (whole.length + 1)).sort((a, b) => a - b), whole.length];
  return { whole, parts: cuts.slice(1).map((end, index) => whole.slice(cuts[index], end)) };
});

test('however a reply is cut into pieces, its sentences are the same', (t) => {
  fc.assert(
    fc.property(pieces, ({ whole, parts }) => {
      t.deepEqual(cut(parts), cut([whole]));
      t.deepEqual(cut(Array.from(whole)), cut([whole]));
    }),
    { numRuns: 2_000 },
  );
});

test('no word is lost or added', (t) => {
  const bare = (words: string): string => words.replaceAll(/\s/gu, '');
  fc.assert(
    fc.property(pieces, ({ whole, parts }) => {
      const sentences = cut(parts);
      t.is(bare(sentences.join('')), bare(whole.toWellFormed()));
      t.true(sentences.every((sentence) => sentence !== '' && sentence === sentence.trim()));
    }),
  );
});

test('a long reply without any sentence end is cut in good time', (t) => {
  const cutter = createSentenceCutter();
  for (let count = 0; count < 20_000; count += 1) t.deepEqual(cutter.add('단어 '), []);
  t.is(cutter.end()[0]?.length, 59_999);
});
