import test from 'ava';
import { AgentFailure } from '#src/agents/agent.ts';
import { readN8nReply } from '#src/agents/n8n/read-reply.ts';
import { hearReply, type HeardReply } from '#test/helpers/heard-reply.ts';
import { bodyOf, everyCut, recordedReplies } from '#test/helpers/recorded-replies.ts';

const longestLine = 1_000_000;
const hear = (pieces: readonly Uint8Array[], options: { reset?: boolean } = {}): Promise<HeardReply> =>
  hearReply(readN8nReply(bodyOf(pieces, options), longestLine));
const hearBody = (body: string | Buffer): Promise<HeardReply> => hear([Buffer.from(body)]);

const failureOf = ({ error }: HeardReply): unknown => (error instanceof AgentFailure ? error.failure : error);

/** What a recorded answer without a reply fails with; the recordings only say that it does. */
const expectedFailure = (failure: string | undefined): string | undefined => {
  if (failure === undefined) return undefined;
  return failure === 'empty body' || failure.startsWith('no output/text/message field')
    ? 'no_reply'
    : 'agent_reported_error';
};

for (const { name, bytes, response, expect } of recordedReplies('n8n')) {
  if (response.status >= 300) continue;
  test(`recorded ${name}, cut anywhere, speaks what it should`, async (t) => {
    const wanted = { text: expect.spoken ?? '', failure: expectedFailure(expect.failure) };
    for (const pieces of everyCut(bytes)) {
      const heard = await hear(pieces, response);
      const { text } = heard;
      const failure = failureOf(heard);
      if (text !== wanted.text || failure !== wanted.failure)
        t.deepEqual({ text, failure }, wanted, pieces.join('|'));
    }
    t.is(failureOf(await hear([bytes], response)), wanted.failure);
  });
}

const speaks = test.macro<[title: string, body: unknown, expected: string]>({
  async exec(t, _, body, expected) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    for (const pieces of everyCut(Buffer.from(text)))
      t.like(await hear(pieces), { text: expected, error: undefined });
  },
  title: (_, title) => title,
});

const fails = test.macro<[title: string, body: unknown, failure: string, message?: RegExp]>({
  async exec(t, _, body, failure, message) {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const heard = await hearBody(isRaw ? body : JSON.stringify(body));
    t.is(heard.text, '');
    t.is(failureOf(heard), failure);
    if (message !== undefined) t.regex(heard.error instanceof Error ? heard.error.message : '', message);
  },
  title: (_, title) => title,
});

// One document
test(speaks, 'output comes before text and message', { message: 'c', text: 'b', output: 'a' }, 'a');
test(speaks, 'text comes before message', { message: 'c', text: 'b' }, 'b');
test(speaks, 'message alone', { message: 'c' }, 'c');
test(speaks, 'a field that is no text is passed over', { output: null, text: 7, message: 'c' }, 'c');
test(speaks, 'an object in output', { output: { text: '안쪽' }, text: '바깥' }, '안쪽');
test(speaks, 'an object in output without a reply', { output: { answer: '안쪽' }, text: '바깥' }, '바깥');
test(speaks, 'a list in output', { output: [{ foo: 1 }, { text: '안쪽' }] }, '안쪽');
test(speaks, 'all incoming items: the first that gives a reply', [{ foo: 1 }, { output: 'a' }, 'b'], 'a');
test(speaks, 'a list of texts', ['a', 'b'], 'a');
test(speaks, 'a text in quotes', '"안녕\\n하세요"', '안녕\n하세요');
test(speaks, 'a document over several lines', '\n{\n  "output": "네"\n}\n', '네');
test(speaks, 'blank lines that keep the connection alive', '\n \n\n{"output":"네"}\n\n', '네');
test(speaks, 'documents on lines: the first that gives a reply', '{"a":1}\n{"text":"a"}\n{"text":"b"}', 'a');
test(
  speaks,
  'the words of a status with a reply beside it',
  { message: 'Workflow was started', text: 'a' },
  'a',
);
test(speaks, 'a type that is not of a stream', { type: 'answer', output: '네' }, '네');

test(fails, 'an empty body', '', 'no_reply', /empty/);
test(fails, 'blank lines alone', '\n \r\n', 'no_reply', /empty/);
test(
  fails,
  'other fields',
  { answer: '네', reply: '네', content: '네' },
  'no_reply',
  /"output", "text" or "message"/,
);
test(fails, 'an empty object', {}, 'no_reply');
test(fails, 'an empty list', [], 'no_reply');
test(fails, 'null', 'null', 'no_reply');
test(fails, 'a number', '42', 'no_reply');
test(fails, 'a reply that is a number', { output: 42 }, 'no_reply');
test(fails, 'a workflow that only starts', { message: 'Workflow was started' }, 'no_reply', /response mode/);
test(fails, 'an execution that only starts', { executionStarted: true }, 'no_reply', /response mode/);
test(fails, 'lists in lists without end', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'no_reply');
test(fails, 'a page', '<!DOCTYPE html><p>네</p>', 'invalid_reply');
test(fails, 'half a document', '{"output":"안녕', 'invalid_reply');
test(fails, 'half a list', '[{"output":"안녕', 'invalid_reply');
test(fails, 'an event stream', 'data: {"type":"text-delta"}\n\n', 'invalid_reply');
test(fails, 'a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 'invalid_reply');
test(fails, 'text in UTF-16', Buffer.from('hello', 'utf16le'), 'invalid_reply');
test(fails, 'text in an old encoding', Buffer.from([0xbe, 0xc8, 0xb3, 0xe7]), 'invalid_reply');

const jsonLines = (...values: unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');
for (const body of [
  ...['', '  '].map((output) => JSON.stringify({ output, text: '다른 말' })),
  jsonLines({ type: 'begin' }, { type: 'item', content: '' }, { type: 'end' }),
  jsonLines({ type: 'begin' }, { type: 'end' }),
]) {
  test(`${body.trim()} is the agent choosing silence`, async (t) => {
    const { error, remarks } = await hearBody(body);
    t.is(error, undefined);
    t.deepEqual(remarks, ['the workflow answered with an empty text']);
  });
}

// Plain text
test(
  speaks,
  'plain text without the space around it',
  ' 안녕하세요: "네" \r\n둘째 줄\n',
  '안녕하세요: "네" \n둘째 줄',
);
test(speaks, 'text that begins with a bracket', '[안내] 오늘은 쉽니다.', '[안내] 오늘은 쉽니다.');
test(speaks, 'text that begins with a brace', '{이름} 님, 안녕하세요.', '{이름} 님, 안녕하세요.');
test(speaks, 'text that begins with a quote', '"안녕" 이라고 했어요.', '"안녕" 이라고 했어요.');

// Streams
const lines = jsonLines;
const begin = { type: 'begin', metadata: { nodeName: 'AI Agent' } };
const end = { type: 'end', metadata: { nodeName: 'AI Agent' } };
const item = (content: unknown) => ({ type: 'item', content, metadata: { text: '아님', output: '아님' } });

test('an end is not the end of the reply, but of a sentence', async (t) => {
  const body = lines(
    begin,
    item('확인해 '),
    item('볼게요'),
    end,
    begin,
    end,
    begin,
    item('배송 중입니다'),
    end,
  );
  t.deepEqual(await hearBody(body), {
    text: '확인해 볼게요배송 중입니다',
    sentences: ['확인해 볼게요', '배송 중입니다'],
    remarks: [],
    error: undefined,
  });
});

test('JSON in an item gives its reply, or nothing', async (t) => {
  const json = (value: unknown) => item(JSON.stringify(value));
  const body = lines(
    begin,
    json({ output: '하나 ' }),
    json({ answer: '아님' }),
    json([{ text: '둘 ' }]),
    json({ executionStarted: true }),
    json({ message: 'Workflow was started' }),
    item({ output: '셋 ' }),
    item(7),
    item('{이름} '),
    item('[1] '),
    item('"넷"'),
    end,
  );
  t.like(await hearBody(body), { text: '하나 둘 셋 {이름} [1] "넷"', error: undefined });
});

const toolError = { type: 'error', content: '연결 거부', metadata: { nodeName: 'hang_up' } };
const wentOn = 'a node of the workflow failed, and the workflow went on';

test('a tool that fails is no failed turn: what the agent says behind it is the reply', async (t) => {
  const body = lines(begin, item('잠시만요.'), end, toolError, begin, item('안녕히 '), item('계세요.'), end);
  t.deepEqual(await hearBody(body), {
    text: '잠시만요.안녕히 계세요.',
    sentences: ['잠시만요.', '안녕히 계세요.'],
    remarks: [wentOn],
    error: undefined,
  });
});

test('a tool that fails behind the words, and a step that adds nothing, leave the words', async (t) => {
  t.deepEqual(await hearBody(lines(begin, item('안녕히 계세요.'), end, toolError, begin, end)), {
    text: '안녕히 계세요.',
    sentences: ['안녕히 계세요.'],
    remarks: [wentOn],
    error: undefined,
  });
});

test('an error behind which no words come is that of the reply', async (t) => {
  const { text, error } = await hearBody(lines(begin, toolError, begin, end));
  t.is(text, '');
  t.like(error, { failure: 'agent_reported_error', serverSays: '연결 거부' });
});

test('an error that is the last word fails the reply, and what came before it is said', async (t) => {
  const withWords = await hearBody(lines(begin, item('오늘은 '), { type: 'error', content: '한도 초과' }));
  t.is(withWords.text, '오늘은 ');
  t.like(withWords.error, { failure: 'agent_reported_error', serverSays: '한도 초과' });
  t.false(String(withWords.error).includes('한도'));
  const without = await hearBody(lines(begin, { type: 'error', message: '아님' }));
  t.like(without.error, { failure: 'agent_reported_error', serverSays: undefined });
});

test(fails, 'a stream that breaks off before a word', lines(begin, item('')), 'no_reply');
test(fails, 'a stream whose nodes do not all end', lines(begin, begin, end), 'no_reply');
test(fails, 'a stream whose items hold no reply', lines(begin, item('{"answer":"네"}'), end), 'no_reply');
test(
  speaks,
  'a stream with lines of other kinds',
  lines({ type: 'ping' }, begin, item('네'), { text: 'x' }, end),
  '네',
);

test('what is odd about a stream is remarked, and its words stand', async (t) => {
  const remarksOf = async (body: string, text = '네') => {
    const heard = await hearBody(body);
    t.like(heard, { text, error: undefined });
    return heard.remarks;
  };
  t.deepEqual(await remarksOf(lines(begin, item('네'))), ['the stream ended before all of its nodes had']);
  t.deepEqual(await remarksOf(`${lines(begin, item('네'), end)}{"type":"it`), [
    'a line of the response could not be read',
  ]);
  t.deepEqual(await remarksOf(lines(begin, item(''), end), ''), ['the workflow answered with an empty text']);
});
