import { timesAsCostly } from '#test/helpers/processor-time.ts';
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
  ['Come on Dec. 25 at 9 p.m. sharp.', 'Ask for no. of guests, i.e. how many.', 'OK?'],
  ['Pi is 3.14.', 'Thank you.'],
  ['It costs $5.', '6 of them cost more.'],
  ['2026.12.25. 금요일 오후 3시.', '3.5점입니다.', '맞으시죠?'],
  ['행사는 12.25. 오후에 열립니다.', '네.', '알겠습니다.'],
  ['안녕하세요~!', '네~ 반갑습니다.', '좋아요!!'],
  ['"네."라고 하셨습니다.', "'정말요?'라고 물었어요.", '“알겠습니다.” 라고요.'],
  ['"Really?" he asked.', '"Yes."', 'He left.', "That's “it.”", 'Bye.'],
  ['**안녕하세요.**', '*반갑습니다!*', '감사합니다.^^', '또 오세요!😊', '네.'],
  ['**1. 예약** 확인입니다.', '- 2. 이름을 말씀해 주세요.', '### 3. 끝'],
  ['그분이 "안녕하세요. 반갑습니다. 네?"라고 하셨어요.', '끝.'],
  ['손님이 “없어요! 다음에요.” 하고 가셨습니다.', '네.'],
  ['She said "Come in. Sit down." and left.', 'Then he went.', 'A 5" screen.', 'Yes.'],
  ['彼は「はい。そうです。」と言いました。', 'では。'],
  ['هل أنت هناك؟', 'نعم.', 'شكرا.'],
  ['आप कैसे हैं।', 'मैं ठीक हूँ॥', 'धन्यवाद।'],
  ['میں ٹھیک ہوں۔', 'شکریہ۔'],
  ['እንዴት ነህ።', 'ደህና ነኝ።'],
  ['https://example.com/?q=한글?다음.다 를 보세요.', '끝.'],
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

/** Text that is rich in everything that a cut depends on. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('.', '..', '…', '!', '?', '。', '？', '\n', ' ', '  ', '"', ')', '」', '**', ','),
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
        '라고',
        'と',
        'https://a.b/?c',
        '가'.repeat(120),
        'a'.repeat(249),
        'が'.repeat(125),
        ' '.repeat(60),
        'x'.repeat(900),
      ),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

/** The text, and the places where it is cut into pieces. */
const pieces = fc.tuple(text, fc.array(fc.nat(2_000), { maxLength: 30 })).map(([whole, places]) => {
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

test('a quotation is not spoken half when nothing comes for a moment', (t) => {
  const cutter = createSentenceCutter();
  t.deepEqual(cutter.add('그분이 "안녕하세요.'), []);
  t.deepEqual(cutter.pause(), []);
  t.deepEqual(cutter.add(' 네."라고 했어요. '), ['그분이 "안녕하세요. 네."라고 했어요.']);
  t.deepEqual(cutter.add('अच्छा।'), []);
  t.deepEqual(cutter.pause(), ['अच्छा।']);
});
