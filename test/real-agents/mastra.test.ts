import test from 'ava';
import { actByControls, converse, hangUpInTheMiddle, passSuites, type Direction } from './conversation.ts';
import { mastraServer } from './mastra-server.ts';
import { testsAgainst } from './tests-against.ts';

testsAgainst(mastraServer, (server) => {
  const binding = (path = '') => ({ agent_type: 'mastra', chat_url: `${server().url}${path}` });

  const talks = test.macro<[Direction, string, { agent_id?: string; path?: string }]>({
    async exec(t, direction, agent, { path, ...named }) {
      const { history, asked } = await converse(t, server(), direction, { ...binding(path), ...named });
      t.deepEqual(
        asked.map(({ agent }) => agent),
        asked.map(() => agent),
      );
      const given = history.flatMap(({ role }, index) =>
        role === 'user' ? [history.slice(0, index + 1)] : [],
      );
      t.deepEqual(
        asked.map(({ messages }) => messages),
        given,
        'each turn came with all that was said and heard before it',
      );
    },
    title: (_, direction, agent) =>
      `Mastra ${direction} with ${agent}: holds a conversation of five turns, one of them interrupted`,
  });

  test(talks, 'outbound', 'bookingAssistant', { agent_id: 'bookingAssistant' });
  test(talks, 'inbound', 'voiceAssistant', {});
  test(talks, 'inbound', 'bookingAssistant', { path: '/api/agents/bookingAssistant' });

  test('Mastra: the rehearsal suites pass', async (t) => {
    await passSuites(t, binding());
  });

  test('Mastra: an agent collects digits, transfers and hangs up by controls', async (t) => {
    await actByControls(t, binding('/api/agents/actingAssistant'));
  });

  test('Mastra: stops the model when the call is hung up within its reply', async (t) => {
    await hangUpInTheMiddle(t, server(), binding());
  });
});
