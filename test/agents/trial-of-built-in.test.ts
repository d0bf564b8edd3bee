/** The built-in agent, tried without a call. */
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import { agentTimes, replyLimits } from '#config/policy.ts';
import { createTryAgent } from '#src/agents/trial.ts';
import type { TrialRequest } from '#src/domain/agent-trial.ts';
import { systemClock } from '#src/clocks.ts';
import { createEndpointClient } from '#src/outgoing/endpoint-client.ts';
import { hangUpConnection, sendBody, sendJson, stayQuiet } from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { startModelServer, type ModelAnswer } from '#test/helpers/model-server.ts';

const tryBuiltIn = async (
  t: ExecutionContext,
  answer: ModelAnswer | null,
  { firstTokenMs = 8_000, ...request }: Partial<TrialRequest> & { firstTokenMs?: number } = {},
) => {
  const server = await startModelServer(() => answer ?? {});
  const client = createEndpointClient({
    rules: { allowedHosts: [], allowLoopback: true, anywhere: true },
    connectMs: 10_000,
    maxBodyBytes: replyLimits.streamBytes,
    connectionsPerHost: 4,
  });
  t.teardown(async () => {
    await client.close();
    await server.close();
  });
  const trial = await createTryAgent({
    ...endpointWorld(t),
    times: { ...agentTimes, firstTokenMs: 10_000 },
    wholeTrialMs: 20_000,
    languageModel:
      answer === null
        ? null
        : {
            baseUrl: server.url,
            model: 'small',
            apiKey: 'model-key',
            client,
            clock: systemClock,
            limits: replyLimits,
            firstTokenMs,
          },
    logger: pino({ level: 'silent' }),
  })({
    agentType: 'builtin',
    chatUrl: null,
    assistantId: null,
    agentId: null,
    controls: 'off',
    token: null,
    direction: 'outbound',
    language: 'en',
    instruction: 'Confirm the booking',
    say: [],
    ...request,
  });
  return { server, trial, turn: trial.turns[0] };
};

test('the built-in agent is tried with its model: the prompt, the words and their times', async (t) => {
  const { trial, turn, server } = await tryBuiltIn(t, { pieces: ['Hello. ', 'Is Friday fine?'] });
  t.true(trial.ok);
  t.is(trial.agentType, 'builtin');
  t.deepEqual(
    turn?.spoken.map(({ text }) => text),
    ['Hello.', 'Is Friday fine?'],
  );
  t.regex(turn?.exchanges[0]?.sent.body ?? '', /Confirm the booking/);
  t.is(server.requests.length, 1);
});

test("where the model is and what it is called to is nobody's business", async (t) => {
  const { trial, turn } = await tryBuiltIn(
    t,
    sendBody('{"error":{"message":"model-key is wrong"}}', 401, { 'x-organization': 'secret' }),
  );
  t.is(turn?.exchanges[0]?.sent.url, "the operator's language model");
  t.is(turn?.exchanges[0]?.sent.headers['Authorization'], 'Bearer ••••');
  const told = JSON.stringify(trial);
  t.notRegex(told, /model-key|127\.0\.0\.1|x-organization/);
});

test('a hangup ends nothing, and is told', async (t) => {
  const { turn } = await tryBuiltIn(t, {
    pieces: ['Goodbye.'],
    calls: [{ name: 'hang_up', arguments: '{}' }],
  });
  t.deepEqual(turn?.remarks, ['the agent has hung up']);
  t.is(turn?.failure, null);
});

test('without a model the agent speaks all the same, and a note says that there is none', async (t) => {
  const { trial } = await tryBuiltIn(t, null);
  t.true(trial.ok);
  t.regex(trial.notes.join(), /no language model \(GW_LLM_BASE_URL\)/);
});

const broken: [title: string, ModelAnswer, kind: string, advice: RegExp, firstTokenMs?: number][] = [
  ['a wrong key', sendJson({ error: 'no' }, 401), 'http_error', /GW_LLM_API_KEY/],
  [
    'an unknown model',
    sendJson({ error: 'no such model' }, 404),
    'http_error',
    /GW_LLM_BASE_URL.*\/v1.*GW_LLM_MODEL/,
  ],
  [
    'a quota that is used up',
    sendJson({ error: 'insufficient_quota' }, 429),
    'http_error',
    /used up its quota/,
  ],
  ['a dead server', hangUpConnection, 'connection_failed', /cannot be reached \(.*GW_LLM_BASE_URL/],
  [
    'another format',
    sendJson({ type: 'message', content: [] }),
    'invalid_reply',
    /chat completions.*LiteLLM/,
  ],
  ['a slow model', stayQuiet, 'first_token_timeout', /faster one/, 200],
  ['tools without end', { calls: [{ name: 'nonsense', arguments: '{}' }] }, 'no_reply', /again and again/],
];

for (const [title, answer, kind, advice, firstTokenMs] of broken) {
  test(`the built-in agent with ${title} gets its advice`, async (t) => {
    const { trial, turn } = await tryBuiltIn(t, answer, firstTokenMs === undefined ? {} : { firstTokenMs });
    t.false(trial.ok);
    t.is(turn?.failure?.kind ?? '', kind);
    t.regex(turn?.advice ?? '', advice);
  });
}
