/** A conversation with one interruption, through the whole gateway, for every agent type in both directions. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { agentTypes, type AgentType } from '#src/domain/agent-binding.ts';
import { sendJson, startAgentServer } from '#test/helpers/agent-server.ts';
import { startFakeAgent, type AskedTurn } from '#test/helpers/fake-agents.ts';
import { finalStatuses, sharedGateway, type TestGateway, type Turn } from '#test/helpers/gateway.ts';

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

/** What the server was told of the conversation before its newest turn, where it is told. */
const historyOf = ({ body }: AskedTurn): { role: string; content: string }[] =>
  z.array(z.object({ role: z.string(), content: z.string() })).parse(body['messages']);

const contextOf = (agentType: AgentType, { body, headers }: AskedTurn): unknown => {
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
    t.false(gateway.logged.some((logLine) => /agent-token|잠깐만요|긴 안내/.test(logLine)));
  },
  title: (_, agentType, direction) => `${agentType} ${direction}: a conversation with an interruption`,
});

// One after the other: the number has one agent per direction.
for (const agentType of agentTypes) {
  test.serial(talks, agentType, 'outbound');
  test.serial(talks, agentType, 'inbound');
}

test.serial('an agent that only writes text presses DTMF digits, says goodbye and hangs up', async (t) => {
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
