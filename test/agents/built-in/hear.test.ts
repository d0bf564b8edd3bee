/** The built-in agent's understanding of words, which comes to an end whatever they are. */
import test from 'ava';
import * as fc from 'fast-check';
import { hear } from '#src/agents/built-in/hear.ts';
import { wordsFor } from '#src/agents/built-in/languages.ts';
import { talk } from './talk.ts';

test('a language that it does not speak is spoken to in English, a regional one in its own', (t) => {
  t.is(wordsFor('fr'), wordsFor('en'));
  t.is(wordsFor('ko-KR'), wordsFor('ko'));
  t.is(wordsFor('JA'), wordsFor('ja'));
  t.is(wordsFor(''), wordsFor('en'));
});

const meanings: [language: string, text: string, meaning: string, details: string[]][] = [
  ['ko', '예약했습니다', 'statement', []],
  ['ko', '예, 그렇습니다', 'yes', []],
  ['ko', '잠시만요', 'wait', []],
  ['ko', '못 들었어요', 'repeat', []],
  ['ko', '안녕히 계세요', 'goodbye', []],
  [
    'ko',
    '11월 21일 토요일 오전 열 시 반에 4명이요',
    'statement',
    ['11월 21일', '토요일', '오전 열 시 반', '4명'],
  ],
  ['en', 'Not today, sorry.', 'no', ['today']],
  ['en', 'May I ask who this is?', 'question', []],
  ['en', 'On March 3rd, noon, for 4, at 555-1234.', 'statement', ['March 3rd', 'noon', '4', '555-1234']],
  ['ja', 'もう一度お願いします', 'repeat', []],
  ['ja', '明日の午後3時半に2名です', 'statement', ['明日', '午後3時半', '2名']],
];

for (const [language, text, meaning, details] of meanings) {
  test(`"${text}" is heard as ${meaning}${details.length > 0 ? ' with details' : ''}`, (t) => {
    t.deepEqual(hear(text, wordsFor(language)), { text, meaning, details });
  });
}

const anyTurn = fc.oneof(
  fc.constantFrom(
    ...meanings.map(([, text]) => text),
    'Yes.',
    'No.',
    'Hello?',
    'Wait!',
    'What?',
    '네.',
    '아니요.',
    '네?',
  ),
  fc.string(),
);

test('whatever the other party says, the conversation comes to its end, and its end depends on the history alone', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('ko', 'en', 'ja'),
      fc.constantFrom('inbound' as const, 'outbound' as const),
      fc.option(fc.string()),
      fc.array(anyTurn, { minLength: 16, maxLength: 16 }),
      async (language, direction, task, turns) => {
        const call = { language, direction, task };
        const conversation = talk(call);
        if (direction === 'outbound') await conversation.open();
        for (const turn of turns) {
          const text = await conversation.say(turn);
          t.is(text, await talk(call).reply(conversation.messages.slice(0, text === '' ? undefined : -1)));
        }
        t.true(conversation.hangups.some(({ immediate }) => immediate));
      },
    ),
    { numRuns: 200 },
  );
});
