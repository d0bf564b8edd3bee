import test from 'ava';
import type { Direction } from '#machines/line.ts';
import {
  agentTypes,
  canTakeCalls,
  keepWhatTypeStores,
  type AgentBinding,
  type AgentType,
} from '#src/domain/agent-binding.ts';

const full: AgentBinding = {
  direction: 'outbound',
  agent: 'endpoint',
  agentType: 'webhook',
  chatUrl: 'https://agent.example/chat',
  assistantId: 'an-assistant',
  agentId: 'an-agent',
  controls: 'off',
};

const stored = test.macro<[AgentType | null, Direction, ('assistantId' | 'agentId')[]]>({
  exec(t, agentType, direction, kept) {
    const binding = { ...full, agentType, direction };
    t.deepEqual(keepWhatTypeStores(binding), {
      ...binding,
      assistantId: kept.includes('assistantId') ? 'an-assistant' : null,
      agentId: kept.includes('agentId') ? 'an-agent' : null,
    });
  },
  title: (_, agentType, direction, kept) =>
    `${agentType ?? 'no type'} ${direction} stores the chat URL${kept.map((name) => ` and ${name}`).join('')}`,
});

test(stored, 'webhook', 'inbound', []);
test(stored, 'webhook', 'outbound', []);
test(stored, 'openai_compatible', 'inbound', []);
test(stored, 'openai_compatible', 'outbound', []);
test(stored, 'n8n', 'inbound', []);
test(stored, 'n8n', 'outbound', []);
test(stored, 'langgraph', 'inbound', ['assistantId']);
test(stored, 'langgraph', 'outbound', ['assistantId']);
test(stored, 'mastra', 'inbound', []);
test(stored, 'mastra', 'outbound', ['agentId']);
test(stored, null, 'inbound', []);
test(stored, null, 'outbound', []);

test('the built-in agent takes calls without anything else', (t) => {
  t.true(canTakeCalls({ ...full, agent: 'builtin', agentType: null, chatUrl: null }));
});

test('an endpoint takes calls when it has a type and a chat URL', (t) => {
  for (const agentType of agentTypes) t.true(canTakeCalls({ ...full, agentType }));
  t.false(canTakeCalls({ ...full, agentType: null }));
  t.false(canTakeCalls({ ...full, chatUrl: null }));
  t.false(canTakeCalls({ ...full, chatUrl: '' }));
});
