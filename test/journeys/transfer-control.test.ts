/** An agent that writes a transfer in its reply: who comes, who may not be rung, and what is said of it. */
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';

/** Answers whatever is said to it. */
const talks = '01000000001';
const answers = '01000000011';
const isBusy = '01000000012';

const transferFact = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

/** A call to its end, with an agent whose replies these are; the last one for every later turn. */
const called = async (t: ExecutionContext, transferTo: string[] | null, ...replies: string[]) => {
  const gateway = await testGateway(t, { GW_SIMULATOR_SPEED: '20' });
  const { admin, client, numberPath } = gateway;
  const agent = await startFakeAgent('openai_compatible', (_, turn) => ({
    // In small pieces, so that the marks are cut.
    pieces: (replies[turn - 1] ?? '안녕히 계세요.<hangup/>').match(/[^]{1,7}/gu) ?? [],
  }));
  t.teardown(agent.close);
  const bound = await admin.put(`${numberPath}/agents/outbound`, {
    ...agent.binding,
    token: 'agent-token',
    controls: 'inline',
  });
  t.is(bound.status, 200);
  t.is((await admin.patch(numberPath, { transfer_to: transferTo })).status, 200);
  const placed = await client.post('/api/v1/calls', { to: talks });
  const callId = z.string().parse(placed.body['call_id']);
  const call = await gateway.untilStatus(callId, ...finalStatuses);
  const { body } = await client.get(`/api/v1/calls/${callId}/events`);
  return {
    call,
    facts: z
      .array(transferFact)
      .parse(body['events'])
      .filter(({ type }) => type.startsWith('call.transfer_')),
    said: (await gateway.transcript(callId))
      .filter(({ role }) => role === 'assistant')
      .map(({ text }) => text),
    turns: agent.turns.map(({ text }) => text),
    logged: gateway.logged.join(''),
  };
};

const failedTurn = (reason: string, to: string): string =>
  `[transfer failed: ${reason}] The other party is still on the line. You speak first.\n[to] ${to}`;

test('who may be rung is connected when the words before the mark were heard', async (t) => {
  const { call, facts, said } = await called(
    t,
    [answers],
    '안녕하세요.',
    `담당자를 연결해 드릴게요.<transfer to="${answers}" mode="warm" briefing="청구서 문의입니다."/>`,
  );
  t.like(call, { status: 'completed', end_reason: 'transfer_completed' });
  t.like(facts, [
    { type: 'call.transfer_requested', data: { to: answers, mode: 'warm' } },
    { type: 'call.transfer_answered' },
    { type: 'call.transfer_connected' },
  ]);
  t.deepEqual(said, ['안녕하세요.', '담당자를 연결해 드릴게요.']);
});

test('an agent whose person is busy is told, and goes on', async (t) => {
  const { call, facts, turns } = await called(
    t,
    ['0100000001*'],
    `연결해 드릴게요.<transfer to="${isBusy}"/>`,
  );
  t.like(call, { status: 'completed', end_reason: 'agent_hangup' });
  t.deepEqual(
    facts.map(({ type }) => type),
    ['call.transfer_requested', 'call.transfer_failed'],
  );
  t.true(turns.includes(failedTurn('busy', isBusy)));
});

for (const [what, to, reason] of [
  ['whom the number does not name', answers, 'not_allowed'],
  ['who has no telephone number', '12 34', 'invalid_number'],
] as const)
  test(`nobody is rung ${what}: the agent is told, and all that it says is heard`, async (t) => {
    const { call, facts, said, turns, logged } = await called(
      t,
      ['0212345*'],
      `연결해 드릴게요.<transfer to="${to}"/> 잠시만 기다려 주세요.`,
      '죄송합니다. 연결할 수 없습니다.',
    );
    t.like(call, { status: 'completed', end_reason: 'agent_hangup' });
    t.deepEqual(facts, []);
    t.is(turns[1], failedTurn(reason, to));
    t.deepEqual(said.slice(0, 2), [
      '연결해 드릴게요. 잠시만 기다려 주세요.',
      '죄송합니다. 연결할 수 없습니다.',
    ]);
    t.true(logged.includes(`"reason":"${reason}"`));
    t.false(logged.includes(to));
  });
