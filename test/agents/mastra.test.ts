/** Mastra agents: requests and streams. */
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import type { Message } from '#machines/reply.ts';
import { AgentFailure } from '#src/agents/agent.ts';
import { mastraAgent, mastraUrl } from '#src/agents/mastra.ts';
import { readMastraReply } from '#src/agents/mastra/read-reply.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { type Answer, sendBody, startAgentServer } from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { type HeardReply, heardParts, hearReply, textOf } from '#test/helpers/heard-reply.ts';
import {
  bodyOf,
  everyCut,
  everyCutFarApart,
  recordedReplies,
  repliesWithControls,
} from '#test/helpers/recorded-replies.ts';

// Mastra

const context = {
  call_id: '5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f',
  direction: 'inbound',
  from: '01012345678',
  to: '0212345678',
  language: 'ko',
} as const;

type Options = {
  direction?: 'inbound' | 'outbound';
  path?: string;
  agentId?: string | null;
  bearerToken?: string | null;
};

const setUpMastra = async (
  t: ExecutionContext,
  answer: Answer,
  { direction = 'inbound', path = '', agentId = null, bearerToken = null }: Options = {},
) => {
  const server = await startAgentServer(answer);
  t.teardown(server.close);
  const chatUrl = `${server.url}${path}`;
  const call: AgentCall = {
    context: { ...context, direction },
    binding: {
      direction,
      agent: 'endpoint',
      agentType: 'mastra',
      chatUrl,
      assistantId: null,
      agentId,
      controls: 'off',
      model: null,
      prompt: null,
      tools: null,
    },
    bearerToken,
    headers: {},
    instruction: null,
  };
  const agent = mastraAgent(endpointWorld(t), chatUrl, call);
  const ask = (messages: readonly Message[] = hello, signal = new AbortController().signal) =>
    agent.reply({ turn: 1, messages }, signal);
  return { server, ask };
};

const hello = [{ role: 'user', content: '안녕하세요' }] as const;

const sendChunks = (...chunks: unknown[]): Answer =>
  sendBody([...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'].join(''));

const sendText = (text: string): Answer =>
  sendChunks(
    { type: 'text-delta', payload: { id: '1', text } },
    { type: 'finish', payload: { stepResult: { reason: 'stop' } } },
  );

test.serial('sends an inbound request that matches the documentation byte for byte', async (t) => {
  const { server, ask } = await setUpMastra(t, sendText('네.'), { bearerToken: 'session-token' });
  t.is(
    await textOf(
      ask([
        { role: 'user', content: '여보세요' },
        { role: 'assistant', content: '네, "말씀"하세요.' },
        { role: 'user', content: '예약이요' },
      ]),
    ),
    '네.',
  );
  const [request] = server.requests;
  t.is(
    request?.body,
    '{"messages":[{"role":"user","content":"여보세요"},' +
      '{"role":"assistant","content":"네, \\"말씀\\"하세요."},{"role":"user","content":"예약이요"}],' +
      '"requestContext":{"gw":{"call_id":"5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f","direction":"inbound",' +
      '"from":"01012345678","to":"0212345678","language":"ko"}}}',
  );
  t.like(request, { method: 'POST', path: '/api/agents/voiceAssistant/stream' });
});

test.serial('sends an outbound request to the stored agent, beginning with the kickoff', async (t) => {
  const { server, ask } = await setUpMastra(t, sendText('안녕하세요.'), {
    direction: 'outbound',
    agentId: '예약 봇/1',
    bearerToken: 'stored-token',
    path: '/',
  });
  await textOf(ask([{ role: 'user', content: kickoffFor('예약 확인') }]));
  const [request] = server.requests;
  t.is(request?.path, '/api/agents/%EC%98%88%EC%95%BD%20%EB%B4%87%2F1/stream');
  t.is(request?.headers.authorization, 'Bearer stored-token');
  t.is(
    request?.body,
    '{"messages":[{"role":"user","content":"[outbound call connected] You speak first. ' +
      'The other party has not said anything yet.\\n[task] 예약 확인"}],' +
      '"requestContext":{"gw":{"call_id":"5f1c8e52-6c6a-4a0e-8f1e-0a1b2c3d4e5f","direction":"outbound",' +
      '"from":"01012345678","to":"0212345678","language":"ko"}}}',
  );
});

test.serial('uses only the chat URL for an inbound call, without an Agent ID', async (t) => {
  const plain = await setUpMastra(t, sendText('네.'), { agentId: 'stored' });
  await textOf(plain.ask());
  t.is(plain.server.requests[0]?.path, '/api/agents/voiceAssistant/stream');
  const pointed = await setUpMastra(t, sendText('네.'), {
    agentId: 'stored',
    path: '/api/agents/other?key=1',
  });
  await textOf(pointed.ask());
  t.is(pointed.server.requests[0]?.path, '/api/agents/other/stream?key=1');
});

const base = 'https://agent.example.com';
const address = test.macro<[title: string, path: string, agentId: string | null, expected: string]>({
  exec(t, _, path, agentId, expected) {
    t.is(mastraUrl(`${base}${path}`, agentId), `${base}${expected}`);
  },
  title: (_, title) => title,
});

test.serial(
  address,
  'appends voiceAssistant to a base URL without an Agent ID',
  '',
  null,
  '/api/agents/voiceAssistant/stream',
);
test.serial(
  address,
  'accepts a base URL with a path and trailing slashes',
  '/bots//',
  'a',
  '/bots/api/agents/a/stream',
);
test.serial(
  address,
  'appends no second /api to a base URL that ends in /api',
  '/bots/api/',
  'a',
  '/bots/api/agents/a/stream',
);
test.serial(
  address,
  'appends /api to a base URL whose last segment only ends like it',
  '/myapi',
  'a',
  '/myapi/api/agents/a/stream',
);
test.serial(address, 'appends /stream to an agent URL', '/api/agents/b', null, '/api/agents/b/stream');
test.serial(
  address,
  'keeps the stream URL of an agent',
  '/x/api/agents/b%20c/stream/',
  null,
  '/x/api/agents/b%20c/stream',
);
test.serial(
  address,
  'replaces the agent of an agent URL by the Agent ID',
  '/api/agents/b/stream',
  'a',
  '/api/agents/a/stream',
);
test.serial(address, 'accepts an agent named "api"', '/api/agents/api', null, '/api/agents/api/stream');
test.serial(address, 'keeps the query of the chat URL', '/api?key=a/b', 'a', '/api/agents/a/stream?key=a/b');
test.serial(
  address,
  'encodes an Agent ID as one path segment',
  '',
  'a/../b?c#d',
  '/api/agents/a%2F..%2Fb%3Fc%23d/stream',
);

for (const { name, bytes, response } of recordedReplies('mastra')) {
  if (response.status < 300) continue;
  test.serial(
    `fails with the server's text after the recorded HTTP ${response.status} ${name}`,
    async (t) => {
      const { ask } = await setUpMastra(t, sendBody(bytes, response.status));
      const { text, error } = await hearReply(ask());
      t.is(text, '');
      const { status } = response;
      t.like(error, { failure: 'http_error', status, message: `HTTP ${status}`, serverSays: String(bytes) });
    },
  );
}

test.serial('sends the same requests as were recorded with a real server', async (t) => {
  const recorded = recordedReplies('mastra').find(({ name }) => name === '02a-voiceAssistant');
  const { server, ask } = await setUpMastra(t, sendBody(recorded?.bytes ?? ''));
  t.is(await textOf(ask()), recorded?.expect.spoken ?? '');
  t.is(server.requests[0]?.path, recorded?.request?.path);
  t.is(server.requests[0]?.body, JSON.stringify(recorded?.request?.body));
});

test.serial('accepts a stream that is far larger than its spoken text', async (t) => {
  const bulk = { type: 'tool-result', payload: { result: 'x'.repeat(400_000) } };
  const { ask } = await setUpMastra(
    t,
    sendChunks(bulk, { type: 'text-delta', payload: { id: '1', text: '네.' } }, bulk),
  );
  t.is(await textOf(ask()), '네.');
});

// Mastra stream

const longestLine = 1_000_000;
const hearMastraStream = (
  pieces: readonly Uint8Array[],
  options: { reset?: boolean } = {},
): Promise<HeardReply> => hearReply(readMastraReply(bodyOf(pieces, options), longestLine));
const hearText = (text: string): Promise<HeardReply> => hearMastraStream([Buffer.from(text)]);

const chunk = (type: string, payload: unknown = {}, from = 'AGENT') => ({ type, runId: 'r', from, payload });
const streamDelta = (text: string, id = 'txt-1') => chunk('text-delta', { id, text });
const streamFinish = (reason = 'stop') =>
  chunk('finish', { stepResult: { reason }, output: { text: 'not this' } });
const events = (...chunks: unknown[]): string =>
  chunks.map((value) => `data: ${JSON.stringify(value)}\n\n`).join('');
const done = 'data: [DONE]\n\n';

/** Several servers gave the same bytes. */
const recorded = [
  ...new Map(
    recordedReplies('mastra')
      .filter(({ response }) => response.status < 300)
      .map((reply) => [`${reply.bytes.toString('base64')} ${String(reply.response.reset)}`, reply]),
  ).values(),
];

/** Recorded responses without words that must fail, with the failure of each. */
const missing: Readonly<Record<string, string>> = {
  '12-generate-non-stream': 'invalid_reply',
  'old-v0.18.0-errPart-stream-vnext': 'no_reply',
  'old-v0.18.0-voiceAssistant-stream-vnext': 'no_reply',
};

for (const { name, heard, cuts } of repliesWithControls('mastra')) {
  test.serial(`returns the expected parts of the recorded reply ${name} for any chunking`, async (t) => {
    for (const pieces of cuts())
      t.deepEqual(await heardParts(readMastraReply(bodyOf(pieces), longestLine)), heard);
  });
}

for (const { name, bytes, response, expect } of recorded) {
  test.serial(`speaks the expected text of the recorded reply ${name} for any chunking`, async (t) => {
    for (const pieces of bytes.length < 4_096 ? everyCut(bytes) : everyCutFarApart(bytes)) {
      const { text, error } = await hearMastraStream(pieces, response);
      const failure = missing[name] ?? (expect.failure === undefined ? undefined : 'agent_reported_error');
      if (text !== expect.spoken || (error instanceof AgentFailure ? error.failure : error) !== failure) {
        t.deepEqual({ text, error }, { text: expect.spoken ?? '', error: failure }, pieces.join('|'));
      }
    }
    const { error } = await hearMastraStream([bytes], response);
    const said = expect.failure?.replace('tripwire: ', '');
    t.is(error instanceof AgentFailure ? error.serverSays : undefined, said);
    if (error instanceof Error && said !== undefined) t.false(error.message.includes(said));
  });
}

test.serial('ends a sentence at a tool call between two messages', async (t) => {
  const reply = recorded.find(({ name }) => name === '04-tool-call');
  t.deepEqual((await hearMastraStream([reply?.bytes ?? Buffer.from('')])).sentences, [
    '확인해 보겠습니다. ',
    '주문하신 상품은 지금 배송 중입니다.',
  ]);
});

test.serial('separates messages that share an ID or directly follow each other', async (t) => {
  const { text, sentences } = await hearText(
    events(
      streamDelta('하나'),
      streamDelta(' 더'),
      chunk('step-finish', { stepResult: { reason: 'tool-calls' } }),
      chunk('step-start'),
      streamDelta('둘'),
      streamDelta('셋', 'txt-2'),
      streamFinish(),
    ) + done,
  );
  t.is(text, '하나 더둘셋');
  t.deepEqual(sentences, ['하나 더', '둘', '셋']);
});

test.serial("speaks only the agent's own text", async (t) => {
  const inner = streamDelta('안쪽');
  const { text, remarks } = await hearText(
    events(
      chunk('reasoning-delta', { id: 'txt-1', text: '생각' }),
      chunk('tool-output', { output: inner, toolName: 'agent-sub' }, 'USER'),
      chunk('tool-result', { result: { text: '결과' } }),
      chunk('tool-error', { error: { message: '실패' } }),
      { type: 'text-delta', id: '1', delta: '다른 형식', text: '다른 자리' },
      { type: 'data-note', text: '메모', data: inner },
      { text: '문서', output: '출력' },
      streamDelta('답'),
      streamFinish(),
    ) + done,
  );
  t.is(text, '답');
  t.deepEqual(remarks, ['a part of the stream could not be read']);
});

test.serial('joins a character that was split between two deltas', async (t) => {
  const { text } = await hearText(
    'data: {"type":"text-delta","payload":{"id":"1","text":"좋아요 \\ud83d"}}\n\n' +
      'data: {"type":"text-delta","payload":{"id":"1","text":"\\ude00!"}}\n\n' +
      events(streamFinish()) +
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

const words = streamDelta('네.');
test.serial(ends, 'logs no remark for a complete reply', events(words, streamFinish()) + done, {
  text: '네.',
  remarks: [],
});
test.serial(
  ends,
  'accepts a response that ends after the finish chunk without an end mark',
  events(words, streamFinish()),
  {
    remarks: [],
  },
);
for (const reason of ['eos', 'end_turn', { unified: 'stop', raw: 'end_turn' }])
  test.serial(
    ends,
    `accepts the unknown finish reason ${JSON.stringify(reason)} without a remark`,
    events(words, { type: 'finish', payload: { stepResult: { reason } } }),
    { text: '네.', remarks: [] },
  );
test.serial(ends, 'speaks text without an end mark and logs a remark', events(words), {
  text: '네.',
  remarks: ['the stream ended without its end mark'],
});
test.serial(
  ends,
  'ignores data after the end mark',
  events(words, streamFinish()) + done + events(streamDelta('더')),
  {
    text: '네.',
  },
);
test.serial(
  ends,
  'ignores text after a finish chunk',
  events(words, streamFinish(), streamDelta('더')) + done,
  {
    text: '네.',
  },
);
test.serial(
  ends,
  'treats a finish without text as silence that the agent chose',
  events(streamFinish()) + done,
  {
    text: '',
    remarks: ['the agent finished without text'],
  },
);
test.serial(
  ends,
  'logs a tool call for the client that follows spoken text',
  events(words, streamFinish('tool-calls')) + done,
  {
    text: '네.',
    remarks: ['the agent finished with a tool call that it leaves to the caller'],
  },
);
for (const reason of ['tool-calls', 'length', 'content-filter', 'unknown', 'a new one']) {
  test.serial(
    ends,
    `fails when the stream finishes with ${reason} and without text`,
    events(streamFinish(reason)) + done,
    'no_reply',
  );
}
test.serial(
  ends,
  'logs an unknown finish reason after spoken text',
  events(words, streamFinish('toString')) + done,
  {
    text: '네.',
    remarks: ['the agent finished for a reason that is not known here'],
  },
);
test.serial(
  ends,
  'logs a pending tool approval after spoken text',
  events(words, chunk('tool-call-approval')) + done,
  {
    text: '네.',
    remarks: ['the agent waits for a tool call to be approved'],
  },
);
test.serial(
  ends,
  'fails when a tool is suspended before any text',
  events(chunk('tool-call-suspended')) + done,
  'no_reply',
);
test.serial(
  ends,
  'fails when a tool approval is requested before any text',
  events(chunk('tool-call-approval'), streamFinish()) + done,
  'no_reply',
);
test.serial(
  ends,
  'skips data that is not JSON and logs a remark',
  `${events(words)}data: {"type":\n\n${events(streamFinish())}${done}`,
  {
    text: '네.',
    remarks: ['a part of the stream could not be read'],
  },
);
test.serial(ends, 'fails when the stream has only an end mark', done, 'no_reply');
test.serial(
  ends,
  'fails when the stream starts and ends without text',
  events(chunk('start'), chunk('step-start')),
  'no_reply',
);
test.serial(ends, 'fails when the body is empty', '', 'no_reply');
test.serial(ends, 'fails when the body is a web page', '<!doctype html><p>0:"네"', 'invalid_reply');
test.serial(ends, 'fails when the body is plain text', '네, 그렇습니다.', 'invalid_reply');
test.serial(ends, 'fails when the body is unrelated JSON', '{"reply":"네"}', 'invalid_reply');
test.serial(
  ends,
  'fails when the finish reason is an error',
  events(words, streamFinish('error')) + done,
  'agent_reported_error',
);
test.serial(
  ends,
  'fails when a guardrail stops the reply',
  events(streamFinish('tripwire')) + done,
  'agent_reported_error',
);
test.serial(
  ends,
  'fails after an error chunk without a text',
  events(words, chunk('error', null)),
  'agent_reported_error',
);

test.serial('finds the text of an error in each format and speaks the words before it', async (t) => {
  const shapes = [{ error: { message: '과부하' } }, { type: 'error', error: '과부하' }];
  for (const payload of shapes) {
    const { text, error } = await hearText(events(words, chunk('error', payload), streamDelta('더')) + done);
    t.is(text, '네.');
    t.like(error, { failure: 'agent_reported_error', serverSays: '과부하' });
  }
});

test.serial('reads errors, steps, reasoning and tools of the older data stream', async (t) => {
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

// Mastra properties

const hearMastraProperties = (pieces: readonly Uint8Array[]): Promise<HeardReply> =>
  hearReply(readMastraReply(bodyOf(pieces), 1_000_000));

const anyDelta = (text: string) => ({ type: 'text-delta', runId: 'r', payload: { id: 'txt-1', text } });
const anyFinish = { type: 'finish', runId: 'r', payload: { stepResult: { reason: 'stop' } } };

const cutEveryMastraProperties = (text: string, size: number): Buffer[] => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
};

// Includes unpaired surrogates: they are written as escapes within JSON.
const someText = fc.string({
  unit: fc.constantFrom('네', 'a', '\n', '\u2028', '\0', '"', '😀', '\ud83d', ' '),
});
const noiseType = fc.constantFrom('start', 'tool-output', 'reasoning-delta', 'tool-call', 'text-end', 'new');
const noise = fc.record({ type: noiseType, runId: fc.string(), payload: fc.jsonValue() });
const parts = fc.array(fc.oneof(someText, noise), { maxLength: 12 });
const size = fc.integer({ min: 1, max: 60 });

test.serial(
  'reads the same reply for any line ends, comments, unknown events and fields, and chunking',
  async (t) => {
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    const extra = fc.constantFrom(
      '',
      ': comment\n',
      'id: 7\n',
      'event: x\n',
      'retry: 1\n',
      'zz: 1\n',
      ':\n\n',
    );
    await fc.assert(
      fc.asyncProperty(
        parts,
        lineEnd,
        extra,
        fc.boolean(),
        size,
        async (all, end, other, space, pieceSize) => {
          const body = [...all, anyFinish]
            .map((part) => JSON.stringify(typeof part === 'string' ? anyDelta(part) : part))
            .map((json) => `${other}data:${space ? ' ' : ''}${json}\n\n`)
            .join('');
          const { text, error } = await hearMastraProperties(
            cutEveryMastraProperties((body + done).replaceAll('\n', end), pieceSize),
          );
          t.is(error, undefined);
          t.is(text, all.filter((part) => typeof part === 'string').join(''));
        },
      ),
    );
  },
);

test.serial('reads chunks between record separators or on lines like events', async (t) => {
  const separator = fc.constantFrom('\x1e', '\x1e\n', '\n', '\r\n');
  await fc.assert(
    fc.asyncProperty(parts, separator, fc.boolean(), size, async (all, between, leading, pieceSize) => {
      const chunks = [...all.map((part) => (typeof part === 'string' ? anyDelta(part) : part)), anyFinish];
      const body = chunks.map((value) => JSON.stringify(value) + between).join('');
      const { text, error } = await hearMastraProperties(
        cutEveryMastraProperties((leading ? between : '') + body, pieceSize),
      );
      t.is(error, undefined);
      t.is(text, all.filter((part) => typeof part === 'string').join(''));
    }),
  );
});

test.serial('speaks the text lines of the older data stream', async (t) => {
  const line = fc.constantFrom('g:"생각"', '2:[{"a":1}]', '9:{"text":"x"}', 'e:{}', 'f:{}', '8:[]');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(someText, line)), size, async (all, pieceSize) => {
      const lines = all.flatMap(([text, other]) => [`0:${JSON.stringify(text)}`, other]);
      const body = ['f:{"messageId":"1"}', ...lines, 'd:{"finishReason":"stop"}', ''].join('\n');
      const { text, error } = await hearMastraProperties(cutEveryMastraProperties(body, pieceSize));
      t.is(error, undefined);
      t.is(text, all.map(([said]) => said).join(''));
    }),
  );
});

test.serial('any input ends the reply or fails it with AgentFailure', async (t) => {
  const line = fc.oneof(
    fc.string(),
    fc.jsonValue().map((value) => `data: ${JSON.stringify(value)}\n\n`),
    fc
      .record({ type: fc.constantFrom('text-delta', 'finish', 'error', 'tripwire'), payload: fc.jsonValue() })
      .map((value) => `data: ${JSON.stringify(value)}\n\n`),
    fc.tuple(fc.constantFrom('0', '3', 'd', 'e'), fc.string()).map((pair) => pair.join(':')),
  );
  const bytes = fc.oneof(
    fc.array(line).map((lines) => Buffer.from(lines.join('\n'))),
    fc.uint8Array().map((array) => Buffer.from(array)),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (body) => {
      const { error, text, remarks } = await hearMastraProperties([body]);
      t.true(error === undefined || error instanceof AgentFailure, String(error));
      t.true(error !== undefined || text.trim() !== '' || remarks.length > 0, 'silent without a reason');
    }),
  );
});
