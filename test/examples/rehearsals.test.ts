/** The suites that come with the project pass against the built-in agent and the examples that need no other server. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { runRehearse } from '#src/commands/rehearse.ts';
import type { TestGateway } from '#test/helpers/gateway.ts';
import { englishGateway } from './example-calls.ts';
import { runExample } from './run-example.ts';

const suites = ['good-agent', 'impatient-caller', 'things-that-go-wrong'];

const passAll = async (t: ExecutionContext, gateway: TestGateway): Promise<void> => {
  for (const suite of suites) {
    let printed = '';
    const write = (text: string): string => (printed += text);
    const file = fileURLToPath(new URL(`../../examples/rehearsals/${suite}.yaml`, import.meta.url));
    const exit = await runRehearse([file, '--parallel', '4'], {
      environment: { GW_DATA_DIR: dirname(gateway.credentials.file) },
      output: { write },
      errors: { write },
      asked: new AbortController().signal,
    });
    t.is(exit, 0, printed);
  }
};

test('the suites pass against the built-in agent', async (t) => {
  await passAll(t, await englishGateway(t));
});

const example = test.macro<[string, string]>({
  async exec(t, path, agentType) {
    const gateway = await englishGateway(t);
    const { base_url, number_key } = gateway.credentials;
    const agent = await runExample(t, path, { GATEWAY_URL: base_url, NUMBER_KEY: number_key });
    for (const direction of ['inbound', 'outbound'])
      await gateway.admin.put(`${gateway.numberPath}/agents/${direction}`, {
        agent: 'endpoint',
        agent_type: agentType,
        chat_url: agent.url,
      });
    await passAll(t, gateway);
  },
  title: (_, path) => `the suites pass against ${path}`,
});

test(example, 'webhook/agent.mjs', 'webhook');
test(example, 'openai-compatible/agent.mjs', 'openai_compatible');
