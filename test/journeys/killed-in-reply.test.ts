/** A gateway is killed while a reply of the customer's server is awaited; another one goes on with the call. */
import test from 'ava';
import { z } from 'zod';
import { phrases } from '#src/domain/phrases.ts';
import type { AgentType } from '#src/domain/agent-binding.ts';
import { startFakeAgent } from '#test/helpers/fake-agents.ts';
import { until } from '#test/helpers/until.ts';
import {
  bindAgent,
  oneDatabase,
  place,
  untilStatus,
  untilTakenOver,
  type Running,
} from './gateways-of-one-database.ts';

/** Answers whatever is said to it, and goes on when its gateway dies. */
const talks = '01000000001';
/** So long nothing comes of the reply. */
const foreverMs = 600_000;

const turnsOf = async ({ client }: Running, callId: string): Promise<{ role: string; text: string }[]> => {
  const { body } = await client.get(`/api/v1/calls/${callId}/transcript`);
  return z.array(z.object({ role: z.string(), text: z.string() })).parse(body['transcript']);
};

const killed = test.macro<[AgentType, 'is asked again' | 'is not asked again']>({
  async exec(t, agentType, what) {
    const { start } = await oneDatabase(t);
    const [dying, staying] = [await start('dying'), await start('staying')];
    const agent = await startFakeAgent(agentType, (_, turn) =>
      turn === 2 ? { pieces: [''], pauseMs: foreverMs } : { pieces: [`${turn}번째 대답입니다.`] },
    );
    t.teardown(agent.close);
    t.is(await bindAgent(dying, agent.binding), 200);
    const callId = await place(dying, talks);
    await until('a second reply is asked for', () => agent.turns[1]);
    const before = await until('what was said is written', async () => {
      const turns = await turnsOf(staying, callId);
      return turns.at(-1)?.role === 'user' ? turns : undefined;
    });
    dying.signal('SIGKILL');
    await untilTakenOver(staying, callId);
    const next = await until('the agent speaks again', async () =>
      (await turnsOf(staying, callId)).at(before.length),
    );
    const isAskedAgain = what === 'is asked again';
    t.deepEqual(next, {
      role: 'assistant',
      text: isAskedAgain ? '3번째 대답입니다.' : phrases.ko.apology,
    });
    const [, asked, again] = agent.turns;
    if (isAskedAgain) t.deepEqual(again?.body['messages'], asked?.body['messages']);
    t.is((await staying.client.post(`/api/v1/calls/${callId}/hangup`, { immediate: true })).status, 202);
    await untilStatus(staying, callId, 'completed');
  },
  title: (_, agentType, what) => `killed while a reply is awaited: ${agentType} ${what}`,
});

test.serial(killed, 'openai_compatible', 'is asked again');
test.serial(killed, 'webhook', 'is not asked again');
