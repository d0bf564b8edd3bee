import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { replyLimits } from '#config/policy.ts';
import type { Message } from '#machines/reply.ts';
import { languageModelAgent } from '#src/agents/language-model.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';
import { systemClock } from '#src/clocks.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';
import { hangUpConnection, sendBody, sendJson, stayQuiet } from '#test/helpers/agent-server.ts';
import { hearReply, textOf } from '#test/helpers/heard-reply.ts';
import { startModelServer, type ModelAnswer, type ModelRequest } from '#test/helpers/model-server.ts';

type Doors = {
  hangUpFails?: Error;
  pressFails?: Error;
  canPress?: boolean;
  firstTokenMs?: number;
  apiKey?: string;
};

const setUp = async (
  t: ExecutionContext,
  answering: (asked: ModelRequest, round: number) => ModelAnswer,
  { hangUpFails, pressFails, canPress = true, firstTokenMs = 60_000, apiKey }: Doors = {},
) => {
  const server = await startModelServer(answering);
  const client = createEndpointClient({
    rules: { allowedHosts: [], allowLoopback: true, anywhere: true },
    connectMs: 60_000,
    maxBodyBytes: replyLimits.streamBytes,
    connectionsPerHost: 4,
  });
  t.teardown(async () => {
    await client.close();
    await server.close();
  });
  const done: string[] = [];
  const logged: string[] = [];
  const agent = languageModelAgent(
    {
      baseUrl: server.url,
      model: 'small',
      apiKey: apiKey ?? null,
      client,
      clock: systemClock,
      limits: replyLimits,
      firstTokenMs,
    },
    {
      context: {
        call_id: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
        direction: 'outbound',
        from: '0212345678',
        to: '01000000001',
        language: 'ko',
      },
      binding: {
        direction: 'outbound',
        agent: 'builtin',
        agentType: null,
        chatUrl: null,
        assistantId: null,
        agentId: null,
        controls: 'off',
      },
      bearerToken: null,
      instruction: '예약 확인',
    },
    {
      hangUp: (_callId, { immediate }) => {
        done.push(`hang up ${immediate ? 'at once' : 'after the farewell'}`);
        return hangUpFails === undefined ? Promise.resolve() : Promise.reject(hangUpFails);
      },
      pressKeys: canPress
        ? (_callId, keys) => {
            done.push(`press ${keys}`);
            return pressFails === undefined ? Promise.resolve() : Promise.reject(pressFails);
          }
        : null,
      logger: pino({}, { write: (line: string) => logged.push(line) }),
    },
  );
  const ask = (messages: readonly Message[] = [kickoff], signal = new AbortController().signal) =>
    agent.reply({ turn: 1, messages }, signal);
  return { ask, server, done, logged };
};

const kickoff = { role: 'user', content: kickoffFor('예약 확인') } as const;
const says = (...pieces: string[]): ModelAnswer => ({ pieces });

test('the model is asked with its prompt, the whole history and its tools', async (t) => {
  const { ask, server } = await setUp(t, () => says('안녕하', '세요. 예약 ', '확인차 전화드렸습니다.'), {
    apiKey: 'model-key',
  });
  const history: Message[] = [
    kickoff,
    { role: 'assistant', content: '안녕하세요.' },
    { role: 'user', content: '누구세요?' },
  ];
  t.is(await textOf(ask(history)), '안녕하세요. 예약 확인차 전화드렸습니다.');
  const [asked] = server.requests;
  t.deepEqual(server.paths(), ['/v1/chat/completions']);
  t.is(asked?.model, 'small');
  t.is(asked?.authorization, 'Bearer model-key');
  t.deepEqual(asked?.messages.slice(1), history);
  t.is(asked?.messages[0]?.role, 'system');
  t.regex(
    asked?.messages[0]?.content ?? '',
    /전화를 걸었습니다[\s\S]*우리 번호는 0212345678, 상대방 번호는 01000000001/,
  );
  t.deepEqual(
    asked?.tools.map((tool) => tool.function.name),
    ['hang_up', 'press_keys'],
  );
});

test('without a key there is no authorization, without keys to press no such tool', async (t) => {
  const { ask, server } = await setUp(t, () => says('네.'), { canPress: false });
  await textOf(ask());
  t.is(server.requests[0]?.authorization, undefined);
  t.deepEqual(
    server.requests[0]?.tools.map((tool) => tool.function.name),
    ['hang_up'],
  );
});

test('it hangs up with its goodbye, which is said before the request is made', async (t) => {
  const order: string[] = [];
  const { ask, done, server } = await setUp(t, () => ({
    pieces: ['감사합니다. ', '안녕히 계세요.'],
    calls: [{ name: 'hang_up', arguments: '{}' }],
  }));
  for await (const piece of ask())
    order.push(typeof piece === 'symbol' ? `end, ${done.length}` : JSON.stringify(piece));
  t.deepEqual(order, ['"감사합니다. "', '"안녕히 계세요."', 'end, 0']);
  t.deepEqual(done, ['hang up after the farewell']);
  t.is(server.requests.length, 1, 'nothing is left to say');
});

test('a hangup without a word gets the goodbye of the built-in agent', async (t) => {
  const { ask, done } = await setUp(t, () => ({ calls: [{ name: 'hang_up', arguments: '' }] }));
  t.is(await textOf(ask()), '시간 내 주셔서 감사합니다. 안녕히 계세요.');
  t.deepEqual(done, ['hang up after the farewell']);
});

test('a hangup that is refused goes back to the model, and the conversation goes on', async (t) => {
  const { ask, server } = await setUp(
    t,
    (_asked, round) =>
      round === 1
        ? { pieces: ['안녕히 계세요.'], calls: [{ name: 'hang_up', arguments: '{}' }] }
        : says('아직 통화 중이네요.'),
    { hangUpFails: new Refusal('hangup_unavailable', 'The media server is not available.') },
  );
  const { sentences, error } = await hearReply(ask());
  t.is(error, undefined);
  t.deepEqual(sentences, ['안녕히 계세요.', '아직 통화 중이네요.']);
  t.deepEqual(server.requests[1]?.messages.slice(-2), [
    {
      role: 'assistant',
      content: '안녕히 계세요.',
      tool_calls: [{ id: 'call_0', function: { name: 'hang_up', arguments: '{}' } }],
    },
    { role: 'tool', content: 'refused: The media server is not available.', tool_call_id: 'call_0' },
  ]);
});

test('keys are pressed, and nonsense is told to the model', async (t) => {
  const rounds: ModelAnswer[] = [
    {
      calls: [
        { name: 'press_keys', arguments: '{"keys":"1w#"}' },
        { name: 'press_keys', arguments: '{"keys":"x"}' },
      ],
    },
    {
      calls: [
        { name: 'press_keys', arguments: 'not json' },
        { name: 'transfer', arguments: '{}' },
      ],
    },
    says('눌렀습니다.'),
  ];
  const { ask, server, done } = await setUp(t, (_asked, round) => rounds[round - 1] ?? says('?'));
  t.is(await textOf(ask()), '눌렀습니다.');
  t.deepEqual(done, ['press 1w#']);
  const told = server.requests
    .at(-1)
    ?.messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => content);
  t.deepEqual(told, [
    'The keys were pressed.',
    'error: keys must be 1 to 64 of 0-9, *, #, A-D and w',
    'error: keys must be 1 to 64 of 0-9, *, #, A-D and w',
    'error: there is no such tool',
  ]);
});

test('a model that only calls tools is stopped, with a reason in the log', async (t) => {
  const { ask, server } = await setUp(t, () => ({
    calls: [{ name: 'press_keys', arguments: '{"keys":"1"}' }],
  }));
  const { text, error } = await hearReply(ask());
  t.is(text, '');
  t.like(error, { failure: 'no_reply', message: 'the language model: it called tools again and again' });
  t.is(server.requests.length, 3);
});

test('words between tools that never end are a reply', async (t) => {
  const { ask } = await setUp(t, () => ({
    pieces: ['눌러 볼게요.'],
    calls: [{ name: 'press_keys', arguments: '{"keys":"1"}' }],
  }));
  const { remarks, error } = await hearReply(ask());
  t.is(error, undefined);
  t.deepEqual(remarks, ['it called tools again and again']);
});

const failures: [string, ModelAnswer, failure: string, Partial<Doors>?][] = [
  ['an HTTP error', sendJson({ error: { message: '비밀' } }, 500), 'http_error'],
  ['a wrong key', sendJson({ error: { message: '비밀' } }, 401), 'http_error'],
  ['a connection that breaks', hangUpConnection, 'connection_failed'],
  ['an error in the stream', sendBody('data: {"error":"비밀"}\n\n'), 'agent_reported_error'],
  ['nothing at all', sendBody(''), 'no_reply'],
  ['a page', sendBody('<html>비밀</html>'), 'invalid_reply'],
  ['a model that takes too long', stayQuiet, 'first_token_timeout', { firstTokenMs: 100 }],
];

for (const [title, answer, failure, doors] of failures) {
  test(`${title} fails the turn, and nobody else answers it`, async (t) => {
    const { ask } = await setUp(t, () => answer, doors);
    const { text, error } = await hearReply(ask());
    t.is(text, '');
    t.like(error, { name: 'AgentFailure', failure });
    t.regex(String(error), /the language model: /);
    t.notRegex(String(error), /비밀|예약/);
  });
}

test('a model that breaks off within its words fails behind them', async (t) => {
  const { ask } = await setUp(t, () =>
    sendBody(
      'data: {"choices":[{"index":0,"delta":{"content":"안녕하세요. 저는"}}]}\n\ndata: {"error":"overloaded"}\n\n',
    ),
  );
  const { text, error } = await hearReply(ask());
  t.is(text, '안녕하세요. 저는');
  t.like(error, { failure: 'agent_reported_error', serverSays: 'overloaded' });
});
