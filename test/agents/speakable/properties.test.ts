/** Whatever is written, what is said can be said, and costs in proportion. */
import { timesAsCostly } from '#test/helpers/processor-time.ts';
import test from 'ava';
import * as fc from 'fast-check';
import { createSpeakable } from '#src/agents/speakable.ts';

/** Of each sentence of a reply what is said. */
const say = (...sentences: string[]): (string | undefined)[] => {
  const speakable = createSpeakable();
  return sentences.map((sentence) => speakable.say(sentence));
};

const markup = [
  '*¦**¦_¦__¦`¦```¦~~¦#¦# ¦- ¦> ¦|¦ | ¦[¦]¦](¦![¦(¦)¦<¦>¦</b>¦<a href="¦"¦<!--¦-->¦<think>¦</think>',
  '&amp;¦&lt;¦&#42;¦\\¦\\(¦$$¦[^1]¦【1†a】¦https://¦www.¦data:¦;¦😀¦👨‍👩‍👧¦→¦ -> ',
  '\ufe0f¦\u20e3¦\u200b¦\ud83d¦\0¦\ue200',
].flatMap((line) => line.split('¦'));

/** Any text, rich in what is written to be read. */
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

test('what is said can be said as it is', (t) => {
  fc.assert(
    fc.property(fc.array(marked, { maxLength: 4 }), (sentences) => {
      for (const said of say(...sentences)) if (said !== undefined) t.is(say(said)[0], said);
    }),
    { numRuns: 3_000 },
  );
});

test('no mark is ever said', (t) => {
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

test('a plain sentence is said to the letter', (t) => {
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
  test(`a sentence full of ${JSON.stringify(part)} is taken apart in time that grows with it`, async (t) => {
    const taken = (characters: number) => () => {
      const text = part.repeat(characters / part.length);
      say(text, `a${text}b`);
    };
    // In proportion it would be ten times as much, with the square a hundred.
    const times = await timesAsCostly(taken(20_000), taken(2_000), 40);
    t.true(times <= 40, `ten times as long, it costs ${Math.round(times)} times as much`);
  });
}
