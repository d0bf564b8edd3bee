import test from 'ava';
import { replyLimits } from '#config/policy.ts';
import { readRun } from '#src/agents/langgraph/read-run.ts';
import { readFrames } from '#src/agents/wire/read-frames.ts';
import type { HeardReply } from '#test/helpers/heard-reply.ts';
import { bodyOf } from '#test/helpers/recorded-replies.ts';
import { event, metadata as metadataOf } from './graph-server.ts';
import { hearRun } from './hear-run.ts';

const hearText = (text: string): Promise<HeardReply> => hearRun([Buffer.from(text)]);

const metadata = metadataOf('run-1');
const ai = (content: unknown, id = 'a') => ({ content, id, type: 'ai', tool_calls: [] });
const human = (content: string) => ({ content, id: 'h', type: 'human' });
const partial = (content: unknown, id?: string): string => event('messages/partial', [ai(content, id)]);
const complete = (...messages: readonly unknown[]): string => event('messages/complete', messages);

test('splits two messages into two sentences, regardless of punctuation', async (t) => {
  const { sentences } = await hearText(
    metadata +
      partial('잠깐만', 'a') +
      partial('잠깐만요', 'a') +
      partial('네', 'b') +
      complete(ai('네', 'b'), ai('끝', 'c')),
  );
  t.deepEqual(sentences, ['잠깐만요', '네', '끝']);
});

test('speaks a text once that a node streams and also returns as its own message', async (t) => {
  const { text } = await hearText(
    metadata +
      partial('네, 그렇', 'a') +
      partial('네, 그렇습니다.', 'a') +
      complete(ai('네, 그렇습니다. ', 'b')),
  );
  t.is(text, '네, 그렇습니다.');
  const further = await hearText(metadata + complete(ai('네.', 'a'), ai('아니요.', 'b'), ai('네.', 'a')));
  t.is(further.text, '네.아니요.');
});

test('ends a sentence as soon as its message is complete, without waiting for the next one', async (t) => {
  const pieces: unknown[] = [];
  const frames = readFrames(bodyOf([Buffer.from(metadata + partial('네') + complete(ai('네')))]), {
    longestLine: replyLimits.lineCharacters,
  });
  for await (const piece of readRun(frames)) pieces.push(typeof piece);
  t.deepEqual(pieces, ['string', 'symbol']);
});

test("speaks only messages after the other party's last words", async (t) => {
  const history = [human('하나'), ai('첫째', 'x'), human('둘'), ai('둘째', 'y')];
  const { text } = await hearText(metadata + complete(...history));
  t.is(text, '둘째');
});

test('recognizes the speaker by role or type', async (t) => {
  const { text } = await hearText(
    metadata +
      complete(
        { id: 'x', role: 'assistant', content: '옛말' },
        { id: 'h', role: 'user', content: '둘' },
        { id: 'y', role: 'assistant', content: '새말' },
      ),
  );
  t.is(text, '새말');
});

for (const type of ['tool', 'system', 'remove', 'function', 'human', 'constructor']) {
  test(`never speaks a message of the type ${type}`, async (t) => {
    const message = { ...ai('아니요'), type };
    const { text, error } = await hearText(
      metadata + complete(message) + event('messages/partial', [message]) + event('messages', [message, {}]),
    );
    t.is(text, '');
    t.like(error, { failure: 'no_reply', message: 'the run ended without text of the agent' });
  });
}

for (const type of ['ai', 'AIMessage', 'AIMessageChunk']) {
  test(`speaks a message of the type ${type}`, async (t) => {
    const message = { ...ai('네, '), type };
    t.is((await hearText(metadata + event('messages', [message, {}]))).text, '네, ');
    t.is((await hearText(metadata + complete(message))).text, '네, ');
  });
}

test('reads events of a subgraph like those of the main graph', async (t) => {
  const { text, error } = await hearText(
    metadata +
      event('messages/partial|sub:1b9d', [ai('네')]) +
      event('messages|sub:1b9d', [ai(', 그럼', 'a'), {}]) +
      event('messages/complete|sub:1b9d', [ai('네, 그럼요', 'a')]) +
      event('error|sub:1b9d', { error: 'Error', message: 'broken' }),
  );
  t.is(text, '네, 그럼요');
  t.like(error, { failure: 'agent_reported_error', serverSays: 'broken' });
});

test('speaks text blocks and omits reasoning, images and tool calls', async (t) => {
  const blocks = (text: string) => [
    { type: 'thinking', thinking: '음…' },
    { type: 'reasoning', text: '왜냐하면' },
    { type: 'text', text },
    { type: 'image_url', image_url: 'x' },
    { type: 'tool_use', input: {} },
    '!',
    null,
  ];
  const { text } = await hearText(
    metadata + partial([{ type: 'text', text: '네' }]) + partial(blocks('네')) + complete(ai(blocks('네'))),
  );
  t.is(text, '네!');
});

test('ignores a changed version of a spoken message, and logs it', async (t) => {
  const { text, remarks } = await hearText(
    metadata +
      partial('만 원') +
      partial('천 원') +
      partial('천 원입니다') +
      complete(ai('천 원입니다.')) +
      complete(ai('예.', 'b')),
  );
  t.is(text, '만 원예.');
  t.deepEqual(remarks, ['a message was changed after its beginning was spoken']);
});

test('ignores a partial message that arrives after the complete one', async (t) => {
  const { text, remarks } = await hearText(
    metadata + partial('만 원') + partial('만') + partial('만 원입니다. ') + complete(ai('만 원입니다.')),
  );
  t.is(text, '만 원입니다. ');
  t.deepEqual(remarks, []);
});

test('reads messages without an id as consecutive messages', async (t) => {
  const anonymous = (content: string) => ({ content, type: 'ai' });
  const { sentences } = await hearText(
    metadata +
      event('messages/partial', [anonymous('하나')]) +
      complete(anonymous('하나.')) +
      complete(anonymous('둘.')),
  );
  t.deepEqual(sentences, ['하나.', '둘.']);
});

test('joins a character that was split between two messages of a stream', async (t) => {
  const { text } = await hearText(metadata + partial('\ud83d') + partial('\ud83d\ude00 네'));
  t.is(text, '😀 네');
});

test("reads a Python server's CRLF line ends, heartbeats and messages without a complete event", async (t) => {
  const stream =
    `${metadata}: heartbeat\n\n` +
    event('messages/metadata', { a: { metadata: { langgraph_node: 'say' } } }) +
    partial('네,') +
    ': heartbeat\n\n' +
    partial('네, 그렇습니다.');
  t.is((await hearText(stream.replaceAll('\n', '\r\n'))).text, '네, 그렇습니다.');
});

const waits = 'the graph stopped at an interrupt and waits for a person';
const interrupts: [title: string, stream: string][] = [
  ['values', event('values', { __interrupt__: [{ value: '승인할까요?' }] })],
  ['updates', event('updates|sub:1', { __interrupt__: [{ value: '승인할까요?' }] })],
];
for (const [title, stream] of interrupts) {
  test(`fails without spoken text when a graph is interrupted (event ${title})`, async (t) => {
    const { text, error } = await hearText(metadata + stream);
    t.is(text, '');
    t.like(error, { failure: 'no_reply', message: waits });
  });
  test(`keeps the spoken text and logs a remark when a graph is interrupted after it (event ${title})`, async (t) => {
    const { text, remarks, error } = await hearText(metadata + complete(ai('승인할까요?')) + stream);
    t.deepEqual({ text, remarks, error }, { text: '승인할까요?', remarks: [waits], error: undefined });
  });
}

const silent: [title: string, stream: string][] = [
  ['an empty message', complete(human('네'), ai(''))],
  ['an empty streamed message', partial('') + complete(ai(''))],
  ['an empty message in parts', event('messages', [ai(''), {}]) + event('messages', [ai(''), {}])],
  ['an empty message in blocks', complete(ai([{ type: 'text', text: ' ' }]))],
];
for (const [title, stream] of silent) {
  test(`treats ${title} as silence that the agent chose`, async (t) => {
    const { text, remarks, error } = await hearText(metadata + stream);
    t.deepEqual([text.trim(), error], ['', undefined]);
    t.deepEqual(remarks, ['the agent answered with an empty message']);
  });
}

const call = { name: 'look_up', args: {}, id: 'c' };
const thought = ai([{ type: 'thinking', thinking: '음…' }]);
const wordless: [title: string, stream: string][] = [
  ['only the words of the other party', complete(human('네'))],
  ['an unexecuted tool call', complete({ ...ai(''), tool_calls: [call] })],
  [
    'a tool call in parts',
    event('messages', [{ ...ai(''), tool_call_chunks: [call] }, {}]) + event('messages', [ai(''), {}]),
  ],
  [
    'a reasoning text cut off by length',
    complete({ ...thought, response_metadata: { finish_reason: 'length' } }),
  ],
  [
    'a reasoning text cut off by tokens',
    complete({ ...thought, response_metadata: { stop_reason: 'max_tokens' } }),
  ],
];
for (const [title, stream] of wordless) {
  test(`fails the reply when it has only ${title}`, async (t) => {
    const { text, error } = await hearText(metadata + stream);
    t.is(text, '');
    t.like(error, { failure: 'no_reply' });
  });
}

const endings = async (stream: string): Promise<(string | true)[]> => {
  const marks: (string | true)[] = [];
  const frames = readFrames(bodyOf([Buffer.from(metadata + stream)]), {
    longestLine: replyLimits.lineCharacters,
  });
  for await (const piece of readRun(frames)) {
    if (typeof piece === 'object' && 'endsEarly' in piece) marks.push(piece.remark, true);
  }
  return marks;
};
const within = ['the run ended within a message', true];

test('reports an incomplete final message only if the server completes its other messages', async (t) => {
  t.deepEqual(await endings(complete(human('네')) + partial('오늘은')), within);
  t.deepEqual(await endings(complete(human('네')) + partial('오늘은') + complete(ai('오늘은'))), []);
  t.deepEqual(await endings(partial('오늘은')), [], 'Python completes nothing that was streamed');
  const cutOff = { ...ai('오늘은'), response_metadata: { finish_reason: 'length' } };
  t.deepEqual(await endings(event('messages/partial', [cutOff])), within);
});

const errors: [title: string, data: string, serverSays: string | undefined][] = [
  ['a message', '{"error":"ValueError","message":"boom"}', 'boom'],
  ['only a type', '{"error":"ValueError"}', 'ValueError'],
  ['a string', '"boom"', 'boom'],
  ['null', 'null', undefined],
  ['no JSON', 'boom', undefined],
];
for (const [title, data, serverSays] of errors) {
  test(`speaks the words before an error event, then fails: error with ${title}`, async (t) => {
    const { text, error } = await hearText(
      `${metadata}${partial('네')}event: error\ndata: ${data}\n\n${partial('네네')}`,
    );
    t.is(text, '네');
    t.like(error, { failure: 'agent_reported_error', message: 'the run ended with an error', serverSays });
  });
}

const unreadable: [title: string, body: string, failure: string][] = [
  ['an empty body', '', 'no_reply'],
  ['comments only', ': heartbeat\n\n: heartbeat\n\n', 'no_reply'],
  ['one JSON', '{"output":"네"}', 'invalid_reply'],
  ['plain text', 'OK', 'invalid_reply'],
  ['events without a name', 'data: {"text":"네"}\n\n', 'invalid_reply'],
  ['a web page', '<html></html>', 'invalid_reply'],
];
for (const [title, body, failure] of unreadable) {
  test(`fails the reply when the body is ${title}`, async (t) => {
    const { text, error } = await hearText(body);
    t.is(text, '');
    t.like(error, { failure });
  });
}

test('skips unreadable events and logs a remark', async (t) => {
  const { text, remarks } = await hearText(
    `${metadata}${partial('네')}event: messages/partial\ndata: [{"content\n\nevent: messages/partial\ndata: 7\n\n` +
      `event: messages/complete\ndata: [null,7]\n\n${partial('네.')}`,
  );
  t.is(text, '네.');
  t.deepEqual(remarks, ['a part of the stream could not be read']);
});
