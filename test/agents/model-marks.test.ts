import test from 'ava';
import { createModelMarks } from '#src/agents/model-marks.ts';
import { createUtterances } from '#src/agents/utterances.ts';

const passed = (pieces: readonly string[], options = {}): string => {
  const marks = createModelMarks(options);
  let text = '';
  for (const piece of pieces) {
    const next = marks.add(piece);
    text = next.retracts ? next.text : text + next.text;
  }
  return text + marks.end();
};

const cases: [title: string, given: string, expected: string][] = [
  ['ordinary words', '네, 3 < 5 이고 <b>굵게</b> |x| <', '네, 3 < 5 이고 <b>굵게</b> |x| <'],
  ['the end of a turn', '네.<|im_end|>', '네.'],
  ['what a model makes up behind the end', '네.<|im_end|>\n<|im_start|>user\n아니요.<|im_end|>', '네.'],
  ['other ends', '네.<|eot_id|>하나', '네.'],
  ['the end of Gemma', '네.<end_of_turn>\n<start', '네.'],
  ['the beginning of a turn', '<|im_start|>assistant\n네.', '네.'],
  ['a header of Llama', '<|start_header_id|>assistant<|end_header_id|>\n\n네.', '\n\n네.'],
  ['tokens of other kinds', '네<|pad|>.', '네.'],
  ['thoughts', '<think>음. 글쎄.</think>\n네.', '\n네.'],
  ['thoughts of another name', '<thinking>음.</thinking>네.', '네.'],
  ['thoughts without a beginning', '음. 글쎄.\n</think>\n네.', '\n네.'],
  ['thoughts without an end', '네.<think>음.', '네.'],
  ['a token within thoughts', '<think>음.<|pad|>글쎄.</think>네.', '네.'],
  ['thoughts that end twice', '음.</think>아.</think>네.', '네.'],
  ['half a mark at the end', '네.<|im_', '네.<|im_'],
];

for (const [title, given, expected] of cases) {
  test(`${title}: cut anywhere, what is for the ear is left`, (t) => {
    t.is(passed([given]), expected);
    t.is(passed(given.split('')), expected);
    for (let place = 0; place <= given.length; place += 1)
      t.is(passed([given.slice(0, place), given.slice(place)]), expected, String(place));
  });
}

test('of an agent that thinks aloud nothing is said before its thoughts are over', (t) => {
  const marks = createModelMarks({ thinksAloud: true });
  t.deepEqual(marks.add('음. 글쎄. '), { text: '', retracts: false });
  t.deepEqual(marks.add('아하.</think>네.'), { text: '네.', retracts: true });
  t.deepEqual(marks.add(' 그럼요.'), { text: ' 그럼요.', retracts: false });
  t.is(marks.end(), '');
});

test('what was taken for a thought and was none is said at the end', (t) => {
  t.is(passed(['네. ', '그럼요.'], { thinksAloud: true }), '네. 그럼요.');
  t.is(passed(['네. <', 'b'], { thinksAloud: true }), '네. <b');
});

test('a thought that has not been spoken yet never is', (t) => {
  const utterances = createUtterances();
  t.deepEqual(utterances.add('음, 손님이 예약을 물으니'), []);
  t.deepEqual(utterances.add(' 답하자</think>네. '), ['네.']);
  t.true(utterances.thoughtAloud());
  t.deepEqual(utterances.end(), []);
});

test('a new message may speak again behind the end of another', (t) => {
  const utterances = createUtterances();
  t.deepEqual(utterances.add('하나.<|im_end|>아니요.'), []);
  t.deepEqual(utterances.sentenceEnd(), ['하나.']);
  t.deepEqual([...utterances.add('둘. '), ...utterances.end()], ['둘.']);
});
