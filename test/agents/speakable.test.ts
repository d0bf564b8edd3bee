/** Agent text to speech input: sentence cuts, pauses, model marks and Markdown. */
import test from 'ava';
import * as fc from 'fast-check';
import { excerptOf } from '#src/agents/ask-endpoint.ts';
import { createModelMarks } from '#src/agents/model-marks.ts';
import { createSentenceCutter } from '#src/agents/sentences.ts';
import { createSpeakable, createUtterances } from '#src/agents/utterances.ts';
import { systemClock } from '#src/clocks.ts';
import { timesAsCostly } from '#test/helpers/processor-time.ts';
import { examples, pieces } from './sentences/cut.ts';

// Tables
// Written texts, and the spoken text of each.

/** The spoken text of each sentence of a reply. */
const say = (...sentences: string[]): (string | undefined)[] => {
  const speakable = createSpeakable();
  return sentences.map((sentence) => speakable.say(sentence));
};

const tables: Record<string, [written: string, said: string | undefined][]> = {
  'markup at the beginning of a line': [
    ['# 안내', '안내'],
    ['### 3. 끝 ###', '3. 끝 ###'],
    ['- 영업시간', '영업시간'],
    ['* **월요일**: 휴무', '월요일: 휴무'],
    ['• 하나', '하나'],
    ['- [x] 확인', '확인'],
    ['> > 인용', '인용'],
    ['1. 첫째', '1. 첫째'],
    ['2) 둘째', '2) 둘째'],
    ['-5도입니다.', '-5도입니다.'],
    ['#1 is best.', '#1 is best.'],
    ['---', undefined],
    ['***', undefined],
    ['====', undefined],
  ],
  tables: [
    ['| 이름 | 시간 |', '이름, 시간'],
    ['|---|:--:|', undefined],
    ['| 김 |  | 3시 |', '김, 3시'],
    ['a | b', 'a, b'],
    ['| 맑음. | 25도 |', '맑음. 25도'],
  ],
  emphasis: [
    ['**중요**합니다.', '중요합니다.'],
    ['가격은 **5,000원**입니다.', '가격은 5,000원입니다.'],
    ['*이탤릭* _밑줄_ __굵게__ ~~취소~~ ***둘 다***', '이탤릭 밑줄 굵게 취소 둘 다'],
    ['**열렸지만', '열렸지만'],
    ['닫혔습니다.**', '닫혔습니다.'],
    ['*열렸지만', '열렸지만'],
    ['닫혔습니다.*', '닫혔습니다.'],
    ['Run `npm test` now.', 'Run npm test now.'],
    ['3 * 4 = 12', '3 * 4 = 12'],
    ['3*4*5', '3*4*5'],
    ['a*b', 'a*b'],
    ['Press * or #.', 'Press * or #.'],
    ['Dial *67 now.', 'Dial *67 now.'],
    ['*표를 누르세요', '*표를 누르세요'],
    ['*를 누르거나 *표와 #을 누르세요.', '*를 누르거나 *표와 #을 누르세요.'],
    ['*キーを押してください。', '*キーを押してください。'],
    ['*를* 누르세요', '*를 누르세요'],
    ['*가격*은 5,000원', '가격은 5,000원'],
    ['별표(*)를 눌러 주세요.', '별표(*)를 눌러 주세요.'],
    ['snake_case_word and __init__', 'snake_case_word and init'],
    ['2~3개, 네~!', '2~3개, 네~!'],
    ['5~~10분 20~~30분', '5~10분 20~30분'],
    ['10분~~20분', '10분~20분'],
    ['~~5,000원~~ 4,000원', '5,000원 4,000원'],
    ['~~10원~~20원', '10원20원'],
    [String.raw`1\. \*별표\*`, '1. 별표'],
  ],
  links: [
    ['[홈페이지](https://example.com/a_(b)?c=1 "제목")를 보세요.', '홈페이지를 보세요.'],
    ['![약도](https://example.com/map.png)', '약도'],
    ['[![약도](a.png)](b.html)', '약도'],
    ['[글][1] [글][ref]', '글 글'],
    ['[앞에서', '앞에서'],
    ['끊겼습니다.](https://example.com) 네.', '끊겼습니다. 네.'],
    ['https://www.example.com/path?x=1#y.', 'example.com.'],
    ['https://example.com에서 확인하세요.', 'example.com에서 확인하세요.'],
    ['https://example.com/경로?a=1', 'example.com'],
    ['https://example.com/예약/안내에서 보세요.', 'example.com에서 보세요.'],
    ['https://example.com/a에서 보세요.', 'example.com에서 보세요.'],
    ['https://example.com/案内をご覧ください。', 'example.comをご覧ください。'],
    ['https://한국.kr/안내', '한국.kr'],
    ['(https://user:secret@example.com:8080/a)', '(example.com)'],
    ['<https://example.com/a>', 'example.com'],
    ['www.example.com/abc!', 'example.com!'],
    ['**https://example.com**', 'example.com'],
    ['john_doe@example.com, <a@example.com>', 'john_doe@example.com, a@example.com'],
    ['mailto:a@example.com', 'a@example.com'],
    ['![x](data:image/png;base64,AAAA+/==) 네', 'x 네'],
    ['[안내] 영업합니다.', '[안내] 영업합니다.'],
    ['[1]: https://example.com', undefined],
  ],
  'notes and citations': [
    ['서울입니다[^1].', '서울입니다.'],
    ['[^1]: 각주', '각주'],
    ['서울입니다[1][2].', '서울입니다.'],
    ['서울입니다 【4:0†source】.', '서울입니다.'],
    ['서울입니다.\u{e200}cite\u{e202}turn0search0\u{e201}', '서울입니다.'],
    ['【안내】 네', '【안내】 네'],
  ],
  'tags and entities': [
    ['<speak>반갑<b>습</b>니다<break time="0.5s"/>네</speak>', '반갑습니다 네'],
    ['하나<br>둘', '하나 둘'],
    ['<a title="Hi.', undefined],
    ['There">네', '네'],
    ['a < b and c > d', 'a < b and c > d'],
    ['I <3 you', 'I <3 you'],
    ['5 &lt; 6 &amp; &#54620;&#x AC00; &quot;네&quot;', '5 < 6 & 한&#x AC00; "네"'],
    ['&lt;b&gt;굵게&lt;/b&gt;', '굵게'],
    ['R&D; AT&T', 'R&D; AT&T'],
  ],
  'emoji and signs': [
    ['좋아요 😀!', '좋아요!'],
    ['😀좋아요👍🏽네', '좋아요 네'],
    ['👨‍👩‍👧‍👦 가족', '가족'],
    ['🇰🇷 한국', '한국'],
    ['❤️사랑', '사랑'],
    ['1️⃣ 예약 #️⃣', '1 예약 #'],
    ['©️2026 ™ ® 25℃ 30㎡', '©2026 ™ ® 25℃ 30㎡'],
    ['★★★ ■ 공지', '공지'],
    ['서울 → 부산 => 대구', '서울, 부산, 대구'],
    ['😀🎉', undefined],
    ['감사합니다^^', '감사합니다'],
  ],
  LaTeX: [
    [String.raw`\(x + 1\) 및 $$y$$ 그리고 \[z\]`, 'x + 1 및 y 그리고 z'],
    ['It costs $5 and $6.', 'It costs $5 and $6.'],
  ],
  'invisible characters': [
    ['안\u200b녕\u202e하\ufeff세\u00ad요\ufffd.', '안녕하세요.'],
    ['안녕\u0000하세요\u0007', '안녕 하세요'],
    ['  a \t\u00a0 b  ', 'a b'],
    ['좋아요 \ud83d', '좋아요'],
    [String.raw`안녕하세요,\n반갑습니다.`, '안녕하세요, 반갑습니다.'],
    ['\u3164', undefined],
    ['...', undefined],
    [`키는 ${'aB3'.repeat(30)} 입니다.`, '키는 입니다.'],
    ['', undefined],
  ],
};

for (const [title, table] of Object.entries(tables)) {
  for (const [written, said] of table) {
    test(`converts ${title}: ${JSON.stringify(written)}`, (t) => {
      t.deepEqual(say(written), [said]);
    });
  }
}

const none = undefined;

const replies: Record<string, [written: string, said: string | undefined][]> = {
  'a code block': [
    ['코드:', '코드:'],
    ['```js', none],
    ['say("Hi.', none],
    ['");', none],
    ['```', none],
    ['끝', '끝'],
  ],
  'a code block of tildes': [
    ['~~~', none],
    ['a ~~~ b', none],
    ['~~~', none],
    ['네~~~!', '네!'],
  ],
  'a longer fence around a shorter one': [
    ['````md', none],
    ['```', none],
    ['a', none],
    ['````', none],
    ['끝', '끝'],
  ],
  'a fence within a line': [
    ['앞 ```a', '앞'],
    ['b``` 뒤', '뒤'],
    ['x ```y``` z', 'x z'],
  ],
  'a code block that never ends': [
    ['```', none],
    ['a', none],
    ['b', none],
  ],
  'a comment': [
    ['앞 <!-- a', '앞'],
    ['b', none],
    ['c --> 뒤', '뒤'],
  ],
  'a script': [
    ['<SCRIPT src="a.', none],
    ['b">c()', none],
    ['</script >네', '네'],
  ],
};

for (const [title, sentences] of Object.entries(replies)) {
  test(`does not speak ${title}`, (t) => {
    t.deepEqual(
      say(...sentences.map(([written]) => written)),
      sentences.map(([, said]) => said),
    );
  });
}

test('speaks the next message after one with an unclosed code block', (t) => {
  const speakable = createSpeakable();
  t.is(speakable.say('```'), undefined);
  speakable.reset();
  t.is(speakable.say('네.'), '네.');
});

// Properties
// Any written text yields speakable text, at linear cost.

const markup = [
  '*¦**¦_¦__¦`¦```¦~~¦#¦# ¦- ¦> ¦|¦ | ¦[¦]¦](¦![¦(¦)¦<¦>¦</b>¦<a href="¦"¦<!--¦-->¦<think>¦</think>',
  '&amp;¦&lt;¦&#42;¦\\¦\\(¦$$¦[^1]¦【1†a】¦https://¦www.¦data:¦;¦😀¦👨‍👩‍👧¦→¦ -> ',
  '\ufe0f¦\u20e3¦\u200b¦\ud83d¦\0¦\ue200',
].flatMap((line) => line.split('¦'));

/** Random text with many characters of markup. */
const marked = fc
  .array(
    fc.oneof(
      fc.constantFrom(...markup),
      fc.constantFrom('네', 'word', '3', ' ', '.', ', ', '?', 'か'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''));

test.serial('leaves speakable text unchanged', (t) => {
  fc.assert(
    fc.property(fc.array(marked, { maxLength: 4 }), (sentences) => {
      for (const said of say(...sentences)) if (said !== undefined) t.is(say(said)[0], said);
    }),
    { numRuns: 3_000 },
  );
});

test.serial('never speaks markup characters', (t) => {
  const forbidden =
    /\*\*|`|~~|\]\(|\$\$|\||<\/?[a-z]+>|<!--|:\/\/|[\p{Cc}\p{Cf}\p{Cs}\u{FFFD}\u{1F000}-\u{1FAFF}]|^\s|\s$|\s\s/u;
  fc.assert(
    fc.property(fc.array(marked, { maxLength: 4 }), (sentences) => {
      for (const said of say(...sentences)) {
        if (said === undefined) continue;
        t.notRegex(said, forbidden);
        t.regex(said, /[\p{L}\p{N}]/u);
      }
    }),
    { numRuns: 3_000 },
  );
});

const plainWord = fc.oneof(
  fc.constantFrom(
    '안녕하세요',
    '3시',
    '5,000원',
    '12.25',
    '2~3',
    "it's",
    'U.S',
    'はい',
    '午後三時',
    '50%',
    '$5',
    'R&D',
    '010-1234-5678',
  ),
  fc.stringMatching(/^[가-힣]{1,6}$/),
  fc.stringMatching(/^[A-Za-z0-9]{1,12}$/),
  fc.stringMatching(/^[ぁ-ゖァ-ヺ一-鿿]{1,6}$/),
);

const plainSentence = fc
  .array(fc.tuple(plainWord, fc.constantFrom('', '', '', ',', ':', ';', '…', ' -', '/', '!', '?')), {
    minLength: 1,
    maxLength: 12,
  })
  .chain((words) =>
    fc.tuple(
      fc.constant(words.map((word) => word.join('')).join(' ')),
      fc.constantFrom(['', '.'], ['"', '."'], ['(', ')'], ['“', '?”'], ['「', '。」'], ['', '!!']),
    ),
  )
  .map(([words, [open = '', close = '']]) => `${open}${words}${close}`);

test.serial('speaks a plain sentence unchanged', (t) => {
  fc.assert(
    fc.property(plainSentence, (sentence) => {
      t.is(say(sentence)[0], sentence);
    }),
    { numRuns: 2_000 },
  );
});

for (const part of [
  '[',
  '![',
  '](',
  '[a](b)',
  '<a',
  '<a x=',
  '*a',
  '_',
  '|',
  '| ',
  '→ ',
  '&amp;',
  '\\',
  '【',
  'http://a',
  '[^',
  '> ',
]) {
  test.serial(`processes a sentence full of ${JSON.stringify(part)} in linear time`, async (t) => {
    const taken = (characters: number) => () => {
      const text = part.repeat(characters / part.length);
      say(text, `a${text}b`);
    };
    // For ten times the text, linear cost is ten times as much and quadratic cost a hundred times.
    const times = await timesAsCostly(taken(20_000), taken(2_000), 40);
    t.true(times <= 40, `ten times as long, it costs ${Math.round(times)} times as much`);
  });
}

// Cuts
// How a reply is cut into sentences.

const cut = (pieces: readonly string[]): string[] => {
  const cutter = createSentenceCutter();
  return [...pieces.flatMap((piece) => cutter.add(piece)), ...cutter.end()];
};

for (const sentences of examples) {
  test.serial(`cuts into sentences: ${JSON.stringify(sentences)}`, (t) => {
    t.deepEqual(cut([sentences.join(' ')]), sentences);
  });
}

test.serial('cuts Japanese and unspaced Korean text into sentences', (t) => {
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

test.serial('ends a sentence at a line break, with or without punctuation', (t) => {
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

test.serial('returns the first sentence before the second is complete', (t) => {
  const cutter = createSentenceCutter();
  t.deepEqual(cutter.add('안녕하세'), []);
  t.deepEqual(cutter.add('요.'), []);
  t.deepEqual(cutter.add(' '), ['안녕하세요.']);
  t.deepEqual(cutter.add('잠시만 기다려 주'), []);
  t.deepEqual(cutter.end(), ['잠시만 기다려 주']);
  t.deepEqual(cutter.end(), []);
});

test.serial('returns no sentence for empty text', (t) => {
  t.deepEqual(cut([]), []);
  t.deepEqual(cut(['']), []);
  t.deepEqual(cut([' \n\n ', '  ']), []);
});

test.serial('joins a character that was split between two chunks', (t) => {
  t.deepEqual(cut(['좋아요 \ud83d', '\ude00. 네.']), ['좋아요 😀.', '네.']);
  t.deepEqual(cut(['좋아요! \ud83d', '\ude00']), ['좋아요!', '😀']);
  t.deepEqual(cut(['좋아요 \ud83d']), ['좋아요 \ud83d']);
});

test.serial('cuts into the same sentences for any chunking', (t) => {
  fc.assert(
    fc.property(pieces, ({ whole, parts }) => {
      t.deepEqual(cut(parts), cut([whole]));
      t.deepEqual(cut(Array.from(whole)), cut([whole]));
    }),
    { numRuns: 2_000 },
  );
});

test.serial('cuts text without losing or adding a word', (t) => {
  const bare = (words: string): string => words.replaceAll(/\s/gu, '');
  fc.assert(
    fc.property(pieces, ({ whole, parts }) => {
      const sentences = cut(parts);
      t.is(bare(sentences.join('')), bare(whole));
      t.true(sentences.every((sentence) => sentence !== '' && sentence === sentence.trim()));
    }),
  );
});

test.serial('cuts a too long sentence after a comma, otherwise at a space', (t) => {
  const clause = '단어가 이어지고 또 이어지는데요, ';
  const breaths = cut([clause.repeat(30)]);
  t.true(breaths.length > 1);
  t.true(breaths.every((breath) => breath.length <= 250 && breath.endsWith('데요,')));
  t.deepEqual(
    cut(['word '.repeat(60)]).map(({ length }) => length),
    [249, 49],
  );
});

test.serial('cuts a too long sentence without spaces between whole characters', (t) => {
  for (const character of ['가', '\u1112\u1161\u11ab', 'が', 'か\u3099', '𠮷', '葛\u{e0100}']) {
    const breaths = cut(Array.from(character.repeat(400)));
    t.true(breaths.length > 1);
    t.true(breaths.every((breath) => breath.length <= 250 && breath.length % character.length === 0));
    t.is(breaths.join(''), character.repeat(400));
  }
  const family = '👨‍👩‍👧‍👦';
  t.true(cut([family.repeat(300)]).every((breath) => breath.length % family.length === 0));
});

test.serial('never cuts a URL, however long', (t) => {
  const address = `https://example.com/${'a.b?c!d,e'.repeat(100)}`;
  t.deepEqual(cut([`자세한 내용은 ${address} 입니다. 네.`]), ['자세한 내용은', address, '입니다.', '네.']);
  t.deepEqual(cut([`詳しくは${address}をご覧ください。`]), ['詳しくは', address, 'をご覧ください。']);
});

for (const character of ['가', 'a', '.', '"', '[', '1. ']) {
  test.serial(`cuts 200,000 chunks of ${character} in linear time`, async (t) => {
    const cutPieces = (count: number) => () => {
      const cutter = createSentenceCutter();
      for (let piece = 0; piece < count; piece += 1) cutter.add(character);
      t.true(cutter.end().length < 2);
    };
    // For ten times the text, linear cost is ten times as much and quadratic cost a hundred times.
    const times = await timesAsCostly(cutPieces(200_000), cutPieces(20_000), 40);
    t.true(times <= 40, `ten times as many cost ${Math.round(times)} times as much`);
  });
}

test.serial('cuts an endless quotation at a pause, and no text after it', (t) => {
  const text = `그분이 "${'안녕하세요. '.repeat(60)}`;
  const sentences = cut([text]);
  t.true(sentences.length > 1);
  t.true(sentences.every(({ length }) => length <= 250));
  t.deepEqual(cut(['그분이 "안녕하세요.\n감사합니다. 네.']), ['그분이 "안녕하세요.', '감사합니다.', '네.']);
});

// Pauses
// Sentences when no text arrives for a moment.

/** The text that a pause releases. */
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
  test(`returns the pending text at a pause: ${text}`, (t) => {
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
  test(`keeps the pending text at a pause: ${JSON.stringify(text)}`, (t) => {
    t.deepEqual(paused(text), []);
  });
}

test('cuts into the same sentences when the model pauses between words', (t) => {
  for (const sentences of examples.filter(
    (sentences) => !/\.\.|…|["”] [a-z라하]/u.test(sentences.join(' ')),
  )) {
    const cutter = createSentenceCutter();
    const words = sentences.join(' ').split(/(?= )/u);
    const given = words.flatMap((word) => [...cutter.add(word), ...cutter.pause()]);
    t.deepEqual([...given, ...cutter.end()], sentences);
  }
});

test('returns only text that ends in punctuation at a pause, and loses no word', (t) => {
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

test('does not return an incomplete quotation at a pause', (t) => {
  const cutter = createSentenceCutter();
  t.deepEqual(cutter.add('그분이 "안녕하세요.'), []);
  t.deepEqual(cutter.pause(), []);
  t.deepEqual(cutter.add(' 네."라고 했어요. '), ['그분이 "안녕하세요. 네."라고 했어요.']);
  t.deepEqual(cutter.add('अच्छा।'), []);
  t.deepEqual(cutter.pause(), ['अच्छा।']);
});

// Model marks

const passed = (pieces: readonly string[], options = {}): string => {
  const marks = createModelMarks(options);
  let text = '';
  for (const piece of pieces) {
    const next = marks.add(piece);
    text = next.retracts ? next.text : text + next.text;
  }
  return text + marks.end();
};

const order = '{"name":"find_order","arguments":{"id":"B-2"}}';

/** Model output, and its speakable text. `calls`: it contains a tool call. */
const cases: [title: string, given: string, expected: string, calls?: 'calls'][] = [
  ['ordinary words', '네, 3 < 5 이고 <b>굵게</b> |x| <', '네, 3 < 5 이고 <b>굵게</b> |x| <'],
  ['the end of a turn', '네.<|im_end|>', '네.'],
  ['invented text after the end', '네.<|im_end|>\n<|im_start|>user\n아니요.<|im_end|>', '네.'],
  ['another answer after the end', '네.<|im_end|>\n<|im_start|>assistant\n네.', '네.'],
  ['other ends', '네.<|eot_id|>하나', '네.'],
  ['the end mark of Gemma', '네.<end_of_turn>\n<start', '네.'],
  ['the beginning of a turn', '<|im_start|>assistant\n네.', '네.'],
  ['only the turn beginning of Gemma', '<start_of_turn>model', ''],
  ['a header of Llama', '<|start_header_id|>assistant<|end_header_id|>\n\n네.', '\n\n네.'],
  ['a header without its end', '<|im_start|>네, 예약을 확인했습니다.', '네, 예약을 확인했습니다.'],
  ['a header of Kimi', '<|im_assistant|>assistant<|im_middle|>네.<|im_end|>', '네.'],
  ['a header of Granite', '<|start_of_role|>assistant<|end_of_role|>네.<|end_of_text|>', '네.'],
  ['the end of a sequence', '네.</s> 아니요.', '네.'],
  ['sentences of SSML', '<s>네.</s><s>그럼요.</s>', '<s>네.</s><s>그럼요.</s>'],
  ['an answer in tags', '<think>음.</think><answer>네.</answer>', '네.'],
  ['tokens of EXAONE', '[|assistant|]네.[|endofturn|]\n[|user|]아니요.', '네.'],
  ['tokens of GLM', '<|assistant|>네.<|observation|>{}', '네.'],
  ['tokens of Seed', '<seed:bos>assistant\n네.<seed:eos>', '네.'],
  ['tokens of other kinds', '네<|pad|>.<unused94>', '네.'],
  ['a turn of Mistral', '네.[INST] 아니요. [/INST] 그래요.', '네.'],
  ['terminal escapes', '\u001b[1;31m네\u001b[0m, \u009b4m그럼요\u009b0m.', '네, 그럼요.'],
  ['terminal links', '\u001b]8;;https://example.com\u0007안내\u001b]8;;\u001b\\ 네.', '안내 네.'],

  ['thoughts', '<think>음. 글쎄.</think>\n네.', '\n네.'],
  ['reasoning under another name', '<thinking>음.</thinking>네.', '네.'],
  ['reasoning without a beginning', '음. 글쎄.\n</think>\n네.', '\n네.'],
  ['reasoning without an end', '네.<think>음.', '네.'],
  ['a token within reasoning', '<think>음.<|pad|>글쎄.</think>네.', '네.'],
  ['reasoning with two ends', '음.</think>아.</think>네.', '네.'],
  ['reasoning of Seed', '<seed:think>음.</seed:think>네.', '네.'],
  ['reasoning of EXAONE', '<thought>\n음.\n</thought>\n\n네.', '\n\n네.'],
  ['reasoning of Magistral', '[THINK]음.[/THINK]네.', '네.'],
  ['reasoning of Kimi', '◁think▷음.◁/think▷네.', '네.'],
  ['reasoning of Kimi without a beginning', '음.◁/think▷네.', '네.'],
  [
    'reasoning of Cohere',
    '<|START_THINKING|>음.<|END_THINKING|><|START_RESPONSE|>네.<|END_RESPONSE|><|END_OF_TURN_TOKEN|>',
    '네.',
  ],
  ['reasoning of Gemma 4', '<|channel>thought\n음.\n<channel|>네.<turn|>', '네.'],
  [
    'reasoning of Solar',
    '<|begin|>assistant<|think|>음.<|end|><|begin|>assistant<|content|>네.<|end|>',
    '네.',
  ],
  ['reasoning of Apertus', '<|inner_prefix|>음.<|inner_suffix|>네.<|assistant_end|>', '네.'],
  [
    'reasoning of OpenThoughts',
    '<|begin_of_thought|>음.<|end_of_thought|><|begin_of_solution|>네.<|end_of_solution|>',
    '네.',
  ],
  [
    'a reasoning turn before the answer of HyperCLOVA X',
    '<|im_start|>assistant/think\n음.<|im_end|>\n<|im_start|>assistant\n네.<|im_end|>',
    '네.',
  ],
  ['reasoning of Granite', 'Here is my thought process: 음. Here is my response: 네.', ' 네.'],
  ['half a mark at the end', '네.<|im_', '네.<|im_'],

  [
    'channels of Harmony',
    '<|channel|>analysis<|message|>손님은 시각을 알고 싶어 한다.<|end|><|start|>assistant<|channel|>final<|message|>네 시 반입니다.<|return|>',
    '네 시 반입니다.',
  ],
  ['only the final channel', '<|channel|>final<|message|>네 시 반입니다.', '네 시 반입니다.'],
  ['only the analysis', '<|channel|>analysis<|message|>음.<|end|>', ''],
  ['the final channel without its mark', '<|channel|>final네 시 반입니다.', '네 시 반입니다.'],
  ['channels without their tokens', 'analysis손님은 안다.assistantfinal네 시 반입니다.', '네 시 반입니다.'],
  ['a call of Harmony', '<|channel|>commentary to=functions.look<|message|>{"n":1}<|call|>', '', 'calls'],
  [
    'a preamble and a call of Harmony',
    '<|channel|>commentary<|message|>잠시만요.<|end|><|start|>assistant<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"n":1}<|call|>',
    '잠시만요.',
    'calls',
  ],
  [
    'a call, its result and the answer of Harmony',
    '<|start|>assistant to=functions.look<|channel|>commentary<|message|>{}<|call|><|start|>functions.look to=assistant<|channel|>commentary<|message|>{"a":1}<|end|><|start|>assistant<|channel|>final<|message|>네.<|return|>',
    '네.',
    'calls',
  ],

  ['a call of Hermes and Qwen', `잠시만요. <tool_call>\n${order}\n</tool_call>`, '잠시만요. ', 'calls'],
  ['a call before words', `<tool_call>${order}</tool_call>예약했습니다.`, '예약했습니다.', 'calls'],
  ['a call without an end before words', `<tool_call>${order}\n예약했습니다.`, '예약했습니다.', 'calls'],
  [
    'a call of Qwen Coder',
    '<tool_call>\n<function=find>\n<parameter=city>\n서울 [1]\n</parameter>\n</function>\n</tool_call>네.',
    '\n네.',
    'calls',
  ],
  ['a function and its JSON', '<function=book>{"day":"내일"}', '', 'calls'],
  [
    'a function and its JSON before words',
    '<function=book>{"day":"내일"}예약했습니다.',
    '예약했습니다.',
    'calls',
  ],
  ['calls of Mistral', `[TOOL_CALLS][${order}]`, '', 'calls'],
  ['calls of Mistral before words', `[TOOL_CALLS] [${order}] 예약했습니다.`, '예약했습니다.', 'calls'],
  ['calls of newer Mistrals', '[TOOL_CALLS]find_order[CALL_ID]a1[ARGS]{"id":"B-2"}', '', 'calls'],
  ['calls of Llama', '<|python_tag|>find_order.call(id="B-2")<|eom_id|>', '', 'calls'],
  ['a list of calls in Python', '네. [find_order(id="B-2"), hang_up()]', '네. ', 'calls'],
  [
    'calls of Kimi',
    '네.<|tool_calls_section_begin|><|tool_call_begin|>functions.find_order:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
    '네.',
    'calls',
  ],
  [
    'calls of DeepSeek',
    '네.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>find\n```json\n{"id":"B-2"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
    '네.',
    'calls',
  ],
  [
    'calls of newer DeepSeeks',
    '<｜DSML｜function_calls><｜DSML｜invoke name="find"><｜DSML｜parameter name="city" string="true">서울</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>네.',
    '네.',
    'calls',
  ],
  [
    'a call of GLM',
    '<tool_call>find\n<arg_key>city</arg_key>\n<arg_value>[1] 서울</arg_value>\n</tool_call>네.',
    '네.',
    'calls',
  ],
  [
    'a call of MiniMax',
    '<minimax:tool_call><invoke name="find"><parameter name="city">서울</parameter></invoke></minimax:tool_call>네.',
    '네.',
    'calls',
  ],
  ['a call of Granite', `<|tool_call|>[${order}]`, '', 'calls'],
  ['a call of Phi', `<|tool_call|>[${order}]<|/tool_call|>네.`, '네.', 'calls'],
  ['a call of older Phis', `functools[${order}]`, '', 'calls'],
  [
    'a call of Gemma',
    '<start_function_call>call:find{city:<escape>서울<escape>}<end_function_call>',
    '',
    'calls',
  ],
  ['a call of Gemma 4', '<|tool_call>call:find{city:<|"|>서울<|"|>}<tool_call|>네.', '네.', 'calls'],
  ['a call of Cohere', '<|START_ACTION|>[{"tool_name":"find","parameters":{}}]<|END_ACTION|>', '', 'calls'],
  ['a call of InternLM', `<|action_start|><|plugin|>\n${order}<|action_end|>`, '', 'calls'],
  ['a call of Nemotron', `<TOOLCALL>[${order}]</TOOLCALL>네.`, '네.', 'calls'],
  ['a call of GigaChat', `<|message_sep|>\n\nfunction call<|role_sep|>\n${order}`, '', 'calls'],
  ['a tool result', '<tool_response>{"a":1}</tool_response>네.', '네.', 'calls'],

  ['a bare call', order, '', 'calls'],
  ['a bare call among words', `잠시만요. ${order} 네.`, '잠시만요.  네.', 'calls'],
  ['a list of bare calls', `[${order}, ${order}]`, '', 'calls'],
  ['a bare call in the format of OpenAI', '{"type":"function","function":{"name":"find"}}', '', 'calls'],
  ['a bare call in Python', "{'name': 'find', 'arguments': {'who': \"it's me\"}}", '', 'calls'],
  ['half a bare call', '{"name":"find_order","argum', '', 'calls'],

  ['words about a DTMF key', '이름은 "name" 칸에 쓰세요.', '이름은 "name" 칸에 쓰세요.'],
  ['words about a mark', '<tool_call> 태그는 호출입니다.', '태그는 호출입니다.'],
  ['words about brackets', '[TOOL_CALLS]라는 표시입니다.', '[TOOL_CALLS]라는 표시입니다.'],
  ['words in brackets', '[안내] [OK] 네 [1] [a(b)](c)', '[안내] [OK] 네 [1] [a(b)](c)'],
  ['words in braces', '{이름} 님, { 네 } {', '{이름} 님, { 네 } {'],
  ['an object', '{"id":3} 입니다.', '{"id":3} 입니다.'],
  ['an object with a mark', '{"text":"네.<|im_end|>"}', '{"text":"네.'],
  ['half an object', '{"id":3, "at', '{"id":3, "at'],
  [
    'words that begin like a channel',
    'analysis 결과입니다. final answer.',
    'analysis 결과입니다. final answer.',
  ],
  ['words joined with one', 'analysis는 끝났습니다. 네.', 'analysis는 끝났습니다. 네.'],
  ['words that begin like a header', 'assistant manager입니다.', 'assistant manager입니다.'],
  ['words that begin like reasoning', 'Here is my number.', 'Here is my number.'],
];

for (const [title, given, expected, calls] of cases) {
  test(`returns exactly the speakable text for any chunking: ${title}`, (t) => {
    const read = (pieces: readonly string[]): void => {
      const marks = createModelMarks();
      let text = '';
      for (const piece of pieces) {
        const next = marks.add(piece);
        text = next.retracts ? next.text : text + next.text;
      }
      t.is(text + marks.end(), expected, pieces.join('¦'));
      t.is(marks.wroteCall(), calls !== undefined, pieces.join('¦'));
    };
    read([given]);
    read(given.split(''));
    read(given.match(/[^]{1,3}/gu) ?? []);
    for (let place = 0; place <= given.length; place += 1) read([given.slice(0, place), given.slice(place)]);
  });
}

const modelText = [
  '<|¦|>¦<¦>¦[¦]¦{¦}¦"¦{"name":"x",¦"arguments":{}}¦<think>¦</think>¦<tool_call>¦</tool_call>¦[TOOL_CALLS]',
  '[f(a=¦1)]¦<|im_start|>¦<|im_end|>¦assistant¦user¦\n¦<|channel|>¦final¦analysis¦commentary to=f.x¦<|message|>',
  '<|end|>¦<|start|>¦assistantfinal¦Here is my ¦response:¦thought process:¦functools¦[{¦◁think▷¦◁¦<function=a>',
  '</function>¦<|tool_call>¦<tool_call|>¦<|channel>thought\n¦<channel|>¦]<]minimax[>[¦\u001b[¦31m¦\u001b]¦\u0007¦네¦. ¦A',
].flatMap((line) => line.split('¦'));

test('returns the same speakable text for any chunking', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...modelText), { maxLength: 14 }).map((parts) => parts.join('')),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      (written, sizes, thinksAloud) => {
        const cut: string[] = [];
        for (let at = 0; at < written.length; at += sizes[(cut.length - 1) % sizes.length] ?? 1)
          cut.push(written.slice(at, at + (sizes[cut.length % sizes.length] ?? 1)));
        t.is(cut.join(''), written);
        t.is(passed(cut, { thinksAloud }), passed([written], { thinksAloud }));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('speaks a long object that is no tool call before its end', (t) => {
  const marks = createModelMarks();
  const begun = `{"id":"${'가'.repeat(5_000)}`;
  t.is(marks.add(begun).text.length + marks.end().length, begun.length);
  t.true(createModelMarks().add(begun).text.length > 4_000);
});

test('removes a tool call of any length and keeps the words after it', (t) => {
  const long = order.replace('B-2', '가'.repeat(100_000));
  for (const call of [long, `<tool_call>${long}</tool_call>`, `[TOOL_CALLS][${long}]`]) {
    t.is(passed([`네. ${call} 그럼요.`]).replaceAll(/ +/gu, ' '), '네. 그럼요.');
    t.is(passed(`네. ${call} 그럼요.`.match(/[^]{1,9}/gu) ?? []).replaceAll(/ +/gu, ' '), '네. 그럼요.');
  }
});

test('holds back the text of a reasoning model until its reasoning has ended', (t) => {
  const marks = createModelMarks({ thinksAloud: true });
  t.deepEqual(marks.add('음. 글쎄. '), { text: '', retracts: false });
  t.deepEqual(marks.add('아하.</think>네.'), { text: '네.', retracts: true });
  t.deepEqual(marks.add(' 그럼요.'), { text: ' 그럼요.', retracts: false });
  t.is(marks.end(), '');
});

test('speaks text at the end of the reply that was held back as possible reasoning', (t) => {
  t.is(passed(['네. ', '그럼요.'], { thinksAloud: true }), '네. 그럼요.');
  t.is(passed(['네. <', 'b'], { thinksAloud: true }), '네. <b');
});

test('never speaks reasoning after the first answer', (t) => {
  const utterances = createUtterances();
  t.deepEqual(utterances.add('음, 손님이 예약을 물으니'), []);
  t.deepEqual(utterances.add(' 답하자</think>네. '), ['네.']);
  t.true(utterances.thoughtAloud());
  t.deepEqual(utterances.end(), []);
});

test('never speaks reasoning in a complete reply, of any length', (t) => {
  const utterances = createUtterances();
  t.deepEqual(utterances.add(`${'손님이 예약을 물었다. '.repeat(500)}</think>네. 그럼요.`), ['네.']);
  t.true(utterances.thoughtAloud());
  t.deepEqual(utterances.end(), ['그럼요.']);
});

test('speaks a new message that follows an ended one', (t) => {
  const utterances = createUtterances();
  t.deepEqual(utterances.add('하나.<|im_end|>아니요.'), []);
  t.deepEqual(utterances.sentenceEnd(), ['하나.']);
  t.deepEqual([...utterances.add('둘. '), ...utterances.end()], ['둘.']);
});

// Excerpt

const response = (body: AsyncIterable<Uint8Array>) => {
  let discarded = 0;
  return {
    response: { status: 500, headers: {}, body, discard: () => (discarded += 1) },
    discarded: () => discarded,
  };
};

async function* excerptPieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test.serial('reads a short error body completely', async (t) => {
  t.is(
    await excerptOf(response(excerptPieces(' {"detail":', '"없음"}\n')).response, systemClock),
    '{"detail":"없음"}',
  );
});

test.serial('truncates a long error body and discards the rest', async (t) => {
  let isReleased = false;
  async function* endless() {
    try {
      for (;;) yield Buffer.from('x'.repeat(1_000));
    } finally {
      isReleased = true;
    }
  }
  t.is((await excerptOf(response(endless()).response, systemClock)).length, 2_048);
  t.true(isReleased);
});

test.serial('keeps the received part of an interrupted error body', async (t) => {
  async function* broken() {
    yield Buffer.from('half');
    throw new Error('the connection broke');
  }
  t.is(await excerptOf(response(broken()).response, systemClock), 'half');
});

test.serial('stops reading an endless error body after a time limit', async (t) => {
  let end: (() => void) | undefined;
  async function* slow() {
    yield Buffer.from('half');
    await new Promise<void>((resolve) => (end = resolve));
  }
  const { response: slowResponse, discarded } = response(slow());
  t.is(await excerptOf(slowResponse, systemClock), 'half');
  t.is(discarded(), 1);
  end?.();
});
