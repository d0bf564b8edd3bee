/** The examples of the project, run as their pages describe: each as a separate program. */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { readControlTag } from '#src/agents/controls/read-control.ts';
import { newEndpointSecret } from '#src/events/endpoint-secret.ts';
import { signStandardWebhook } from '#src/outgoing/standard-webhooks.ts';
import { sendJson, startAgentServer } from '#test/helpers/agent-server.ts';
import { callInBy } from '#test/helpers/call-in.ts';
import { finalStatuses, testGateway } from '#test/helpers/gateway.ts';
import { startModelServer } from '#test/helpers/model-server.ts';
import { until } from '#test/helpers/until.ts';
import { callIn, callOut, englishGateway } from './example-calls.ts';
import { runExample } from './run-example.ts';

// Agents

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
  title: (_, path) => `${path} talks in outbound and inbound calls, and hangs up after its goodbye`,
});

test.serial(
  talks,
  'webhook/agent.mjs',
  'webhook',
  'Hello, this is NUMBER. I am calling about the following: your table for two. Does that suit you?',
  'You said: "Are you open today?" What else can I do for you?',
);
test.serial(
  talks,
  'openai-compatible/agent.mjs',
  'openai_compatible',
  'Hello, I am calling about the following: your table for two. Does that suit you?',
  'This is turn 1. You said: "Are you open today?"',
);

const person = '01000000011';

/** A caller who enters the number of an order by DTMF, and asks for a person. */
const orderScript = [
  { say: 'It is about my order.' },
  { listen: true },
  { digits: '4711' },
  { listen: true },
  { say: 'A person, please.' },
  { listen: true },
];

const acts = test.macro<[string, string]>({
  async exec(t, path, agentType) {
    const gateway = await englishGateway(t);
    const agent = await runExample(t, path, { TRANSFER_TO: person });
    const binding = { agent_type: agentType, chat_url: agent.url, controls: 'inline' };
    const farewell = 'Thank you very much. Goodbye!';
    t.is((await callOut(t, gateway, binding)).at(-1), farewell);
    t.is((await callIn(t, gateway, binding)).at(-1), farewell);

    const asked = await callInBy(gateway, orderScript);
    t.like(asked.ended, { status: 'completed', end_reason: 'agent_hangup' });
    t.is(asked.said.at(-1), 'I am sorry, nobody is free now. Goodbye!', 'the number allows no transfer');
    await gateway.admin.patch(gateway.numberPath, { transfer_to: [person] });
    const connected = await callInBy(gateway, orderScript);
    t.like(connected.ended, { end_reason: 'transfer_completed', transfer: { to: person, mode: 'warm' } });
    t.deepEqual(connected.said, [
      'Please type the four digits of your order.',
      'I have noted 4 7 1 1. What else can I do for you?',
      'One moment, I connect you.',
    ]);
    t.notRegex(agent.output(), /Error/);
  },
  title: (_, path) =>
    `${path} collects digits, transfers and hangs up by controls in its replies, without API requests`,
});

test.serial(acts, 'webhook/with-controls.mjs', 'webhook');
test.serial(acts, 'openai-compatible/with-controls.mjs', 'openai_compatible');

test.serial('webhook/with-controls.mjs sends DTMF digits', async (t) => {
  const agent = await runExample(t, 'webhook/with-controls.mjs', {});
  const response = await fetch(agent.url, {
    method: 'POST',
    body: JSON.stringify({ message: 'Please press 1', gw: { direction: 'inbound' } }),
  });
  t.deepEqual(await response.json(), { reply: 'One moment. <keys press="1"/>' });
});

test('examples with controls contain no key and make no request', (t) => {
  for (const path of [
    'webhook/with-controls.mjs',
    'openai-compatible/with-controls.mjs',
    'langgraph/with-controls.js',
    'langgraph/controls.js',
    'mastra/src/mastra/controls.js',
  ])
    t.notRegex(
      readFileSync(new URL(`../../examples/${path}`, import.meta.url), 'utf8'),
      /NUMBER_KEY|fetch/,
      path,
    );
});

const scripted = z.object({
  controls: z.string(),
  replyTo: z.custom<(said: readonly string[]) => string>((value) => typeof value === 'function'),
});

/** The servers of these examples are run by `npm run test:real-agents`. */
for (const path of ['langgraph/controls.js', 'mastra/src/mastra/controls.js'])
  test(`${path} describes the controls to the model, and its built-in replies use only those`, async (t) => {
    const { controls, replyTo } = scripted.parse(
      await import(new URL(`../../examples/${path}`, import.meta.url).href),
    );
    const written = [
      controls,
      ...['My order', '[keys] 1', 'A person', '[transfer failed: busy]', 'Bye'].map((text) =>
        replyTo([text]),
      ),
    ];
    const tags = written.flatMap((text) => [...text.matchAll(/<(\w[^>]*)>/g)].map(([, tag = '']) => tag));
    t.deepEqual(
      tags.map((tag) => {
        const control = readControlTag(tag);
        return typeof control === 'object' && 'act' in control ? control.act : control;
      }),
      ['hang_up', 'collect_keys', 'transfer', 'collect_keys', 'transfer', 'hang_up', 'hang_up'],
    );
  });

const goodbye = 'Thank you very much. Goodbye!';
const sorry = 'I cannot end this call myself. Please hang up.';

const asksOnce = test.macro<[string, string, (said: readonly string[]) => object]>({
  async exec(t, path, suffix, bodyOf) {
    const statuses = [502, 502, 409];
    const gateway = await startAgentServer((response, request) =>
      sendJson({ code: 'hangup_failed', detail: 'not now' }, statuses.shift() ?? 409)(response, request),
    );
    t.teardown(gateway.close);
    const agent = await runExample(t, path, { GATEWAY_URL: gateway.url, NUMBER_KEY: 'key' });
    const said: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const body = await fetch(`${agent.url}${suffix}`, {
        method: 'POST',
        headers: { 'x-gw-call-id': 'call-1', 'x-gw-direction': 'inbound' },
        body: JSON.stringify(bodyOf(said)),
      }).then(
        (response) => response.text(),
        () => '',
      );
      const words = [...body.matchAll(/"(?:reply|content)":"([^"]*)"/g)].map(([, word = '']) => word);
      if (words.length > 0) said.push(words.join(''));
    }
    t.deepEqual(said, [`${goodbye} ${sorry}`]);
    t.is(gateway.requests.length, 2, 'a refusal that may pass is tried once more');
    t.regex(agent.output(), /The call goes on: .*not now/);
  },
  title: (_, path) => `${path} says goodbye once and then stays silent if the gateway does not hang up`,
});

test.serial(asksOnce, 'webhook/agent.mjs', '', () => ({
  message: 'Thank you',
  gw: { call_id: 'call-1', direction: 'inbound' },
}));
test.serial(asksOnce, 'openai-compatible/agent.mjs', '/chat/completions', (said) => ({
  messages: [
    ...said.map((content) => ({ role: 'assistant', content })),
    { role: 'user', content: 'Thank you' },
  ],
}));

test.serial('ends a call after one goodbye if its agent may not hang up', async (t) => {
  const gateway = await englishGateway(t);
  const { base_url } = gateway.credentials;
  const agent = await runExample(t, 'webhook/agent.mjs', { GATEWAY_URL: base_url, NUMBER_KEY: 'wrong' });
  const binding = { agent: 'endpoint', agent_type: 'webhook', chat_url: agent.url };
  await gateway.admin.put(`${gateway.numberPath}/agents/outbound`, binding);
  const callId = await gateway.call('01000000001', 'your table for two');
  t.like(await gateway.untilStatus(callId, ...finalStatuses), { end_reason: 'agent_error' });
  const said = (await gateway.transcript(callId)).filter(({ text }) => text.includes(goodbye));
  t.is(said.filter(({ role }) => role === 'assistant').length, 1);
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
  title: (_, path) => `${path} can require the token of the agent binding`,
});

test.serial(refuses, 'webhook/agent.mjs', '');
test.serial(refuses, 'openai-compatible/agent.mjs', '/chat/completions');

test.serial(
  "openai-compatible/with-model.mjs sends the model name and a system message, and streams the model's words",
  async (t) => {
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
  },
);

test.serial(
  'openai-compatible/with-model.mjs describes controls to the model if the agent binding permits them',
  async (t) => {
    const models = await startModelServer(() => ({ pieces: ['Goodbye.', '<hangup/>'] }));
    t.teardown(models.close);
    const agent = await runExample(t, 'openai-compatible/with-model.mjs', {
      MODEL: 'small',
      MODEL_URL: models.url,
      CONTROLS: 'inline',
      TRANSFER_TO: '0212345678',
    });
    await fetch(`${agent.url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Bye' }], stream: true }),
    });
    const system = JSON.stringify(models.requests[0]?.messages[0]);
    t.regex(system, /<hangup\/>/);
    t.regex(system, /<transfer to=\\"0212345678\\"/);
  },
);

// Events

type Verify = (secret: string, headers: Record<string, string>, body: string) => unknown;
const module = z.object({ verify: z.custom<Verify>((value) => typeof value === 'function') });
const load = async (file: string): Promise<Verify> =>
  module.parse(await import(new URL(`../../examples/events/${file}`, import.meta.url).href)).verify;

const body = '{"id":"evt_1","text":"안녕하세요"}';
const nowSec = Math.floor(Date.now() / 1000);
const signed = (secrets: string[], timestamp = nowSec): Record<string, string> =>
  signStandardWebhook({ id: 'evt_1', timestamp, body, secrets });

const verifies = test.macro<[string]>({
  async exec(t, file) {
    const verify = await load(file);
    const [secret, other] = [newEndpointSecret(), newEndpointSecret()];
    t.deepEqual(verify(secret, signed([secret]), body), JSON.parse(body));
    t.deepEqual(
      verify(secret, signed([other, secret]), body),
      JSON.parse(body),
      'while a secret is replaced',
    );
    t.deepEqual(new Webhook(secret).verify(body, signed([secret])), JSON.parse(body));
    const bad: Record<string, [Record<string, string>, string]> = {
      'another secret': [signed([other]), body],
      'another body': [signed([secret]), `${body} `],
      'too old': [signed([secret], nowSec - 600), body],
      'from the future': [signed([secret], nowSec + 600), body],
      'no number': [{ ...signed([secret]), 'webhook-timestamp': 'now' }, body],
      unsigned: [{}, body],
      'a short signature': [{ ...signed([secret]), 'webhook-signature': 'v1,AAAA' }, body],
      'no version': [{ ...signed([secret]), 'webhook-signature': 'x' }, body],
    };
    for (const [what, [headers, text]] of Object.entries(bad))
      t.throws(() => verify(secret, headers, text), undefined, what);
  },
  title: (_, file) => `${file} accepts only requests signed by the gateway`,
});

test.serial(verifies, 'verify.mjs');
test.serial(verifies, 'verify-with-package.mjs');

test.serial('receiver.mjs handles each event of a call once', async (t) => {
  const gateway = await testGateway(t);
  // The endpoint's creation returns the secret, and requires a listening receiver.
  const unused = await runExample(t, 'events/receiver.mjs', {});
  const created = await gateway.admin.post('/api/v1/admin/webhooks', { url: unused.url });
  const { id, secret } = z.object({ id: z.string(), secret: z.string() }).parse(created.body);
  const receiver = await runExample(t, 'events/receiver.mjs', { WEBHOOK_SECRET: secret });
  await gateway.admin.patch(`/api/v1/admin/webhooks/${id}`, { url: receiver.url });
  const tried = await gateway.admin.post(`/api/v1/admin/webhooks/${id}/test`);
  t.like(tried.body, { http_status: 204, error: null });

  const placed = await gateway.client.post('/api/v1/calls', {
    to: '01000000007',
    metadata: { order: 'A-1042' },
  });
  const callId = z.uuid().parse(placed.body['call_id']);
  await gateway.untilStatus(callId, ...finalStatuses);
  const count = (type: string): number => receiver.output().split(`${type} ${callId}`).length - 1;
  await until('the recording is told', () => (count('recording.completed') > 0 ? true : undefined));

  const list = await gateway.admin.get(`/api/v1/admin/webhooks/${id}/deliveries`);
  const deliveries = z.array(z.object({ id: z.string(), type: z.string() })).parse(list.body['deliveries']);
  const ended = deliveries.find(({ type }) => type === 'call.ended')?.id;
  await gateway.admin.post(`/api/v1/admin/deliveries/${ended}/replay`);
  await until('it was sent again', async () => {
    const { body: page } = await gateway.admin.get(`/api/v1/admin/webhooks/${id}/deliveries?state=delivered`);
    const all = z
      .array(z.object({ id: z.string(), attempts: z.array(z.unknown()) }))
      .parse(page['deliveries']);
    return all.some((each) => each.id === ended && each.attempts.length === 2) || undefined;
  });
  for (const type of ['call.ringing', 'call.answered', 'call.ended']) t.is(count(type), 1, type);
  t.regex(receiver.output(), /^call\.ended .* \{ order: 'A-1042' \}$/m);
});
