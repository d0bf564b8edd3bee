/** Where a reply is cut into sentences. */
import { timesAsCostly } from '#test/helpers/processor-time.ts';
import test from 'ava';
import * as fc from 'fast-check';
import { createSentenceCutter } from '#src/agents/sentences.ts';
import { examples, pieces } from './cut.ts';

const cut = (pieces: readonly string[]): string[] => {
  const cutter = createSentenceCutter();
  return [...pieces.flatMap((piece) => cutter.add(piece)), ...cutter.end()];
};

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
  t.deepEqual(cut(['예약했습니다.3시에 오세요!2명이시죠?Thank you.']), [
    '예약했습니다.',
    '3시에 오세요!',
    '2명이시죠?',
    'Thank you.',
  ]);
  t.deepEqual(cut(['「はい。」と言いました。「承知しました。」って。（笑。）そうですね…。え？！はい｡では']), [
    '「はい。」と言いました。',
    '「承知しました。」って。',
    '（笑。）',
    'そうですね…。',
    'え？！',
    'はい｡',
    'では',
  ]);
});

test('a line break ends a sentence, with or without a mark', (t) => {
  t.deepEqual(cut(['첫째 줄\n둘째 줄\r\n\r\n셋째 줄.\n']), ['첫째 줄', '둘째 줄', '셋째 줄.']);
  t.deepEqual(cut(['- 첫째\n- 둘째\u20281. 셋째\v5.\n6.  \n끝']), [
    '- 첫째',
    '- 둘째',
    '1. 셋째',
    '5.',
    '6.',
    '끝',
  ]);
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
  t.deepEqual(cut(['좋아요! \ud83d', '\ude00']), ['좋아요!', '😀']);
  t.deepEqual(cut(['좋아요 \ud83d']), ['좋아요 \ud83d']);
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
      t.is(bare(sentences.join('')), bare(whole));
      t.true(sentences.every((sentence) => sentence !== '' && sentence === sentence.trim()));
    }),
  );
});

test('a sentence without an end takes a breath: behind a comma, else at a space', (t) => {
  const clause = '단어가 이어지고 또 이어지는데요, ';
  const breaths = cut([clause.repeat(30)]);
  t.true(breaths.length > 1);
  t.true(breaths.every((breath) => breath.length <= 250 && breath.endsWith('데요,')));
  t.deepEqual(
    cut(['word '.repeat(60)]).map(({ length }) => length),
    [249, 49],
  );
});

test('a sentence without any space is cut between whole characters', (t) => {
  for (const character of ['가', '\u1112\u1161\u11ab', 'が', 'か\u3099', '𠮷', '葛\u{e0100}']) {
    const breaths = cut(Array.from(character.repeat(400)));
    t.true(breaths.length > 1);
    t.true(breaths.every((breath) => breath.length <= 250 && breath.length % character.length === 0));
    t.is(breaths.join(''), character.repeat(400));
  }
  const family = '👨‍👩‍👧‍👦';
  t.true(cut([family.repeat(300)]).every((breath) => breath.length % family.length === 0));
});

test('no address is cut, however long', (t) => {
  const address = `https://example.com/${'a.b?c!d,e'.repeat(100)}`;
  t.deepEqual(cut([`자세한 내용은 ${address} 입니다. 네.`]), ['자세한 내용은', address, '입니다.', '네.']);
  t.deepEqual(cut([`詳しくは${address}をご覧ください。`]), ['詳しくは', address, 'をご覧ください。']);
});

for (const character of ['가', 'a', '.', '"', '[', '1. ']) {
  test(`200,000 pieces of ${character} are cut in time that grows with their number`, async (t) => {
    const cutPieces = (count: number) => () => {
      const cutter = createSentenceCutter();
      for (let piece = 0; piece < count; piece += 1) cutter.add(character);
      t.true(cutter.end().length < 2);
    };
    // In proportion it would be ten times as much, with the square a hundred.
    const times = await timesAsCostly(cutPieces(200_000), cutPieces(20_000), 40);
    t.true(times <= 40, `ten times as many cost ${Math.round(times)} times as much`);
  });
}

test('a quotation that never ends is cut where it may take a breath, and what follows is not', (t) => {
  const text = `그분이 "${'안녕하세요. '.repeat(60)}`;
  const sentences = cut([text]);
  t.true(sentences.length > 1);
  t.true(sentences.every(({ length }) => length <= 250));
  t.deepEqual(cut(['그분이 "안녕하세요.\n감사합니다. 네.']), ['그분이 "안녕하세요.', '감사합니다.', '네.']);
});
