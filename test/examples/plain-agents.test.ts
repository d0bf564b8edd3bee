import test from 'ava';
import { startModelServer } from '#test/helpers/model-server.ts';
import { callIn, callOut, englishGateway } from './example-calls.ts';
import { runExample } from './run-example.ts';

const talks = test.macro<[string, string, string, string]>({
  async exec(t, path, agentType, kickoffReply, reply) {
    const gateway = await englishGateway(t);
    const { base_url, number_key, number } = gateway.credentials;
    const agent = await runExample(t, path, { GATEWAY_URL: base_url, NUMBER_KEY: number_key });
    const binding = { agent_type: agentType, chat_url: agent.url };
    const farewell = 'Thank you very much. Goodbye!';
    t.deepEqual(await callOut(t, gateway, binding), [kickoffReply.replace('NUMBER', number), farewell]);
    t.deepEqual(await callIn(t, gateway, binding), [reply, farewell]);
    t.notRegex(agent.output(), /The call goes on|Error/);
  },
  title: (_, path) => `${path} talks in calls out and in, and hangs up when it has said goodbye`,
});

test(
  talks,
  'webhook/agent.mjs',
  'webhook',
  'Hello, this is NUMBER. I am calling about the following: your table for two. Does that suit you?',
  'You said: "Are you open today?" What else can I do for you?',
);
test(
  talks,
  'openai-compatible/agent.mjs',
  'openai_compatible',
  'Hello, I am calling about the following: your table for two. Does that suit you?',
  'This is turn 1. You said: "Are you open today?"',
);

test('webhook/with-controls.mjs hangs up and presses keys without a request of its own', async (t) => {
  const gateway = await englishGateway(t);
  const agent = await runExample(t, 'webhook/with-controls.mjs', {});
  const binding = { agent_type: 'webhook', chat_url: agent.url, controls: 'inline' };
  const farewell = 'Thank you very much. Goodbye!';
  t.is((await callOut(t, gateway, binding)).at(-1), farewell);
  t.is((await callIn(t, gateway, binding)).at(-1), farewell);
  const response = await fetch(agent.url, {
    method: 'POST',
    body: JSON.stringify({ message: 'Please press 1', gw: { direction: 'inbound' } }),
  });
  t.deepEqual(await response.json(), { reply: 'One moment. <keys press="1"/>' });
});

const refuses = test.macro<[string, string]>({
  async exec(t, path, suffix) {
    const agent = await runExample(t, path, { AGENT_TOKEN: 'expected' });
    const ask = (token: string) =>
      fetch(`${agent.url}${suffix}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ message: 'Hello', gw: {}, messages: [{ role: 'user', content: 'Hello' }] }),
      });
    t.is((await ask('another')).status, 401);
    t.is((await ask('expected')).status, 200);
  },
  title: (_, path) => `${path} can insist on the token of the binding`,
});

test(refuses, 'webhook/agent.mjs', '');
test(refuses, 'openai-compatible/agent.mjs', '/chat/completions');

test('openai-compatible/with-model.mjs adds the model and a system message, and streams what the model says', async (t) => {
  const models = await startModelServer(() => ({ pieces: ['Good ', 'morning.'] }));
  t.teardown(models.close);
  const environment = { MODEL: 'small', MODEL_URL: models.url, MODEL_KEY: 'model-key' };
  const agent = await runExample(t, 'openai-compatible/with-model.mjs', environment);
  const messages = [{ role: 'user', content: 'Hello' }];
  const response = await fetch(`${agent.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ messages, stream: true }),
  });
  t.is(response.status, 200);
  t.regex(await response.text(), /"Good "[^]*"morning\."/);
  t.like(models.requests[0], { model: 'small', authorization: 'Bearer model-key' });
  t.deepEqual(models.requests[0]?.messages.slice(1), messages);
  t.is(models.requests[0]?.messages[0]?.role, 'system');
  t.notRegex(JSON.stringify(models.requests[0]?.messages[0]), /hangup/);
});

test('openai-compatible/with-model.mjs tells the model of controls where its binding takes them', async (t) => {
  const models = await startModelServer(() => ({ pieces: ['Goodbye.', '<hangup/>'] }));
  t.teardown(models.close);
  const agent = await runExample(t, 'openai-compatible/with-model.mjs', {
    MODEL: 'small',
    MODEL_URL: models.url,
    CONTROLS: 'inline',
  });
  await fetch(`${agent.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Bye' }], stream: true }),
  });
  t.regex(JSON.stringify(models.requests[0]?.messages[0]), /<hangup\/>/);
});
