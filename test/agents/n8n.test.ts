/** n8n agents: requests and replies. */
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import type { Message } from '#machines/reply.ts';
import { AgentFailure } from '#src/agents/agent.ts';
import { n8nAgent } from '#src/agents/n8n.ts';
import { readN8nReply } from '#src/agents/n8n/read-reply.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { type Answer, sendBody, startAgentServer } from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { type HeardReply, heardParts, hearReply, textOf } from '#test/helpers/heard-reply.ts';
import { bodyOf, everyCut, recordedReplies, repliesWithControls } from '#test/helpers/recorded-replies.ts';

// n8n

const setUpN8n = async (
  t: ExecutionContext,
  answer: Answer,
  {
    direction = 'inbound',
    bearerToken = null,
    path = '/webhook/out/chat',
  }: { direction?: 'inbound' | 'outbound'; bearerToken?: string | null; path?: string } = {},
) => {
  const server = await startAgentServer(answer);
  t.teardown(server.close);
  const chatUrl = `${server.url}${path}`;
  const call: AgentCall = {
    context: {
      call_id: '5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f',
      direction,
      from: '01012345678',
      to: '0212345678',
      language: 'ko',
    },
    binding: {
      direction,
      agent: 'endpoint',
      agentType: 'n8n',
      chatUrl,
      assistantId: null,
      agentId: null,
      controls: 'off',
      model: null,
      prompt: null,
      tools: null,
    },
    bearerToken,
    headers: {},
    instruction: null,
  };
  const agent = n8nAgent(endpointWorld(t), chatUrl, call);
  const ask = (messages: readonly Message[] = hello, signal = new AbortController().signal) =>
    agent.reply({ turn: 1, messages }, signal);
  return { server, ask };
};

const hello = [{ role: 'user', content: '안녕하세요' }] as const;
const sendYes = sendBody('{"output":"네."}');

test.serial(
  'sends an inbound request that matches the documentation byte for byte and has only the new turn',
  async (t) => {
    const { server, ask } = await setUpN8n(t, sendYes, {
      bearerToken: 'session-token',
      path: '/webhook/x/chat/?key=1',
    });
    t.is(
      await textOf(
        ask([
          { role: 'user', content: '여보세요' },
          { role: 'assistant', content: '네, 말씀하세요.' },
          { role: 'user', content: '"예약"이요' },
        ]),
      ),
      '네.',
    );
    const [request] = server.requests;
    t.is(
      request?.body,
      '{"action":"sendMessage","sessionId":"5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f","chatInput":"\\"예약\\"이요",' +
        '"metadata":{"gw":{"call_id":"5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f","direction":"inbound",' +
        '"from":"01012345678","to":"0212345678","language":"ko"}}}',
    );
    t.like(request, { method: 'POST', path: '/webhook/x/chat/?key=1' });
  },
);

test.serial('begins an outbound request with the kickoff and sends the stored token', async (t) => {
  const { server, ask } = await setUpN8n(t, sendYes, { direction: 'outbound', bearerToken: 'stored-token' });
  await textOf(ask([{ role: 'user', content: kickoffFor('예약 확인') }]));
  const [request] = server.requests;
  t.is(request?.headers.authorization, 'Bearer stored-token');
  t.is(
    request?.body,
    '{"action":"sendMessage","sessionId":"5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f",' +
      '"chatInput":"[outbound call connected] You speak first. The other party has not said anything yet.' +
      '\\n[task] 예약 확인",' +
      '"metadata":{"gw":{"call_id":"5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f","direction":"outbound",' +
      '"from":"01012345678","to":"0212345678","language":"ko"}}}',
  );
});

test.serial('sends the same requests as were recorded with a real server', async (t) => {
  const recorded = recordedReplies('n8n').find(({ name }) => name === '02a-lastNode-code');
  const { server, ask } = await setUpN8n(t, sendBody(recorded?.bytes ?? ''));
  t.is(await textOf(ask()), recorded?.expect.spoken ?? '');
  t.is(server.requests[0]?.path, recorded?.request?.path);
  t.is(server.requests[0]?.body, JSON.stringify(recorded?.request?.body));
});

for (const { name, bytes, response } of recordedReplies('n8n')) {
  if (response.status < 300) continue;
  test.serial(`fails without spoken text after the recorded HTTP ${response.status} ${name}`, async (t) => {
    const { status } = response;
    const { ask } = await setUpN8n(t, sendBody(bytes, status));
    const { text, error } = await hearReply(ask());
    t.is(text, '');
    t.like(error, { failure: 'http_error', status, message: `HTTP ${status}` });
    t.like(error, { serverSays: bytes.length === 0 ? undefined : bytes.toString() });
  });
}

test.serial('accepts a stream that is far larger than its spoken text', async (t) => {
  const line = `{"type":"item","content":"","metadata":{"nodeName":"${'x'.repeat(1_000)}"}}\n`;
  const { ask } = await setUpN8n(t, sendBody(`${line.repeat(400)}{"type":"item","content":"네."}\n`));
  t.is(await textOf(ask()), '네.');
});

// n8n reply

const longestLine = 1_000_000;
const hearN8nReply = (
  pieces: readonly Uint8Array[],
  options: { reset?: boolean } = {},
): Promise<HeardReply> => hearReply(readN8nReply(bodyOf(pieces, options), longestLine));
const hearBody = (body: string | Buffer): Promise<HeardReply> => hearN8nReply([Buffer.from(body)]);

const failureOf = ({ error }: HeardReply): unknown => (error instanceof AgentFailure ? error.failure : error);

/** The failure of a recorded response without a reply; the recordings only say that it fails. */
const expectedFailure = (failure: string | undefined): string | undefined => {
  if (failure === undefined) return undefined;
  return failure === 'empty body' || failure.startsWith('no output/text/message field')
    ? 'no_reply'
    : 'agent_reported_error';
};

for (const { name, bytes, response, expect } of recordedReplies('n8n')) {
  if (response.status >= 300) continue;
  test.serial(`speaks the expected text of the recorded reply ${name} for any chunking`, async (t) => {
    const wanted = { text: expect.spoken ?? '', failure: expectedFailure(expect.failure) };
    for (const pieces of everyCut(bytes)) {
      const heard = await hearN8nReply(pieces, response);
      const { text } = heard;
      const failure = failureOf(heard);
      if (text !== wanted.text || failure !== wanted.failure)
        t.deepEqual({ text, failure }, wanted, pieces.join('|'));
    }
    t.is(failureOf(await hearN8nReply([bytes], response)), wanted.failure);
  });
}

for (const { name, heard, cuts } of repliesWithControls('n8n')) {
  test.serial(`returns the expected parts of the recorded reply ${name} for any chunking`, async (t) => {
    for (const pieces of cuts())
      t.deepEqual(await heardParts(readN8nReply(bodyOf(pieces), longestLine)), heard);
  });
}

const speaks = test.macro<[title: string, body: unknown, expected: string]>({
  async exec(t, _, body, expected) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    for (const pieces of everyCut(Buffer.from(text)))
      t.like(await hearN8nReply(pieces), { text: expected, error: undefined });
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
test.serial(
  speaks,
  'prefers the field output to text and message',
  { message: 'c', text: 'b', output: 'a' },
  'a',
);
test.serial(speaks, 'prefers the field text to message', { message: 'c', text: 'b' }, 'b');
test.serial(speaks, 'speaks the field message if it is the only one', { message: 'c' }, 'c');
test.serial(speaks, 'skips a field that is not text', { output: null, text: 7, message: 'c' }, 'c');
test.serial(
  speaks,
  'speaks the text within an object in output',
  { output: { text: '안쪽' }, text: '바깥' },
  '안쪽',
);
test.serial(
  speaks,
  'speaks the field text if the object in output has no reply',
  { output: { answer: '안쪽' }, text: '바깥' },
  '바깥',
);
test.serial(
  speaks,
  'speaks the first reply of a list in output',
  { output: [{ foo: 1 }, { text: '안쪽' }] },
  '안쪽',
);
test.serial(
  speaks,
  'speaks the first item with a reply when the node returns all incoming items',
  [{ foo: 1 }, { output: 'a' }, 'b'],
  'a',
);
test.serial(speaks, 'speaks the first text of a list', ['a', 'b'], 'a');
test.serial(speaks, 'speaks a quoted JSON string without its quotes', '"안녕\\n하세요"', '안녕\n하세요');
test.serial(speaks, 'reads a document over several lines', '\n{\n  "output": "네"\n}\n', '네');
test.serial(speaks, 'ignores keep-alive blank lines around a document', '\n \n\n{"output":"네"}\n\n', '네');
test.serial(
  speaks,
  'speaks the first document with a reply when each line is a document',
  '{"a":1}\n{"text":"a"}\n{"text":"b"}',
  'a',
);
test.serial(
  speaks,
  'ignores the status text of a started workflow beside a reply',
  { message: 'Workflow was started', text: 'a' },
  'a',
);
test.serial(
  speaks,
  'reads a document with a type that n8n streams do not use',
  { type: 'answer', output: '네' },
  '네',
);

test.serial(fails, 'fails when the body is empty', '', 'no_reply', /empty/);
test.serial(fails, 'fails when the body has only blank lines', '\n \r\n', 'no_reply', /empty/);
test.serial(
  fails,
  'fails when the reply is in unknown fields',
  { answer: '네', reply: '네', content: '네' },
  'no_reply',
  /"output", "text" or "message"/,
);
test.serial(fails, 'fails when the reply is an empty object', {}, 'no_reply');
test.serial(fails, 'fails when the reply is an empty list', [], 'no_reply');
test.serial(fails, 'fails when the body is null', 'null', 'no_reply');
test.serial(fails, 'fails when the body is a number', '42', 'no_reply');
test.serial(fails, 'fails when the field output is a number', { output: 42 }, 'no_reply');
test.serial(
  fails,
  'fails when n8n only reports that the workflow was started',
  { message: 'Workflow was started' },
  'no_reply',
  /response mode/,
);
test.serial(
  fails,
  'fails when n8n only reports that the execution was started',
  { executionStarted: true },
  'no_reply',
  /response mode/,
);
test.serial(
  fails,
  'fails when lists are nested 200,000 deep',
  `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
  'no_reply',
);
for (const page of [
  '<!DOCTYPE html><p>네</p>',
  '\n<html lang="ko"><p>네</p></html>',
  '<!-- 점검 -->\n<!doctype html>\n<p>네</p>',
  '<?xml version="1.0"?><Error>네</Error>',
])
  test.serial(
    fails,
    `fails when the body is the web page ${JSON.stringify(page)}`,
    page,
    'invalid_reply',
    /a page/,
  );
test.serial(fails, 'fails when the JSON document is truncated', '{"output":"안녕', 'invalid_reply');
test.serial(fails, 'fails when the JSON list is truncated', '[{"output":"안녕', 'invalid_reply');
test.serial(
  fails,
  'fails when the body is a server-sent event stream',
  'data: {"type":"text-delta"}\n\n',
  'invalid_reply',
);
test.serial(
  fails,
  'fails when the body is an image',
  Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
  'invalid_reply',
);
test.serial(fails, 'fails when the text is in UTF-16', Buffer.from('hello', 'utf16le'), 'invalid_reply');
test.serial(
  fails,
  'fails when the text is in a legacy encoding',
  Buffer.from([0xbe, 0xc8, 0xb3, 0xe7]),
  'invalid_reply',
);

const jsonLines = (...values: unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');
for (const body of [
  ...['', '  '].map((output) => JSON.stringify({ output, text: '다른 말' })),
  jsonLines({ type: 'begin' }, { type: 'item', content: '' }, { type: 'end' }),
  jsonLines({ type: 'begin' }, { type: 'end' }),
]) {
  test.serial(`treats ${body.trim()} as silence that the agent chose`, async (t) => {
    const { error, remarks } = await hearBody(body);
    t.is(error, undefined);
    t.deepEqual(remarks, ['the workflow answered with an empty text']);
  });
}

// Plain text
test.serial(speaks, 'trims plain text', ' 안녕하세요: "네" \r\n둘째 줄\n', '안녕하세요: "네" \n둘째 줄');
test.serial(
  speaks,
  'speaks text that begins with a bracket',
  '[안내] 오늘은 쉽니다.',
  '[안내] 오늘은 쉽니다.',
);
test.serial(
  speaks,
  'speaks text that begins with a brace',
  '{이름} 님, 안녕하세요.',
  '{이름} 님, 안녕하세요.',
);
for (const body of [
  '<silence/>',
  '<hangup/>',
  '<think>음</think>네.',
  '<b>네</b>',
  '<language tag="en"/>Hello.',
])
  test.serial(speaks, `reads plain text that begins with a tag: ${body}`, body, body);
test.serial(
  speaks,
  'keeps plain text with a few invalid bytes',
  '네, 예약을 확인했\uFFFD습니다. 감사합니\uFFFD다. 안녕히 계세요.',
  '네, 예약을 확인했\uFFFD습니다. 감사합니\uFFFD다. 안녕히 계세요.',
);

test.serial('executes controls and drops reasoning at the beginning of plain text', async (t) => {
  const heard = (body: string) => heardParts(readN8nReply(bodyOf([Buffer.from(body)]), longestLine));
  t.deepEqual(await heard('<silence/>'), []);
  t.deepEqual(await heard('<hangup/>'), [{ act: 'hang_up' }]);
  t.deepEqual(await heard('<think>음</think>네.'), ['네.']);
  t.deepEqual(await heard('<b>네</b>'), ['네']);
});

test.serial(speaks, 'speaks text that begins with a quote', '"안녕" 이라고 했어요.', '"안녕" 이라고 했어요.');

// Streams
const lines = jsonLines;
const begin = { type: 'begin', metadata: { nodeName: 'AI Agent' } };
const end = { type: 'end', metadata: { nodeName: 'AI Agent' } };
const item = (content: unknown) => ({ type: 'item', content, metadata: { text: '아님', output: '아님' } });

test.serial('ends a sentence, but not the reply, at an end event', async (t) => {
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

test.serial('speaks the reply within a JSON first item of a node', async (t) => {
  const node = (content: unknown) => [begin, item(content), end];
  const json = (value: unknown) => node(JSON.stringify(value));
  const body = lines(
    ...json({ output: '하나 ' }),
    ...json({ answer: '아님' }),
    ...json([{ text: '둘 ' }]),
    ...json({ executionStarted: true }),
    ...json({ message: 'Workflow was started' }),
    ...node({ output: '셋 ' }),
    ...node(7),
    ...['{이름} ', '[1] ', '"넷"'].flatMap(node),
  );
  t.like(await hearBody(body), { text: '하나 둘 셋 {이름} [1] "넷"', error: undefined });
});

test.serial('speaks streamed text that happens to be JSON', async (t) => {
  for (const pieces of [
    ['예약 번호는 ', '[{"id":3}] ', '입니다.'],
    ['예약 번호는 ', '{"text":"바꿔치기"}', '입니다.'],
    // Treated as data at first, and as text when more of it arrives.
    ['[{"id":3}] ', '번으로 예약했습니다.'],
  ]) {
    const body = lines(begin, ...pieces.map(item), end);
    t.like(await hearBody(body), { text: pieces.join(''), error: undefined });
  }
});

test.serial(
  'unwraps a JSON reply in the first item of each of two nodes that stream simultaneously',
  async (t) => {
    const of = (nodeId: string, type: string, content?: string) => ({ type, content, metadata: { nodeId } });
    const body = lines(
      of('a', 'begin'),
      of('b', 'begin'),
      of('a', 'item', '네, '),
      of('b', 'item', '{"output":"확인했습니다. "}'),
      of('a', 'item', '{"output":"글자"}'),
      of('a', 'end'),
      of('b', 'end'),
    );
    t.like(await hearBody(body), { text: '네, 확인했습니다. {"output":"글자"}', error: undefined });
  },
);

for (const [title, steps, response, expected] of [
  ['JSON', [['안녕하세요. ', '무엇을 도와드릴까요?']], '{"output":"안녕하세요. 무엇을 도와드릴까요?"}', ''],
  ['text', [['안녕하세요. ', '무엇을 도와드릴까요?']], '안녕하세요. 무엇을 도와드릴까요?', ''],
  ['the last step', [['확인할게요.'], ['배송 ', '중입니다.']], '{"output":"배송 중입니다."}', ''],
  ['more', [['네.']], '{"output":"네. 예약했습니다."}', ' 예약했습니다.'],
  ['other words', [['네.']], '{"output":"예약했습니다."}', '예약했습니다.'],
] as const) {
  test.serial(`omits streamed words that a later response node repeats: ${title}`, async (t) => {
    const said = steps.flatMap((step) => [begin, ...step.map(item), end]);
    const { text, error } = await hearBody(lines(...said, begin, item(response), end));
    t.is(error, undefined);
    t.is(text, `${steps.flat().join('')}${expected}`);
  });
}

const toolError = { type: 'error', content: '연결 거부', metadata: { nodeName: 'hang_up' } };
const wentOn = 'a node of the workflow failed, and the workflow went on';

test.serial('accepts a failed tool when the agent continues speaking', async (t) => {
  const body = lines(begin, item('잠시만요.'), end, toolError, begin, item('안녕히 '), item('계세요.'), end);
  t.deepEqual(await hearBody(body), {
    text: '잠시만요.안녕히 계세요.',
    sentences: ['잠시만요.', '안녕히 계세요.'],
    remarks: [wentOn],
    error: undefined,
  });
});

test.serial('keeps the spoken text when a tool fails afterwards or a step is empty', async (t) => {
  t.deepEqual(await hearBody(lines(begin, item('안녕히 계세요.'), end, toolError, begin, end)), {
    text: '안녕히 계세요.',
    sentences: ['안녕히 계세요.'],
    remarks: [wentOn],
    error: undefined,
  });
});

test.serial('fails the reply when no text follows an error', async (t) => {
  const { text, error } = await hearBody(lines(begin, toolError, begin, end));
  t.is(text, '');
  t.like(error, { failure: 'agent_reported_error', serverSays: '연결 거부' });
});

test.serial('speaks the text before a final error, then fails the reply', async (t) => {
  const withWords = await hearBody(lines(begin, item('오늘은 '), { type: 'error', content: '한도 초과' }));
  t.is(withWords.text, '오늘은 ');
  t.like(withWords.error, { failure: 'agent_reported_error', serverSays: '한도 초과' });
  t.false(String(withWords.error).includes('한도'));
  const without = await hearBody(lines(begin, { type: 'error', message: '아님' }));
  t.like(without.error, { failure: 'agent_reported_error', serverSays: undefined });
});

test.serial(
  fails,
  'fails when a stream breaks off before the first word',
  lines(begin, item('')),
  'no_reply',
);
test.serial(fails, 'fails when the nodes of a stream do not finish', lines(begin, begin, end), 'no_reply');
test.serial(
  fails,
  'fails when the items of a stream have no reply',
  lines(begin, item('{"answer":"네"}'), end),
  'no_reply',
);
test.serial(
  speaks,
  'ignores lines of unknown types in a stream',
  lines({ type: 'ping' }, begin, item('네'), { text: 'x' }, end),
  '네',
);

test.serial('keeps the text of a stream with oddities and logs a remark', async (t) => {
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

// n8n properties

const hearN8nProperties = (pieces: readonly Uint8Array[]): Promise<HeardReply> =>
  hearReply(readN8nReply(bodyOf(pieces), 1_000_000));

const cutEvery = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
};
const size = fc.integer({ min: 1, max: 60 });
const words = fc.string({ unit: fc.constantFrom('네', 'a', '\n', '\u2028', '[', '"', '😀', '\ud83d', ' ') });

test.serial(
  'reads the same reply for any line ends, blank lines, unknown lines and fields, and chunking',
  async (t) => {
    const noise = fc.constantFrom(begin, end, { type: 'tool', content: '아님' }, { output: '아님' }, null, 7);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(words, noise)),
        fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\n \n'),
        fc.dictionary(fc.constantFrom('a', 'text', 'output', 'message'), fc.jsonValue()),
        size,
        async (all, lineEnd, fields, pieceSize) => {
          const values = all.map((part) => (typeof part === 'string' ? { ...fields, ...item(part) } : part));
          const body = [begin, ...values, item('.')].map((value) => JSON.stringify(value) + lineEnd).join('');
          const { text, error } = await hearN8nProperties(cutEvery(body, pieceSize));
          t.is(error, undefined);
          t.is(text, `${all.filter((part) => typeof part === 'string').join('')}.`);
        },
      ),
    );
  },
);

test.serial('speaks only text in known reply fields', async (t) => {
  const data = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"type"'));
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom('a', 'reply', 'content'), data),
      size,
      async (value, pieceSize) => {
        t.is((await hearN8nProperties(cutEvery(JSON.stringify(value), pieceSize))).text, '');
        const { text } = await hearN8nProperties(
          cutEvery(JSON.stringify([value, { ...value, message: '네' }]), pieceSize),
        );
        t.is(text, '네');
      },
    ),
  );
});

test.serial('any input ends the reply or fails it with AgentFailure', async (t) => {
  const line = fc.oneof(
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc
      .record({ type: fc.constantFrom('begin', 'item', 'end', 'error', 'x'), content: fc.jsonValue() })
      .map((value) => JSON.stringify(value)),
  );
  const bytes = fc.oneof(
    fc.array(line).map((all) => Buffer.from(all.join('\n'))),
    fc.uint8Array().map((array) => Buffer.from(array)),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (body) => {
      const { error, text, remarks } = await hearN8nProperties([body]);
      t.true(error === undefined || error instanceof AgentFailure, String(error));
      t.true(error !== undefined || text.trim() !== '' || remarks.length > 0, 'silent without a reason');
    }),
  );
});
