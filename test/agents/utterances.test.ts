import test from 'ava';
import * as fc from 'fast-check';
import { AgentFailure } from '#src/agents/agent.ts';
import { createUtterances, type ReplyPart } from '#src/agents/utterances.ts';

const asSpeech = (utterance: ReplyPart): string => {
  if (typeof utterance !== 'string') throw new Error('A text has become a control');
  return utterance;
};

const speak = (pieces: readonly string[]): string[] => {
  const utterances = createUtterances();
  return [...pieces.flatMap((piece) => utterances.add(piece)), ...utterances.end()].map(asSpeech);
};

const answer = `# 예약 안내 😊

**안녕하세요!** 예약은 다음과 같습니다:

| 날짜 | 시간 |
|------|------|
| 12.25. | 오후 3시 |

- [약도](https://example.com/map?a=1.5)를 봐 주세요.
- \`npm test\`는 3 * 4번입니다.

\`\`\`js
console.log("말하지 마세요. 네?");
\`\`\`

1. 감사합니다.
`;

const spoken = [
  '예약 안내',
  '안녕하세요!',
  '예약은 다음과 같습니다:',
  '날짜, 시간',
  '12.25. 오후 3시',
  '약도를 봐 주세요.',
  'npm test는 3 * 4번입니다.',
  '1. 감사합니다.',
];

test('a written answer becomes speech, however it is cut into pieces', (t) => {
  t.deepEqual(speak([answer]), spoken);
  t.deepEqual(speak(answer.split('')), spoken);
  fc.assert(
    fc.property(fc.array(fc.nat(answer.length), { maxLength: 20 }), (places) => {
      const cuts = [0, ...places.toSorted((a, b) => a - b), answer.length];
      t.deepEqual(speak(cuts.slice(1).map((end, index) => answer.slice(cuts[index], end))), spoken);
    }),
  );
});

test('a sentence is spoken as soon as it is whole, or when nothing more comes', (t) => {
  const utterances = createUtterances();
  t.deepEqual(utterances.add('**네.** 잠'), ['네.']);
  t.deepEqual(utterances.add('시만요.'), []);
  t.deepEqual(utterances.pause(), ['잠시만요.']);
  t.deepEqual(utterances.pause(), []);
  t.deepEqual(utterances.add(' 확인해 보'), []);
  t.deepEqual(utterances.pause(), []);
  t.deepEqual(utterances.end(), ['확인해 보']);
});

test('a message that is complete ends its sentence and whatever it has left open', (t) => {
  const utterances = createUtterances();
  t.deepEqual(utterances.add('확인해 보겠습니다'), []);
  t.deepEqual(utterances.sentenceEnd(), ['확인해 보겠습니다']);
  t.deepEqual(utterances.add('```js\na. b'), []);
  t.deepEqual(utterances.sentenceEnd(), []);
  t.deepEqual(utterances.add('끝났습니다. '), ['끝났습니다.']);
});

test('a pause does not reveal what is hidden', (t) => {
  const utterances = createUtterances();
  t.deepEqual(utterances.add('<think>Let me see.'), []);
  t.deepEqual(utterances.pause(), []);
  t.deepEqual(utterances.add(' Hm.'), []);
  t.deepEqual(utterances.pause(), []);
  t.deepEqual(utterances.add('</think>네.'), []);
  t.deepEqual(utterances.pause(), ['네.']);
});

test('a speech without end is a failure; what is not spoken does not count', (t) => {
  const utterances = createUtterances();
  const sentence = '말이 끝이 없습니다. ';
  utterances.add('```\n');
  for (let count = 0; count < 10_000; count += 1) t.deepEqual(utterances.add(sentence), []);
  utterances.add('\n```\n');
  let characters = 0;
  const error = t.throws(
    () => {
      for (let count = 0; count < 10_000; count += 1)
        characters += utterances.add(sentence).map(asSpeech).join('').length;
    },
    { instanceOf: AgentFailure },
  );
  t.is(error.failure, 'reply_too_large');
  t.true(characters > 65_000 && characters <= 65_536);
  t.notRegex(error.message, /말이/);
});
