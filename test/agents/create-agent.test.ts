import test from 'ava';
import pino from 'pino';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { createAgents } from '#src/agents/create-agent.ts';
import { agentTypes, type AgentType } from '#src/domain/agent-binding.ts';
import { graphTimes, replyLimits } from '#config/policy.ts';
import { systemClock } from '#src/clocks.ts';
import { textOf } from '#test/helpers/heard-reply.ts';
import type { EndpointClient } from '#src/outgoing/endpoint-client.ts';

/** Notes the URLs that it was to call, and calls none. */
const clientWithoutNetwork = () => {
  const urls: string[] = [];
  const client: EndpointClient = {
    post(url) {
      urls.push(url);
      return Promise.reject(new Error('No network here'));
    },
    close: () => Promise.resolve(),
  };
  return { client, urls };
};

const call = (agent: 'builtin' | 'endpoint', agentType: AgentType | null): AgentCall => ({
  context: { call_id: 'call-1', direction: 'outbound', from: '021', to: '010', language: 'en' },
  binding: {
    direction: 'outbound',
    agent,
    agentType,
    chatUrl: agentType === null ? null : 'https://agent.example.com',
    assistantId: agentType === 'langgraph' ? 'support' : null,
    agentId: null,
    controls: 'off',
  },
  bearerToken: null,
  instruction: null,
});

const setUp = () => {
  const { client, urls } = clientWithoutNetwork();
  const createAgent = createAgents({
    client,
    clock: systemClock,
    limits: replyLimits,
    graphTimes,
    hangUp: () => Promise.resolve(),
    pressKeys: null,
    languageModel: null,
    logger: pino({ level: 'silent' }),
  });
  const ask = async (agentCall: AgentCall): Promise<string> => {
    const agent = createAgent(agentCall);
    const messages = [{ role: 'user', content: 'kickoff' }] as const;
    return textOf(agent.reply({ turn: 1, messages }, new AbortController().signal));
  };
  return { createAgent, ask, urls };
};

test('the built-in agent needs no endpoint', async (t) => {
  const { ask, urls } = setUp();
  t.regex(await ask(call('builtin', null)), /^Hello/);
  t.regex(await ask(call('builtin', 'webhook')), /^Hello/);
  t.deepEqual(urls, []);
});

const firstRequests: Readonly<Record<AgentType, string>> = {
  webhook: 'https://agent.example.com',
  openai_compatible: 'https://agent.example.com/chat/completions',
  n8n: 'https://agent.example.com',
  langgraph: 'https://agent.example.com/threads',
  mastra: 'https://agent.example.com/api/agents/voiceAssistant/stream',
};

for (const agentType of agentTypes) {
  test(`${agentType} is called below its chat URL`, async (t) => {
    const { ask, urls } = setUp();
    await t.throwsAsync(ask(call('endpoint', agentType)), { message: 'No network here' });
    t.deepEqual(urls, [firstRequests[agentType]]);
  });
}

test('half a binding makes no agent', (t) => {
  const { createAgent } = setUp();
  t.throws(() => createAgent(call('endpoint', null)), { message: /half a binding/ });
});
