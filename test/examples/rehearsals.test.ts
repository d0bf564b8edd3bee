/**
 * The included rehearsal suites against every kind of agent, all at once in one gateway. The examples for servers that
 * are not installed here answer with recorded bytes; `npm run test:real-agents` runs the servers themselves.
 */
import test, { type ExecutionContext } from 'ava';
import { startAgentServer } from '#test/helpers/agent-server.ts';
import { sharedGateway, withFreshNumber, type TestGateway } from '#test/helpers/gateway.ts';
import { recordedReplies, type RecordedReply } from '#test/helpers/recorded-replies.ts';
import { failuresOfSuites } from './pass-suites.ts';
import { playWorkflow } from './play-workflow.ts';
import { runExample } from './run-example.ts';

/** Four times the speed of people: at a higher speed, the time of a program per word would count as a pause. */
const sharing = sharedGateway({ GW_SIMULATOR_SPEED: '4' });

const recorded = (server: Parameters<typeof recordedReplies>[0], name: string): RecordedReply => {
  const found = recordedReplies(server).find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} of ${server} is not recorded`);
  return found;
};

/** A server that answers each request with the recorded reply whose path ends like that of the request. */
const replaying = async (t: ExecutionContext, replies: Readonly<Record<string, RecordedReply>>) => {
  const server = await startAgentServer((response, { path }) => {
    const reply = Object.entries(replies).find(([end]) => path.endsWith(end))?.[1];
    if (reply === undefined) response.writeHead(204).end();
    else response.writeHead(reply.response.status, reply.response.headers).end(reply.bytes);
  });
  t.teardown(server.close);
  return server.url;
};

type Binding = Readonly<Record<string, string>>;

const builtin: Binding = { agent: 'builtin' };

const example =
  (path: string, agentType: string) =>
  async (t: ExecutionContext, { credentials }: TestGateway): Promise<Binding> => {
    const { base_url: url, number_key: key } = credentials;
    const agent = await runExample(t, path, { GATEWAY_URL: url, NUMBER_KEY: key });
    return { agent: 'endpoint', agent_type: agentType, chat_url: agent.url };
  };

const agents: Readonly<
  Record<string, (t: ExecutionContext, gateway: TestGateway) => Promise<Binding> | Binding>
> = {
  'the built-in agent': () => builtin,
  webhook: example('webhook/agent.mjs', 'webhook'),
  'openai-compatible': example('openai-compatible/agent.mjs', 'openai_compatible'),
  async n8n(t, gateway) {
    const n8n = await playWorkflow(gateway);
    t.teardown(n8n.close);
    return { agent: 'endpoint', agent_type: 'n8n', chat_url: `${n8n.url}/webhook/telephone-agent/chat` };
  },
  async langgraph(t) {
    const url = await replaying(t, {
      '/threads': recorded('langgraph', '01a-thread-create'),
      '/runs/stream': recorded('langgraph', '02a-agent-turn1'),
    });
    return { agent: 'endpoint', agent_type: 'langgraph', assistant_id: 'agent', chat_url: url };
  },
  async mastra(t) {
    const url = await replaying(t, { '/stream': recorded('mastra', '02a-voiceAssistant') });
    return { agent: 'endpoint', agent_type: 'mastra', chat_url: url };
  },
};

test.serial('the rehearsal suites pass against every kind of agent', async (t) => {
  const shared = await sharing(t);
  const failures = await Promise.all(
    Object.entries(agents).map(async ([name, connect]) => {
      const gateway = await withFreshNumber(shared);
      await gateway.admin.patch(gateway.numberPath, { language: 'en' });
      const binding = await connect(t, gateway);
      for (const direction of ['inbound', 'outbound'])
        await gateway.admin.put(`${gateway.numberPath}/agents/${direction}`, binding);
      return (await failuresOfSuites(gateway)).map((failure) => `${name}: ${failure}`);
    }),
  );
  t.deepEqual(failures.flat(), []);
});
