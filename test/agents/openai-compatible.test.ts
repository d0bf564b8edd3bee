/** Agents that speak chat completions: requests and streams. */
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { replyLimits } from '#config/policy.ts';
import type { Message } from '#machines/reply.ts';
import { retraction, type ReplyPiece } from '#src/agents/agent.ts';
import { readCompletion, type ToolCall } from '#src/agents/chat-completions/read-completion.ts';
import { openAiCompatibleAgent } from '#src/agents/openai-compatible.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { type Answer, sendBody, sendJson, startAgentServer } from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { heardParts, hearReply, textOf } from '#test/helpers/heard-reply.ts';
import { bodyOf, everyCut, recordedReplies, repliesWithControls } from '#test/helpers/recorded-replies.ts';

// OpenAI-compatible

const context = {
  call_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
  direction: 'inbound',
  from: '01012345678',
  to: '0212345678',
  language: 'ko',
} as const;

const setUpOpenaiCompatible = async (
  t: ExecutionContext,
  answer: Answer,
  { path = '', ...changes }: Partial<AgentCall> & { path?: string } = {},
) => {
  const server = await startAgentServer(answer);
  t.teardown(server.close);
  const chatUrl = `${server.url}${path}`;
  const agent = openAiCompatibleAgent(endpointWorld(t), chatUrl, {
    context,
    binding: {
      direction: 'inbound',
      agent: 'endpoint',
      agentType: 'openai_compatible',
      chatUrl,
      assistantId: null,
      agentId: null,
      controls: 'off',
      model: null,
      prompt: null,
      tools: null,
    },
    bearerToken: null,
    headers: {},
    instruction: null,
    ...changes,
  });
  const ask = (messages: readonly Message[] = hello, signal = new AbortController().signal) =>
    agent.reply({ turn: 1, messages }, signal);
  return { server, ask };
};

const hello = [{ role: 'user', content: '여보세요?' }] as const;
const yes = sendBody(
  'data: {"choices":[{"index":0,"delta":{"content":"네."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
);

test.serial('sends a request that matches the documentation byte for byte', async (t) => {
  const { server, ask } = await setUpOpenaiCompatible(t, yes, { path: '/v1', bearerToken: 'session-token' });
  const messages: Message[] = [
    { role: 'user', content: kickoffFor('예약 "확인"') },
    { role: 'assistant', content: '안녕하세요.' },
    { role: 'user', content: '네?' },
  ];
  t.is(await textOf(ask(messages)), '네.');
  const [request] = server.requests;
  t.is(request?.method, 'POST');
  t.is(request?.path, '/v1/chat/completions');
  t.is(
    request?.body,
    '{"messages":[{"role":"user","content":"[outbound call connected] You speak first. The other party has not said anything yet.' +
      '\\n[task] 예약 \\"확인\\""},{"role":"assistant","content":"안녕하세요."},{"role":"user","content":"네?"}],"stream":true}',
  );
});

test.serial('sends x-gw-from "anonymous" for a withheld number', async (t) => {
  const { server, ask } = await setUpOpenaiCompatible(t, yes, { context: { ...context, from: 'anonymous' } });
  await textOf(ask());
  t.is(server.requests[0]?.headers['x-gw-from'], 'anonymous');
});

for (const [chatPath, expected] of [
  ['', '/chat/completions'],
  ['/', '/chat/completions'],
  ['/v1/', '/v1/chat/completions'],
  ['/v1?api-version=2', '/v1/chat/completions?api-version=2'],
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/v1/chat/completions/', '/v1/chat/completions'],
] as const) {
  test.serial(`requests ${expected} for a chat URL that ends in "${chatPath}"`, async (t) => {
    const { server, ask } = await setUpOpenaiCompatible(t, yes, { path: chatPath });
    await textOf(ask());
    t.is(server.requests[0]?.path, expected);
  });
}

for (const { name, bytes, response } of recordedReplies('openai_compatible').filter(
  ({ response: { status } }) => status >= 300,
)) {
  test.serial(`fails without spoken text after the recorded HTTP error ${name}`, async (t) => {
    const { ask } = await setUpOpenaiCompatible(t, sendBody(bytes, response.status));
    const { text, error } = await hearReply(ask());
    t.is(text, '');
    t.like(error, { failure: 'http_error', status: response.status, message: `HTTP ${response.status}` });
  });
}

const wantsTool = 'the model asked for a tool, which the server leaves to the caller';

test.serial('fails when the model calls an unknown tool without words', async (t) => {
  const toolCalls = recordedReplies('openai_compatible').find(({ name }) => name === '29-tool_calls');
  const { ask } = await setUpOpenaiCompatible(t, sendBody(toolCalls?.bytes ?? ''));
  const { text, error } = await hearReply(ask());
  t.is(text, '');
  t.like(error, { failure: 'no_reply', message: wantsTool });
});

test.serial('logs a call of an unknown tool that follows spoken text', async (t) => {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const call = { index: 0, id: 'c', function: { name: 'look_up', arguments: '{}' } };
  const { ask } = await setUpOpenaiCompatible(
    t,
    sendBody(chunk({ content: '찾아볼게요.' }) + chunk({ tool_calls: [call] }) + chunk({}, 'tool_calls')),
  );
  const { text, remarks, error } = await hearReply(ask());
  t.deepEqual({ text, error }, { text: '찾아볼게요.', error: undefined });
  t.deepEqual(remarks, [wantsTool]);
});

// Read completion

type Read = { text: string; remarks: string[]; toolCalls: readonly ToolCall[]; error: unknown };

const read = async (pieces: readonly Uint8Array[], reset = false): Promise<Read> => {
  const result: Read = { text: '', remarks: [], toolCalls: [], error: undefined };
  try {
    for await (const part of readCompletion(bodyOf(pieces, { reset }), replyLimits.lineCharacters)) {
      if (typeof part === 'string') result.text += part;
      else if (part === retraction) result.text = '';
      else if ('remark' in part) result.remarks.push(part.remark);
      else result.toolCalls = part.toolCalls;
    }
  } catch (error) {
    result.error = error;
  }
  return result;
};

const readText = (text: string): Promise<Read> => read([Buffer.from(text)]);
const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const says = (content: unknown, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
const done = 'data: [DONE]\n\n';

const cases = recordedReplies('openai_compatible').filter(({ response }) => response.status < 300);

for (const { name, bytes, response, expect } of cases) {
  test.serial(`speaks the expected text of the recorded reply ${name} for any chunking`, async (t) => {
    for (const pieces of everyCut(bytes)) {
      const { text, error } = await read(pieces, response.reset);
      t.is(text, expect.spoken ?? '');
      t.is(error !== undefined, expect.failure !== undefined, String(error));
    }
  });
}

/** Words of a stream as the agent reads them; these replies call no tools. */
async function* wordsIn(pieces: readonly Uint8Array[]): AsyncGenerator<ReplyPiece, void, undefined> {
  for await (const part of readCompletion(bodyOf(pieces), replyLimits.lineCharacters))
    if (typeof part !== 'object' || 'remark' in part) yield part;
}

for (const { name, heard, cuts } of repliesWithControls('openai_compatible')) {
  test.serial(`returns the expected parts of the recorded reply ${name} for any chunking`, async (t) => {
    for (const pieces of cuts()) t.deepEqual(await heardParts(wordsIn(pieces)), heard);
  });
}

test.serial('logs a remark for each oddity of a valid reply', async (t) => {
  const odd = new Map(cases.map(({ name, bytes }) => [name, bytes]));
  const remarksOf = async (name: string): Promise<string[]> =>
    (await read([odd.get(name) ?? Buffer.of()])).remarks;
  t.deepEqual(await remarksOf('01-normal'), []);
  t.deepEqual(await remarksOf('06-no-DONE'), []);
  t.deepEqual(await remarksOf('07-no-finish-reason-no-DONE'), ['the response ended without its end mark']);
  t.deepEqual(await remarksOf('36-finish_reason-length'), ['the reply was cut off at its longest length']);
  t.deepEqual(await remarksOf('37-finish_reason-content_filter'), [
    'the reply was cut off by a content filter',
  ]);
  t.deepEqual(await remarksOf('35-malformed-json-event'), ['a part of the response could not be read']);
});

test.serial('keeps the server’s text apart from the message of a failure', async (t) => {
  for (const { bytes, expect, response } of cases.filter(
    (recorded) => recorded.expect.failure !== undefined,
  )) {
    const { error } = await read([bytes], response.reset);
    t.true(error instanceof Error);
    if (error instanceof Error) t.false(error.message.includes(expect.failure ?? ''), error.message);
  }
  t.like((await readText(event({ error: { message: '모델 고장', code: 500 } }))).error, {
    failure: 'agent_reported_error',
    serverSays: '모델 고장',
  });
});

test.serial('refuses a reply with too many or too long tool calls, after its words', async (t) => {
  const calling = (calls: readonly object[]): string =>
    event({ choices: [{ index: 0, delta: { tool_calls: calls } }] });
  const parts = (count: number, given: string): object[] =>
    Array.from({ length: count }, (_, index) => ({
      id: `c${index}`,
      function: { name: 'f', arguments: given },
    }));
  for (const calls of [calling(parts(5_000, '{}')), calling(parts(40, '1'.repeat(1_000)))]) {
    const { text, toolCalls, error } = await readText(says('네.') + calls + done);
    t.deepEqual({ text, toolCalls }, { text: '네.', toolCalls: [] });
    t.like(error, { failure: 'reply_too_large' });
  }
  const { toolCalls, error } = await readText(calling(parts(1_000, '{}')) + done);
  t.is(error, undefined);
  t.is(toolCalls.length, 1_000);
});

test.serial('reads error messages in many formats', async (t) => {
  for (const error of [
    event({ error: 'model crashed' }),
    event({ error: { code: 500 } }),
    `event: error\n${event({ message: 'boom' })}`,
    'error: {"code":500,"message":"boom"}\n\n',
    'error: boom\n\n',
    says(null, 'overloaded_error') + done,
    says(null, 'error'),
  ]) {
    const { text, error: failure } = await readText(says('네, ') + error);
    t.is(text, '네, ');
    t.like(failure, { failure: 'agent_reported_error' }, error);
  }
  t.is(
    (await readText(event({ error: null, choices: [{ delta: { content: '네.' } }] }) + done)).error,
    undefined,
  );
});

test.serial('fails on an empty body (no_reply) and on another format (invalid_reply)', async (t) => {
  for (const empty of ['', '\n\n', ': comment\n\n', done, says(null) + says(''), event({ choices: [] })]) {
    t.like((await readText(empty)).error, { failure: 'no_reply' }, empty);
  }
  for (const other of ['{"detail":"Not Found"}', event({ hello: 1 }), 'data: hello\n\n', 'hello', '[]']) {
    t.like((await readText(other)).error, { failure: 'invalid_reply' }, other);
  }
});

test.serial('treats a finish without text as silence that the model chose', async (t) => {
  const { text, error, remarks } = await readText(says('') + says(null, 'stop') + done);
  t.is(text, '');
  t.is(error, undefined);
  t.deepEqual(remarks, ['the model finished without text']);
});

test.serial('reads text content parts and ignores choices other than the first', async (t) => {
  const { text } = await readText(
    says([{ type: 'text', text: '네, ' }, { type: 'image_url', image_url: {} }, { text: '그렇습니다.' }, 7]) +
      event({
        choices: [
          { index: 1, delta: { content: '아니요.' } },
          { index: 0, delta: { content: '!' } },
        ],
      }) +
      event({ choices: [null, { index: 0, delta: { content: 7 } }] }) +
      done,
  );
  t.is(text, '네, 그렇습니다.!');
});

for (const finish of ['length', 'content_filter']) {
  test.serial(`fails when a model finishes with ${finish} before its first word`, async (t) => {
    const { text, error } = await readText(says('') + says(null, finish));
    t.is(text, '');
    t.like(error, { failure: 'no_reply' });
  });
}

test.serial('yields to the event loop while filtering a chunk of many possible marks', async (t) => {
  let tasks = 0;
  const count = (): void => {
    tasks += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  await readText(says(`<think>${'<'.repeat(200_000)}`) + done);
  clearImmediate(counting);
  t.true(tasks >= 20, String(tasks));
});

test.serial('retracts a thought whose end is far behind its beginning in one chunk', async (t) => {
  const thought = '생각 '.repeat(10_000);
  t.is(
    (await readText(says(`${thought}</think>네.${' 네.'.repeat(10_000)}`, 'stop'))).text.slice(0, 5),
    '네. 네.',
  );
});

test.serial('drops reasoning in a channel without tokens when the reply is cut off or breaks', async (t) => {
  const thought = says('analysisThe user asks. I');
  t.like(await readText(thought + says(null, 'length')), { text: '', error: { failure: 'no_reply' } });
  t.like(await readText(thought), { text: '', error: { failure: 'no_reply' } });
  t.is((await read([Buffer.from(thought)], true)).text, '');
  t.is((await readText(thought + says(null, 'stop'))).text, 'analysisThe user asks. I');
});

test.serial('keeps all words when the connection breaks after the finish', async (t) => {
  const whole = await read([Buffer.from(says('네.', 'stop'))], true);
  t.is(whole.text, '네.');
  t.is(whole.error, undefined);
  t.deepEqual(whole.remarks, ['the connection broke behind the end of the reply']);
});

test.serial('assembles a tool call from its streamed parts', async (t) => {
  const call = (part: object): string => event({ choices: [{ index: 0, delta: { tool_calls: [part] } }] });
  const { toolCalls, text, error } = await readText(
    says('안녕히 계세요.') +
      call({ index: 0, id: 'call_1', type: 'function', function: { name: 'hang_up', arguments: '' } }) +
      call({ index: 1, id: 'call_2', function: { name: 'press_keys', arguments: '{"ke' } }) +
      call({ index: 0, function: { arguments: '{}' } }) +
      call({ index: 1, function: { arguments: 'ys":"1"}' } }) +
      says(null, 'tool_calls') +
      done,
  );
  t.is(text, '안녕히 계세요.');
  t.is(error, undefined);
  t.deepEqual(toolCalls, [
    { id: 'call_1', name: 'hang_up', arguments: '{}' },
    { id: 'call_2', name: 'press_keys', arguments: '{"keys":"1"}' },
  ]);
});

for (const finish of ['eos', 'eos_token', 'end_turn', 'stop_sequence', 'STOP', 'null', 'completed']) {
  test.serial(`accepts a reply that finishes with ${finish} as complete`, async (t) => {
    const body = says('네, 가능합니다.') + event({ choices: [{ delta: {}, finish_reason: finish }] }) + done;
    t.like(await readText(body), { text: '네, 가능합니다.', remarks: [], error: undefined });
  });
}

test.serial('does not treat the finish reason "null" in every chunk as a finish', async (t) => {
  const body = says('네, ', 'null') + says('가능합니다.', 'null') + done;
  t.like(await readText(body), { text: '네, 가능합니다.', remarks: [], error: undefined });
});

for (const finish of ['max_tokens', 'MAX_TOKENS', 'max_output_tokens', 'model_context_window_exceeded']) {
  test.serial(`logs a reply that finishes with ${finish} as cut off`, async (t) => {
    const { text, remarks, error } = await readText(says('네, 가능') + says(null, finish) + done);
    t.is(text, '네, 가능');
    t.deepEqual([remarks, error], [['the reply was cut off at its longest length'], undefined]);
  });
}

test.serial('logs an unknown finish reason after words, and fails without words', async (t) => {
  const unknown = 'the reply finished for a reason that is not known here';
  t.like(await readText(says('네.') + says(null, 'ran_dry') + done), {
    text: '네.',
    remarks: [unknown],
    error: undefined,
  });
  t.like((await readText(says(null, 'ran_dry') + done)).error, { failure: 'no_reply', message: unknown });
});

test.serial('treats a known finish reason without text as silence that the model chose', async (t) => {
  const { error, remarks } = await readText(says(null, 'end_turn') + done);
  t.deepEqual([error, remarks], [undefined, ['the model finished without text']]);
});

const parts = says('안녕하세요. ') + says('무엇을 도와드릴까요?');
const wholeReply = '안녕하세요. 무엇을 도와드릴까요?';
for (const [title, body, expected] of [
  ['as a delta with the finish', parts + says(wholeReply, 'stop') + done, wholeReply],
  ['as a delta before the finish', parts + says(wholeReply) + says(null, 'stop') + done, wholeReply],
  [
    'as a message',
    parts + event({ choices: [{ message: { content: wholeReply }, finish_reason: 'stop' }] }) + done,
    wholeReply,
  ],
  [
    'as a message beside an empty delta',
    parts + event({ choices: [{ delta: {}, message: { content: `${wholeReply}\n` } }] }) + done,
    wholeReply,
  ],
  [
    'with its reasoning',
    says('<think>음.</think>네, ') + says('됩니다.') + says('<think>음.</think>네, 됩니다.', 'stop'),
    '네, 됩니다.',
  ],
  ['with notes after it', parts + says(`${wholeReply} ##0$$`, 'stop') + done, `${wholeReply} ##0$$`],
  ['when it is short', says('네.') + says('네.', 'stop') + done, '네.'],
  [
    'with more words after it',
    says('네.') + event({ choices: [{ message: { content: '네. 그럼요.' } }] }) + done,
    '네. 그럼요.',
  ],
] as const) {
  test.serial(`speaks a reply once when the server repeats it ${title}`, async (t) => {
    t.like(await readText(body), { text: expected, error: undefined });
  });
}

test.serial('speaks words that repeat earlier words by coincidence', async (t) => {
  t.is((await readText(says('하') + says('하') + says('하하', 'stop') + done)).text, '하하하하');
  t.is(
    (await readText(says('네. ') + says('네. ') + says('감사합니다.', 'stop') + done)).text,
    '네. 네. 감사합니다.',
  );
});

test.serial('removes a tool call from the spoken words and logs a remark', async (t) => {
  const call = '<tool_call>\n{"name":"find_order","arguments":{"id":"B-2"}}\n</tool_call>';
  t.like(await readText(says(`잠시만요. ${call}`, 'stop') + done), {
    text: '잠시만요. ',
    remarks: [wantsTool],
    error: undefined,
  });
  t.like(await readText(says(call, 'stop') + done), {
    text: '',
    error: { failure: 'no_reply', message: wantsTool },
  });
});

test.serial('assembles tool calls by index, id or name', async (t) => {
  const call = (...tool_calls: object[]): string => event({ choices: [{ index: 0, delta: { tool_calls } }] });
  const press = (keys: string) => ({ name: 'press_keys', arguments: `{"keys":"${keys}"}` });
  const callsOf = async (body: string) =>
    (await readText(body + says(null, 'tool_calls'))).toolCalls.map((each) => ({ ...each, id: '' }));
  const both = ['1', '2'].map((keys) => ({ id: '', ...press(keys) }));
  for (const body of [
    call({ index: 0, id: 'a', function: press('1') }) + call({ index: 0, id: 'b', function: press('2') }),
    call({ id: 'a', function: press('1') }, { id: 'b', function: press('2') }),
    call({ function: press('1') }) + call({ function: press('2') }),
    call({ index: 0, function: press('1') }) + call({ index: 0, function: press('2') }),
    call({ index: '0', id: 'a', function: press('1') }) + call({ index: '0', id: 'b', function: press('2') }),
    // The tool call in parts, of which only the first has the id.
    call({ index: 0, id: 'a', function: { name: 'press_keys', arguments: '{"keys":' } }) +
      call({ index: 0, function: { arguments: '"1"}' } }) +
      call({ index: 0, id: 'b', function: { name: 'press_keys' } }) +
      call({ index: 0, function: { arguments: '{"keys":"2"}' } }),
    // The tool call in parts that all repeat the name.
    call({ index: 0, id: 'a', function: { name: 'press_keys', arguments: '{"keys":' } }) +
      call({ index: 0, id: 'a', function: { name: 'press_keys', arguments: '"1"}' } }) +
      call({ index: 1, id: 'b', function: press('2') }),
    // All tool calls repeated at the end.
    call({ index: 0, id: 'a', function: press('1') }, { index: 1, id: 'b', function: press('2') }) +
      call({ index: 0, id: 'a', function: press('1') }, { index: 1, id: 'b', function: press('2') }),
  ]) {
    t.deepEqual(await callsOf(body), both, body);
  }
  t.deepEqual(
    await callsOf(event({ choices: [{ delta: { function_call: press('1') } }] })),
    both.slice(0, 1),
  );
});

test.serial('keeps white space before a first word that is held back as possible markup', async (t) => {
  for (const pieces of [
    [' ca', 'ller'],
    [' ', '┤nl'],
    ['\n ', '<', ' 3'],
    [' {"na', 'me is Kim'],
  ]) {
    t.is((await readText(pieces.map((piece) => says(piece)).join('') + done)).text, pieces.join(''));
  }
  t.is((await readText(says('<think>음</think>\n\n') + says('네.') + done)).text, '네.');
});

test.serial('never speaks reasoning, wherever its markup is split', async (t) => {
  const whole =
    '<think>손님이 <b>화</b>났다</think>\n\n네, 3 < 4 이고 <thin> 입니다. <think>음</think>그렇죠?<th';
  const characters = Array.from(whole);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }), async (sizes) => {
      let stream = '';
      for (let at = 0, index = 0; at < characters.length; index += 1) {
        const size = sizes[index % sizes.length] ?? 1;
        stream += says(characters.slice(at, at + size).join(''));
        at += size;
      }
      t.is((await readText(stream + done)).text, '네, 3 < 4 이고 <thin> 입니다. 그렇죠?<th');
    }),
    { numRuns: 50 },
  );
  t.is((await readText(says('<think>끝없는 생각') + says(null, 'stop'))).text, '');
});

test.serial('reads the same reply for any line ends, chunk sizes, comments and unknown fields', async (t) => {
  const words = fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { minLength: 1, maxLength: 12 });
  const noise = fc.constantFrom(
    '',
    ': OPENROUTER PROCESSING',
    'event: message',
    'id: 7',
    'retry: 1',
    'x-odd: 1',
  );
  await fc.assert(
    fc.asyncProperty(
      words,
      fc.constantFrom('\n', '\r\n', '\r'),
      noise,
      fc.integer({ min: 1, max: 50 }),
      async (texts, end, other, size) => {
        const lines = texts.flatMap((content) => [
          ...(other === '' ? [] : [other]),
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content, odd: {} } }], usage: null })}`,
          '',
        ]);
        const bytes = Buffer.from([...lines, 'data: [DONE]', ''].map((line) => line + end).join(''));
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const { text } = await read(pieces);
        t.is(text, texts.join(''));
      },
    ),
  );
});

// Azure OpenAI

/** A stream of a deployment: filter results in chunks without a choice, and in choices without a delta. */
const azureStream = [
  { choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
  { choices: [{ index: 0, delta: { role: 'assistant', content: '', refusal: null }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: '네, ' }, finish_reason: null, content_filter_results: {} }] },
  { choices: [{ index: 0, delta: { content: '그럼요.' }, finish_reason: null }] },
  { id: '', choices: [{ index: 0, finish_reason: null, content_filter_offsets: { check_offset: 44 } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop', content_filter_results: {} }] },
];

/** A deployment of Azure OpenAI that accepts one name, one version and one key. */
const azure: Answer = (response, request) => {
  const url = new URL(request.path, 'http://localhost');
  const refuse = (status: number, code: string, message: string) =>
    sendJson({ error: { code, message } }, status)(response, request);
  if (request.headers['api-key'] !== 'key-of-the-resource')
    return refuse(401, '401', 'Access denied due to invalid subscription key or wrong API endpoint.');
  if (
    url.pathname !== '/openai/deployments/front-desk/chat/completions' ||
    url.searchParams.get('api-version') !== '2024-10-21'
  )
    return refuse(404, '404', 'Resource not found');
  const events = [...azureStream.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
  return sendBody(events.map((data) => `data: ${data}\n\n`).join(''))(response, request);
};

for (const path of [
  '/openai/deployments/front-desk?api-version=2024-10-21',
  '/openai/deployments/front-desk/?api-version=2024-10-21',
  '/openai/deployments/front-desk/chat/completions?api-version=2024-10-21',
])
  test.serial(`reaches an Azure OpenAI deployment at ${path}`, async (t) => {
    const headers = { 'api-key': 'key-of-the-resource' };
    const { ask } = await setUpOpenaiCompatible(t, azure, { path, headers });
    t.like(await hearReply(ask()), { text: '네, 그럼요.', error: undefined, remarks: [] });
  });

test.serial('logs in to an Azure OpenAI deployment with the api-key header only', async (t) => {
  const { ask } = await setUpOpenaiCompatible(t, azure, {
    path: '/openai/deployments/front-desk?api-version=2024-10-21',
    bearerToken: 'key-of-the-resource',
  });
  await t.throwsAsync(textOf(ask()), { message: 'HTTP 401' });
});
