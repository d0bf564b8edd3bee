/** Agents of every kind, language models and speech engines in whole calls on the simulated line. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { type AgentType, agentTypes } from '#src/domain/agent-binding.ts';
import { phrases } from '#src/domain/phrases.ts';
import { bytesOf } from '#src/domain/sample-bytes.ts';
import { sendBody, sendJson, startAgentServer } from '#test/helpers/agent-server.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { type RequestedTurn, startFakeAgent } from '#test/helpers/fake-agents.ts';
import {
  type TestGateway,
  type Turn,
  finalStatuses,
  sharedGateway,
  testGateway,
} from '#test/helpers/gateway.ts';
import { startModelServer } from '#test/helpers/model-server.ts';
import { until } from '#test/helpers/until.ts';
import { numbered } from '#test/speech/doubles/heard-events.ts';
import {
  sendJson as sendEngineJson,
  sendSound,
  startHttpEngine,
  type EngineAnswer,
} from '#test/speech/doubles/http-engine.ts';

// Agent types

const sharing = sharedGateway({ GW_SIMULATOR_SPEED: '10' });

const kickoff =
  '[outbound call connected] You speak first. The other party has not said anything yet.\n[task] 영업시간 안내';
const caller = '01012345678';
const callee = '01077770001';

const longReply = Array.from({ length: 30 }, (_, index) => `긴 안내의 ${index + 1}번째 문장입니다. `);

const answering = (text: string) =>
  text.includes('길게')
    ? { pieces: longReply, pauseMs: 30 }
    : { pieces: ['네, ', '"', text.slice(0, 4), '"', '라고 ', '하셨군요.'] };

const conversation = [
  { say: '길게 설명해 주세요' },
  { interrupt: '잠깐만요 그만하세요' },
  // On a busy machine the voice may end a little later than the interruption.
  { wait_sec: 3 },
  { listen: true },
  { say: '고맙습니다' },
  { listen: true },
  { hang_up: true },
];

/** The conversation that the server received before its newest turn; undefined if it receives none. */
const historyOf = ({ body }: RequestedTurn): { role: string; content: string }[] =>
  z.array(z.object({ role: z.string(), content: z.string() })).parse(body['messages']);

const contextOf = (agentType: AgentType, { body, headers }: RequestedTurn): unknown => {
  if (agentType === 'webhook') return body['gw'];
  if (agentType === 'n8n') return z.object({ gw: z.unknown() }).parse(body['metadata']).gw;
  if (agentType === 'mastra') return z.object({ gw: z.unknown() }).parse(body['requestContext']).gw;
  if (agentType === 'langgraph') {
    return z.object({ configurable: z.object({ gw: z.unknown() }) }).parse(body['config']).configurable.gw;
  }
  return Object.fromEntries(
    ['call_id', 'direction', 'from', 'to', 'language'].map((name) => [
      name,
      headers[`x-gw-${name.replace('_', '-')}`],
    ]),
  );
};

const paths = (callId: string): Readonly<Record<AgentType, string>> => ({
  webhook: '/',
  openai_compatible: '/chat/completions',
  n8n: '/',
  langgraph: `/threads/${callId}/runs/stream`,
  mastra: '/api/agents/voiceAssistant/stream',
});

const textsOf = (turns: readonly Turn[], role: Turn['role']): string[] =>
  turns.filter((turn) => turn.role === role).map(({ text }) => text);

const callOut = async (gateway: TestGateway): Promise<string> => {
  await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, {
    script: [{ listen: true }, ...conversation],
  });
  return gateway.call(callee, '영업시간 안내');
};

const beCalled = async (t: ExecutionContext, gateway: TestGateway): Promise<string> => {
  const door = await startAgentServer(sendJson({ session_token: 'agent-token' }));
  t.teardown(door.close);
  await gateway.admin.put(`${gateway.numberPath}/inbound-auth`, { method: 'handshake', url: door.url });
  const arrived = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: caller,
    script: conversation,
  });
  return z.string().parse(arrived.body['call_id']);
};

const talks = test.macro<[AgentType, 'inbound' | 'outbound']>({
  async exec(t, agentType, direction) {
    const gateway = await sharing(t);
    const agent = await startFakeAgent(agentType, answering);
    t.teardown(agent.close);
    const isOutbound = direction === 'outbound';
    const bound = await gateway.admin.put(`${gateway.numberPath}/agents/${direction}`, {
      ...agent.binding,
      ...(isOutbound ? { token: 'agent-token' } : {}),
      headers: { 'X-Api-Key': 'key-of-the-agent' },
    });
    t.is(bound.status, 200);

    const callId = await (isOutbound ? callOut(gateway) : beCalled(t, gateway));
    t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'counterparty_hangup' });

    const asked = [
      ...(isOutbound ? [kickoff] : []),
      '길게 설명해 주세요',
      '잠깐만요 그만하세요',
      '고맙습니다',
    ];
    t.deepEqual(
      agent.turns.map(({ text }) => text),
      asked,
    );
    // A LangGraph server also receives requests for a thread and for the end of a run.
    for (const { path, headers } of agent.requests) t.is(headers['x-api-key'], 'key-of-the-agent', path);
    const own = gateway.credentials.number;
    for (const turn of agent.turns) {
      t.is(turn.path, paths(callId)[agentType]);
      t.is(turn.headers.authorization, 'Bearer agent-token');
      t.regex(String(turn.headers['traceparent']), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      t.deepEqual(contextOf(agentType, turn), {
        call_id: callId,
        direction,
        from: isOutbound ? own : caller,
        to: isOutbound ? callee : own,
        language: 'ko',
      });
    }

    const turns = await gateway.transcript(callId);
    const said = textsOf(turns, 'assistant');
    t.deepEqual(textsOf(turns, 'user'), asked.slice(isOutbound ? 1 : 0));
    const interrupted = said.find((text) => text.startsWith('긴')) ?? '';
    t.true(
      interrupted.length > 0 && interrupted.length < 60,
      `heard before the interruption: ${interrupted}`,
    );
    t.true(said.includes('네, "잠깐만요"라고 하셨군요.'), said.join(' | '));
    t.is(said.at(-1), '네, "고맙습니"라고 하셨군요.');

    const longTurn = agent.turns.findIndex(({ text }) => text.includes('길게'));
    if (agentType !== 'webhook') {
      t.true(agent.turns[longTurn]?.wasAborted, 'the request behind the interrupted reply was let go of');
    }
    if (agentType === 'openai_compatible' || agentType === 'mastra') {
      const last = agent.turns.at(-1);
      t.truthy(last);
      if (last !== undefined) {
        t.deepEqual(
          historyOf(last).map(({ content }) => content),
          [...(isOutbound ? [kickoff] : []), ...turns.slice(0, -1).map(({ text }) => text)],
          'the history holds what was heard',
        );
      }
    }
    if (agentType === 'langgraph') {
      const threads = agent.requests.filter(({ path }) => path === '/threads').map(({ body }) => body);
      t.deepEqual(threads, [`{"thread_id":"${callId}","if_exists":"do_nothing"}`]);
      const cancels = agent.requests.filter(({ path }) => path.endsWith('/cancel'));
      t.is(cancels.length, 1, 'the run behind the interrupted reply was cancelled');
      t.deepEqual(
        agent.turns.map(
          ({ body }) => z.object({ messages: z.array(z.unknown()) }).parse(body['input']).messages,
        ),
        asked.map((content) => [{ role: 'user', content }]),
      );
    }
    t.false(gateway.logged.some((logLine) => /agent-token|key-of-the-agent|잠깐만요|긴 안내/.test(logLine)));
  },
  title: (_, agentType, direction) => `${agentType} ${direction}: holds a conversation with an interruption`,
});

// Sequentially: the number has one agent per direction.
for (const agentType of agentTypes) {
  test.serial(talks, agentType, 'outbound');
  test.serial(talks, agentType, 'inbound');
}

const leavesOut = test.macro<[AgentType]>({
  async exec(t, agentType) {
    const gateway = await sharing(t);
    const written =
      '<|channel|>analysis<|message|>인사하자.<|end|><|start|>assistant<|channel|>final<|message|>안녕하세요. ' +
      '<tool_call>{"name":"find_order","arguments":{"id":"B-2"}}</tool_call>예약은 *표를 누르세요.<|return|>';
    const agent = await startFakeAgent(agentType, () => ({ pieces: written.match(/[^]{1,3}/gu) ?? [] }));
    t.teardown(agent.close);
    const outbound = `${gateway.numberPath}/agents/outbound`;
    t.is((await gateway.admin.put(outbound, { ...agent.binding, token: 'agent-token' })).status, 200);
    await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, {
      // A reply whose chunks arrive late is also played to its end.
      script: [{ hear: '표를 누르세요' }, { hang_up: true }],
    });
    const callId = await gateway.call(callee);
    await gateway.untilStatus(callId, ...finalStatuses);
    t.deepEqual(textsOf(await gateway.transcript(callId), 'assistant'), [
      '안녕하세요. 예약은 *표를 누르세요.',
    ]);
  },
  title: (_, agentType) => `${agentType}: does not speak machine markup of its model`,
});

for (const agentType of agentTypes) test.serial(leavesOut, agentType);

test.serial('sends DTMF digits, says goodbye and hangs up by controls in the text of an agent', async (t) => {
  const gateway = await sharing(t);
  const farewell = '말씀 감사합니다. 예약을 내일 오후 세 시로 옮겨 드렸습니다. 좋은 하루 보내세요.';
  const agent = await startFakeAgent('webhook', (_, turn) => ({
    pieces: turn === 1 ? ['안녕하세요.<keys pr', 'ess="1#"/>'] : [`${farewell}<hang`, 'up/>'],
  }));
  t.teardown(agent.close);
  const binding = { ...agent.binding, controls: 'inline', token: 'agent-token' };
  t.is((await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, binding)).status, 200);
  const callId = await gateway.call('01000000001');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'completed',
    end_reason: 'agent_hangup',
  });
  t.deepEqual(textsOf(await gateway.transcript(callId), 'assistant'), ['안녕하세요.', farewell]);
  const { body } = await gateway.client.get(`/api/v1/calls/${callId}/events`);
  t.deepEqual(
    z
      .array(z.object({ type: z.string() }))
      .parse(body['events'])
      .map(({ type }) => type)
      .filter((type) => ['keys.pressed', 'call.hangup_requested'].includes(type)),
    ['keys.pressed', 'call.hangup_requested'],
  );
});

// Language models

const settings = (url: string) => ({
  GW_LLM_BASE_URL: url,
  GW_LLM_MODEL: 'small',
  GW_LLM_API_KEY: 'model-key',
});

const summaryOf = (gateway: TestGateway, callId: string): Promise<string> =>
  until('the summary is written', async () => {
    const { body } = await gateway.client.get(`/api/v1/calls/${callId}`);
    return z.string().optional().catch(undefined).parse(body['summary']);
  });

test.serial('stores and summarizes calls of a model that writes its own end-of-turn tokens', async (t) => {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const model = await startModelServer(({ tools }) => {
    const words =
      tools.length === 0 ? '생각 중.</think>예약을 확인했다.<|im_end|>' : '<think>음.</think>네, 맞습니다.';
    return sendBody(`${chunk({ content: words })}${chunk({}, 'eos')}data: [DONE]\n\n`);
  });
  t.teardown(model.close);
  const gateway = await testGateway(t, settings(model.url));
  await gateway.admin.put(`/api/v1/admin/simulator/callees/${callee}`, {
    script: [{ listen: true }, { say: '정말요?' }, { listen: true }, { hang_up: true }],
  });
  const callId = await gateway.call(callee, '예약 확인');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'counterparty_hangup' });
  t.deepEqual(textsOf(await gateway.transcript(callId), 'assistant'), ['네, 맞습니다.', '네, 맞습니다.']);
  t.is(await summaryOf(gateway, callId), '예약을 확인했다.');
});

test.serial(
  'the built-in agent uses its model, sends DTMF digits, hangs up with a tool and is summarized',
  async (t) => {
    const model = await startModelServer(({ messages, tools }) => {
      if (tools.length === 0) return { pieces: ['두 번을 눌러 ', '예약을 확인했습니다.'] };
      const last = messages.at(-1);
      if (last?.role === 'tool') return { pieces: ['예약이 ', '확인되었나요?'] };
      if (last?.content.startsWith('[outbound'))
        return { calls: [{ name: 'press_keys', arguments: '{"keys":"2"}' }] };
      return {
        pieces: ['감사합니다. ', '안녕히 계세요.'],
        calls: [{ name: 'hang_up', arguments: '{}' }],
      };
    });
    t.teardown(model.close);
    const gateway = await testGateway(t, settings(model.url));
    await gateway.admin.put('/api/v1/admin/simulator/callees/01077770001', {
      script: [{ await_digits: '2' }, { listen: true }, { say: '네, 확인되었습니다' }, { listen: true }],
    });
    const callId = await gateway.call('01077770001', '예약 확인');
    t.like(await gateway.untilStatus(callId, ...finalStatuses), {
      status: 'completed',
      end_reason: 'agent_hangup',
    });
    t.deepEqual(
      (await gateway.transcript(callId)).map(({ role, text }) => `${role}: ${text}`),
      [
        'assistant: 예약이 확인되었나요?',
        'user: 네, 확인되었습니다',
        'assistant: 감사합니다. 안녕히 계세요.',
      ],
    );
    t.is(await summaryOf(gateway, callId), '두 번을 눌러 예약을 확인했습니다.');
    t.false(gateway.logged.some((line) => /model-key|예약|확인되었/.test(line)));
  },
);

test.serial("the built-in agent's model collects digits and transfers the caller to a person", async (t) => {
  const person = '01000000011';
  const model = await startModelServer(({ messages, tools }) => {
    if (tools.length === 0) return { pieces: ['담당자에게 연결했습니다.'] };
    if (messages.at(-1)?.content !== '[keys] 4711')
      return {
        pieces: ['주문 번호를 눌러 주세요.'],
        calls: [{ name: 'collect_keys', arguments: '{"digits":4}' }],
      };
    const given = JSON.stringify({ to: person, mode: 'warm', briefing: '4711번 주문 문의입니다.' });
    return { pieces: ['담당자를 연결해 드릴게요.'], calls: [{ name: 'transfer_call', arguments: given }] };
  });
  t.teardown(model.close);
  const gateway = await testGateway(t, settings(model.url));
  t.is((await gateway.admin.patch(gateway.numberPath, { transfer_to: [person] })).status, 200);
  const { body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: '01012345678',
    script: [{ say: '주문 때문에 전화했어요.' }, { listen: true }, { digits: '4711' }, { listen: true }],
  });
  const callId = z.string().parse(body['call_id']);
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    end_reason: 'transfer_completed',
    transfer: { to: person, mode: 'warm' },
  });
  t.deepEqual(textsOf(await gateway.transcript(callId), 'assistant').slice(-2), [
    '주문 번호를 눌러 주세요.',
    '담당자를 연결해 드릴게요.',
  ]);
  t.deepEqual(
    model.requests[0]?.tools.map((tool) => tool.function.name),
    ['hang_up', 'press_keys', 'collect_keys', 'transfer_call'],
  );
});

test.serial(
  "the built-in agent speaks with the number's model, instructions and tools; a call keeps those it began with",
  async (t) => {
    const prompt = '강변치과입니다. 문의 비밀번호는 4711입니다.';
    const [asked, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const words = 'data: {"choices":[{"index":0,"delta":{"content":"네."},"finish_reason":"stop"}]}\n\n';
    const model = await startModelServer(({ tools, messages }, round) => {
      if (tools.length === 0) return { pieces: ['통화했다.'] };
      // The settings change while the first reply is awaited.
      if (round === 1)
        return async (response, request) => {
          asked.resolve();
          await changed.promise;
          return sendBody(words)(response, request);
        };
      if (!messages.at(-1)?.content.startsWith('마지막')) return { pieces: ['네, 말씀하세요.'] };
      return { pieces: ['안녕히 계세요.'], calls: [{ name: 'hang_up', arguments: '{}' }] };
    });
    t.teardown(model.close);
    const gateway = await testGateway(t, { ...settings(model.url), GW_LLM_MODELS: 'large' });
    const put = async (own: object) => {
      const agent = { agent: 'builtin', ...own };
      t.is((await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, agent)).status, 200);
    };
    const replies = () => model.requests.filter(({ tools }) => tools.length > 0);
    await put({ model: 'large', prompt, tools: ['hang_up'] });
    await gateway.admin.put('/api/v1/admin/simulator/callees/01077770003', {
      script: [{ listen: true }, { say: '마지막입니다.' }, { listen: true }],
    });
    const callId = await gateway.call('01077770003', '예약 확인');
    await asked.promise;
    await put({});
    changed.resolve();
    t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_hangup' });
    t.is(replies().length, 2);
    for (const { model: name, tools, messages } of replies()) {
      t.is(name, 'large');
      t.true(messages[0]?.content.endsWith(prompt));
      t.deepEqual(
        tools.map((tool) => tool.function.name),
        ['hang_up'],
      );
    }
    const next = await gateway.call('01077770003', '예약 확인');
    await gateway.untilStatus(next, ...finalStatuses);
    const [usual] = replies().slice(2);
    t.is(usual?.model, 'small');
    t.false(usual?.messages[0]?.content.includes('강변치과'));
    t.false(gateway.logged.some((line) => /강변치과|(?<![\w-])4711(?![\w-])/.test(line)));
  },
);

test.serial('apologises for a failing language model and reports the failure to the operator', async (t) => {
  const model = await startModelServer(({ messages }) =>
    messages.length === 2 ? { pieces: ['안녕하세요.'] } : sendBody('{"error":{"message":"비밀"}}', 529),
  );
  t.teardown(model.close);
  const gateway = await testGateway(t, settings(model.url));
  await gateway.admin.put('/api/v1/admin/simulator/callees/01077770002', {
    script: [
      { listen: true },
      { say: '누구세요?' },
      { listen: true },
      { say: '누구시냐고요' },
      { listen: true },
    ],
  });
  const callId = await gateway.call('01077770002', '예약 확인');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), {
    status: 'failed',
    end_reason: 'agent_error',
  });
  const { apology, failedGoodbye } = phrases.ko;
  t.deepEqual(
    (await gateway.transcript(callId)).filter(({ role }) => role === 'assistant').map(({ text }) => text),
    ['안녕하세요.', apology, failedGoodbye],
  );
  t.regex(await summaryOf(gateway, callId), /\S/);
  const failed = gateway.logged.filter((line) => line.includes('a reply failed'));
  t.is(failed.length, 2);
  t.regex(failed[0] ?? '', /the language model: HTTP 529/);
  const metrics = await gateway.client.as(undefined).get('/metrics');
  t.regex(metrics.bytes.toString(), /trunkline_language_model_failures_total\{failure="http_error"\} [23]/);
  t.false(gateway.logged.some((line) => line.includes('비밀')));
});

// Speech engines of a number

const speaking = sendSound([bytesOf(numbered(8_000))]);

const startEngines = async (t: ExecutionContext, elevenLabsAnswers: EngineAnswer = speaking) => {
  const [elevenLabs, openai] = [
    await startHttpEngine(t, elevenLabsAnswers),
    await startHttpEngine(t, speaking),
  ];
  return {
    elevenLabs,
    settings: {
      GW_SYNTHESIZERS: 'elevenlabs,openai-speech',
      GW_ELEVENLABS_URL: elevenLabs.url,
      GW_ELEVENLABS_API_KEY: 'hush-hush',
      GW_ELEVENLABS_VOICE: 'usual',
      GW_SPEECH_BASE_URL: openai.url,
    },
    /** Requested voices since the last call of this function, each once, by engine. */
    voices() {
      const ofPath = elevenLabs.requests
        .splice(0)
        .map(({ path }) => /text-to-speech\/(.*)\/stream/.exec(path)?.[1] ?? path);
      const ofBody = openai.requests
        .splice(0)
        .map(({ body }) => z.object({ voice: z.string() }).parse(JSON.parse(String(body))).voice);
      return { elevenlabs: [...new Set(ofPath)], openai: [...new Set(ofBody)] };
    },
  };
};

/** A call with a polite callee, and its recording. */
const recordedCall = async (gateway: TestGateway, instruction: string): Promise<number> => {
  const callId = await gateway.call('01000000007', instruction);
  await gateway.untilStatus(callId, ...finalStatuses);
  return until('the recording is made', async () => {
    const { status, body } = await gateway.client.get(`/api/v1/calls/${callId}/recording`);
    return status === 409 && body['reason'] === 'pending' ? undefined : status;
  });
};

test.serial('speaks with the engine and voice of a number, and fails over to other engines', async (t) => {
  const { elevenLabs, settings, voices } = await startEngines(t);
  const gateway = await testGateway(t, settings);
  t.is(await recordedCall(gateway, 'one'), 200);
  t.deepEqual(voices(), { elevenlabs: ['usual'], openai: [] });

  const choice = { synthesizer: 'openai-speech', voice: 'nova' };
  t.like((await gateway.admin.patch(gateway.numberPath, choice)).body, choice);
  t.is(await recordedCall(gateway, 'two'), 200);
  t.deepEqual(voices(), { elevenlabs: [], openai: ['nova'] });

  await gateway.admin.patch(gateway.numberPath, { synthesizer: 'elevenlabs', voice: 'own' });
  t.is(await recordedCall(gateway, 'three'), 200);
  t.deepEqual(voices(), { elevenlabs: ['own'], openai: [] });

  elevenLabs.close();
  t.is(await recordedCall(gateway, 'four'), 200);
  t.deepEqual(voices(), { elevenlabs: [], openai: ['alloy'] });
  t.false(gateway.logged.some((line) => line.includes('hush-hush')));
});

test.serial(
  'reports once that a chosen engine was removed by the operator, and continues calls without it',
  async (t) => {
    const databaseUrl = await testDatabaseUrl(t);
    const dataFolder = await mkdtemp(join(tmpdir(), 'trunkline-engines-'));
    t.teardown(() => rm(dataFolder, { recursive: true, force: true }));
    const { settings, voices } = await startEngines(t, sendEngineJson({}, 503));
    const kept = { ...settings, GW_DATABASE_URL: databaseUrl, GW_DATA_DIR: dataFolder };
    const before = await testGateway(t, kept);
    await before.admin.patch(before.numberPath, { synthesizer: 'elevenlabs', voice: 'own' });
    await before.close();

    const after = await testGateway(t, { ...kept, GW_SYNTHESIZERS: 'openai-speech' });
    t.like((await after.admin.get(after.numberPath)).body, { synthesizer: 'elevenlabs', voice: 'own' });
    t.is(await recordedCall(after, 'one'), 200);
    t.is(await recordedCall(after, 'two'), 200);
    t.deepEqual(voices(), { elevenlabs: [], openai: ['alloy'] });
    t.is(after.logged.filter((line) => line.includes('that is no longer configured')).length, 1);
    t.deepEqual((await after.admin.patch(after.numberPath, { synthesizer: 'elevenlabs' })).body['errors'], [
      {
        path: 'synthesizer',
        message: 'This synthesizer is not configured on this gateway; there is openai-speech.',
      },
    ]);
  },
);
