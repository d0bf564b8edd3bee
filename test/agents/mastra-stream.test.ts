import test from 'ava';
import { AgentFailure } from '#src/agents/agent.ts';
import { readMastraReply } from '#src/agents/mastra/read-reply.ts';
import { hearReply, type HeardReply } from '#test/helpers/heard-reply.ts';
import { bodyOf, everyCut, recordedReplies } from '#test/helpers/recorded-replies.ts';

const longestLine = 1_000_000;
const hear = (pieces: readonly Uint8Array[], options: { reset?: boolean } = {}): Promise<HeardReply> =>
  hearReply(readMastraReply(bodyOf(pieces, options), longestLine));
const hearText = (text: string): Promise<HeardReply> => hear([Buffer.from(text)]);

const chunk = (type: string, payload: unknown = {}, from = 'AGENT') => ({ type, runId: 'r', from, payload });
const delta = (text: string, id = 'txt-1') => chunk('text-delta', { id, text });
const finish = (reason = 'stop') => chunk('finish', { stepResult: { reason }, output: { text: 'not this' } });
const events = (...chunks: unknown[]): string =>
  chunks.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('');
const done = 'data: [DONE]\n\n';

const cutEvery = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

/**
 * Every place is cut at, for bodies that are too long for one reading a place: a cut every 64 bytes, from each of the
 * first 64 places on, and all into single bytes.
 */
function* everyCutFarApart(bytes: Buffer): Generator<Buffer[], void, undefined> {
  for (let first = 1; first <= 64; first += 1)
    yield [bytes.subarray(0, first), ...cutEvery(bytes.subarray(first), 64)];
  yield cutEvery(bytes, 1);
}

/** Several servers gave the same bytes. */
const recorded = [
  ...new Map(
    recordedReplies('mastra')
      .filter(({ response }) => response.status < 300)
      .map((reply) => [`${reply.bytes.toString('base64')} ${String(reply.response.reset)}`, reply]),
  ).values(),
];

/** Answers without a word and without an end: nothing was expected to be spoken, so the reply is missing. */
const missing: Readonly<Record<string, string>> = {
  '12-generate-non-stream': 'invalid_reply',
  'old-v0.18.0-errPart-stream-vnext': 'no_reply',
  'old-v0.18.0-voiceAssistant-stream-vnext': 'no_reply',
};

for (const { name, bytes, response, expect } of recorded) {
  test(`recorded ${name}, cut anywhere, speaks what it should`, async (t) => {
    for (const pieces of bytes.length < 4_096 ? everyCut(bytes) : everyCutFarApart(bytes)) {
      const { text, error } = await hear(pieces, response);
      const failure = missing[name] ?? (expect.failure === undefined ? undefined : 'agent_reported_error');
      if (text !== expect.spoken || (error instanceof AgentFailure ? error.failure : error) !== failure) {
        t.deepEqual({ text, error }, { text: expect.spoken ?? '', error: failure }, pieces.join('|'));
      }
    }
    const { error } = await hear([bytes], response);
    const said = expect.failure?.replace('tripwire: ', '');
    t.is(error instanceof AgentFailure ? error.serverSays : undefined, said);
    if (error instanceof Error && said !== undefined) t.false(error.message.includes(said));
  });
}

test('a tool call between two messages ends the sentence', async (t) => {
  const reply = recorded.find(({ name }) => name === '04-tool-call');
  t.deepEqual((await hear([reply?.bytes ?? Buffer.from('')])).sentences, [
    '확인해 보겠습니다. ',
    '주문하신 상품은 지금 배송 중입니다.',
  ]);
});

test('messages are kept apart, also when they share an ID or nothing stands between them', async (t) => {
  const { text, sentences } = await hearText(
    events(
      delta('하나'),
      delta(' 더'),
      chunk('step-finish', { stepResult: { reason: 'tool-calls' } }),
      chunk('step-start'),
      delta('둘'),
      delta('셋', 'txt-2'),
      finish(),
    ) + done,
  );
  t.is(text, '하나 더둘셋');
  t.deepEqual(sentences, ['하나 더', '둘', '셋']);
});

test('only the text of the agent itself is spoken', async (t) => {
  const inner = delta('안쪽');
  const { text, remarks } = await hearText(
    events(
      chunk('reasoning-delta', { id: 'txt-1', text: '생각' }),
      chunk('tool-output', { output: inner, toolName: 'agent-sub' }, 'USER'),
      chunk('tool-result', { result: { text: '결과' } }),
      chunk('tool-error', { error: { message: '실패' } }),
      { type: 'text-delta', id: '1', delta: '다른 형식', text: '다른 자리' },
      { type: 'data-note', text: '메모', data: inner },
      { text: '문서', output: '출력' },
      delta('답'),
      finish(),
    ) + done,
  );
  t.is(text, '답');
  t.deepEqual(remarks, ['a part of the stream could not be read']);
});

test('a character whose halves come in two deltas stays one', async (t) => {
  const { text } = await hearText(
    'data: {"type":"text-delta","payload":{"id":"1","text":"좋아요 \\ud83d"}}\n\n' +
      'data: {"type":"text-delta","payload":{"id":"1","text":"\\ude00!"}}\n\n' +
      events(finish()) +
      done,
  );
  t.is(text, '좋아요 😀!');
});

const ends = test.macro<[title: string, body: string, expected: Partial<HeardReply> | string]>({
  async exec(t, _, body, expected) {
    const { error, ...heard } = await hearText(body);
    if (typeof expected === 'string') t.is(error instanceof AgentFailure ? error.failure : error, expected);
    else {
      t.is(error, undefined);
      t.like(heard, expected);
    }
  },
  title: (_, title) => title,
});

const words = delta('네.');
test(ends, 'a reply with all of its marks needs no remark', events(words, finish()) + done, {
  text: '네.',
  remarks: [],
});
test(ends, 'the end of the response will do behind a finish', events(words, finish()), { remarks: [] });
test(ends, 'text without an end stands', events(words), {
  text: '네.',
  remarks: ['the stream ended without its end mark'],
});
test(ends, 'nothing behind the end mark is read', events(words, finish()) + done + events(delta('더')), {
  text: '네.',
});
test(ends, 'text behind a finish is not of the reply', events(words, finish(), delta('더')) + done, {
  text: '네.',
});
test(ends, 'a finish without text is silence', events(finish()) + done, {
  text: '',
  remarks: ['the agent finished without text'],
});
test(ends, 'a tool call for the caller behind words', events(words, finish('tool-calls')) + done, {
  text: '네.',
  remarks: ['the agent finished with a tool call that it leaves to the caller'],
});
for (const reason of ['tool-calls', 'length', 'content-filter', 'unknown', 'a new one']) {
  test(ends, `a finish for ${reason} without words is no silence`, events(finish(reason)) + done, 'no_reply');
}
test(ends, 'a finish of a kind that is new', events(words, finish('toString')) + done, {
  text: '네.',
  remarks: ['the agent finished for a reason that is not known here'],
});
test(ends, 'an approval that nobody gives', events(words, chunk('tool-call-approval')) + done, {
  text: '네.',
  remarks: ['the agent waits for a tool call to be approved'],
});
test(ends, 'a suspended tool without text', events(chunk('tool-call-suspended')) + done, 'no_reply');
test(ends, 'an approval without text', events(chunk('tool-call-approval'), finish()) + done, 'no_reply');
test(ends, 'data that is not JSON', `${events(words)}data: {"type":\n\n${events(finish())}${done}`, {
  text: '네.',
  remarks: ['a part of the stream could not be read'],
});
test(ends, 'an end mark alone', done, 'no_reply');
test(ends, 'a stream that only begins', events(chunk('start'), chunk('step-start')), 'no_reply');
test(ends, 'no body', '', 'no_reply');
test(ends, 'a page', '<!doctype html><p>0:"네"', 'invalid_reply');
test(ends, 'plain words', '네, 그렇습니다.', 'invalid_reply');
test(ends, 'JSON of another kind', '{"reply":"네"}', 'invalid_reply');
test(ends, 'a finish for an error', events(words, finish('error')) + done, 'agent_reported_error');
test(ends, 'a finish for a guardrail', events(finish('tripwire')) + done, 'agent_reported_error');
test(ends, 'an error without any words', events(words, chunk('error', null)), 'agent_reported_error');

test('the words of an error are found in each of its shapes, what came before it is said', async (t) => {
  const shapes = [{ error: { message: '과부하' } }, { type: 'error', error: '과부하' }];
  for (const payload of shapes) {
    const { text, error } = await hearText(events(words, chunk('error', payload), delta('더')) + done);
    t.is(text, '네.');
    t.like(error, { failure: 'agent_reported_error', serverSays: '과부하' });
  }
});

test('the older data stream: errors, steps, reasoning and tools', async (t) => {
  const body = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');
  const whole = await hearText(
    body(
      'f:{"messageId":"1"}',
      'g:"생각"',
      '0:"확인해 볼게요"',
      '9:{"toolCallId":"c","toolName":"0","args":{"text":"인자"}}',
      'a:{"toolCallId":"c","result":"결과"}',
      '2:[{"text":"자료"}]',
      'e:{"finishReason":"tool-calls","isContinued":true}',
      'f:{"messageId":"2"}',
      '0:"배송 중입니다"',
      'e:{"finishReason":"stop","isContinued":false}',
      'd:{"finishReason":"stop"}',
    ),
  );
  t.deepEqual(whole, {
    text: '확인해 볼게요배송 중입니다',
    sentences: ['확인해 볼게요', '배송 중입니다'],
    remarks: [],
    error: undefined,
  });
  const failed = await hearText(body('0:"오늘은 "', '3:"과부하"', 'd:{"finishReason":"error"}'));
  t.is(failed.text, '오늘은 ');
  t.like(failed.error, { failure: 'agent_reported_error', serverSays: '과부하' });
  t.like((await hearText(body('d:{"finishReason":"error"}'))).error, { failure: 'agent_reported_error' });
  t.like(await hearText(body('0:"네"', '0:nonsense', 'd:nonsense')), { text: '네', error: undefined });
});
