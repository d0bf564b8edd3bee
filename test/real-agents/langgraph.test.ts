import test from 'ava';
import { z } from 'zod';
import { until } from '#test/helpers/until.ts';
import { actByControls, converse, hangUpInTheMiddle, passSuites, type Direction } from './conversation.ts';
import { langgraphServer } from './langgraph-server.ts';
import { testsAgainst } from './tests-against.ts';

const runList = z.array(z.object({ status: z.string(), created_at: z.string() }));
const threadState = z.object({
  values: z.object({
    messages: z.array(z.object({ id: z.string(), type: z.string(), content: z.string() })),
  }),
});

testsAgainst(langgraphServer, (server) => {
  const binding = () => ({ agent_type: 'langgraph', chat_url: server().url, assistant_id: 'support' });

  const ask = async (callId: string, what: string): Promise<unknown> => {
    const response = await fetch(`${server().url}/threads/${callId}/${what}`);
    return response.json();
  };

  /** How the runs of a call ended, oldest first. */
  const runs = async (callId: string): Promise<string[]> =>
    runList
      .parse(await ask(callId, 'runs'))
      .sort((one, other) => one.created_at.localeCompare(other.created_at))
      .map(({ status }) => status);

  const talks = test.macro<[Direction]>({
    async exec(t, direction) {
      const { callId, history, cut, asked } = await converse(t, server(), direction, binding());
      const kept = history.filter((message) => message !== cut);
      const { messages } = threadState.parse(await ask(callId, 'state')).values;
      t.deepEqual(
        messages.map(({ type, content }) => ({ role: type === 'human' ? 'user' : 'assistant', content })),
        kept,
        'the thread holds every turn once; of a cancelled run only what was asked',
      );
      t.is(new Set(messages.map(({ id }) => id)).size, messages.length);
      t.deepEqual(asked.at(-1)?.messages, kept.slice(0, -1), 'this is what the model was given');
      t.deepEqual(
        await runs(callId),
        history.flatMap((message, index) =>
          message.role === 'user' ? [history[index + 1] === cut ? 'interrupted' : 'success'] : [],
        ),
        'there was one run for each turn, none was refused, and the interrupted one was cancelled',
      );
    },
    title: (_, direction) =>
      `LangGraph ${direction}: holds a conversation of five turns, one of them interrupted`,
  });

  test(talks, 'outbound');
  test(talks, 'inbound');

  test('LangGraph: the rehearsal suites pass', async (t) => {
    await passSuites(t, binding());
  });

  test('LangGraph: a graph collects digits, transfers and hangs up by controls', async (t) => {
    await actByControls(t, { ...binding(), assistant_id: 'with-controls' });
  });

  test('LangGraph: cancels a run when the call is hung up within its reply', async (t) => {
    const callId = await hangUpInTheMiddle(t, server(), binding());
    await until('the run is over', async () => ((await runs(callId)).includes('running') ? undefined : true));
    t.deepEqual(await runs(callId), ['interrupted']);
  });
});
