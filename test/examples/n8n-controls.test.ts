/**
 * The workflow of `examples/n8n` that acts by controls: what its own code and expressions make of a turn, played by a
 * server that answers as n8n's Respond to Webhook node was recorded to.
 */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { startAgentServer } from '#test/helpers/agent-server.ts';
import { finalStatuses } from '#test/helpers/gateway.ts';
import { recordedReplies } from '#test/helpers/recorded-replies.ts';
import { callIn, callOut, englishGateway } from './example-calls.ts';

const source = readFileSync(new URL('../../examples/n8n/with-controls.json', import.meta.url), 'utf8');

const [call, reply, sayIt] = z
  .object({
    nodes: z.tuple([
      z.object({ name: z.literal('Call'), parameters: z.object({ public: z.literal(true) }) }),
      z.object({ name: z.literal('Reply'), parameters: z.object({ jsCode: z.string() }) }),
      z.object({
        name: z.literal('Say it'),
        type: z.literal('n8n-nodes-base.respondToWebhook'),
        parameters: z.object({ respondWith: z.literal('json'), responseBody: z.string() }),
      }),
    ]),
  })
  .parse(JSON.parse(source)).nodes;

const person = '01000000011';
const farewell = 'Thank you very much. Goodbye!';

/** A gateway whose number is bound to this workflow, published: each request is its execution. */
const bound = async (t: ExecutionContext, transferTo: string[]) => {
  const gateway = await englishGateway(t);
  t.is((await gateway.admin.patch(gateway.numberPath, { transfer_to: transferTo })).status, 200);
  const recorded = recordedReplies('n8n').find(({ name }) => name === '03c-respondToWebhook-json');
  const server = await startAgentServer((response, request) => {
    const $input = { first: () => ({ json: JSON.parse(request.body) }) };
    const made: unknown = runInNewContext(`(() => { ${reply.parameters.jsCode} })()`, { $input });
    const [{ json: $json }] = z.tuple([z.object({ json: z.unknown() })]).parse(made);
    const expression = /^=\{\{(.*)\}\}$/s.exec(sayIt.parameters.responseBody)?.[1] ?? '';
    const answer: unknown = runInNewContext(expression, { $json, JSON });
    response.writeHead(200, recorded?.response.headers).end(z.string().parse(answer));
  });
  t.teardown(server.close);
  const binding = {
    agent_type: 'n8n',
    chat_url: `${server.url}/webhook/${call.name}/chat`,
    controls: 'inline',
  };
  return { gateway, binding };
};

/** A caller who asks for a person, and gives the number of an order before. */
const script = [
  { say: 'It is about my order.' },
  { listen: true },
  { digits: '4711' },
  { listen: true },
  { say: 'A person, please.' },
  { listen: true },
];

const callWithOrder = async (t: ExecutionContext, transferTo: string[]) => {
  const { gateway, binding } = await bound(t, transferTo);
  const inbound = `${gateway.numberPath}/agents/inbound`;
  t.is((await gateway.admin.put(inbound, { agent: 'endpoint', ...binding })).status, 200);
  const { body } = await gateway.admin.post('/api/v1/admin/simulator/calls', {
    to: gateway.credentials.number,
    from: '01012345678',
    script,
  });
  const callId = z.string().parse(body['call_id']);
  const ended = await gateway.untilStatus(callId, ...finalStatuses);
  const turns = await gateway.transcript(callId);
  return { ended, said: turns.filter(({ role }) => role === 'assistant').map(({ text }) => text) };
};

const asksForKeys = 'Please type the four digits of your order.';
const noted = 'I have noted 4 7 1 1. What else can I do for you?';

test('it makes no request, and holds no key', (t) => {
  t.notRegex(source, /httpRequest|gw_live_|https?:/);
});

test('it talks in calls out and in, and hangs up when it has said goodbye', async (t) => {
  const { gateway, binding } = await bound(t, []);
  t.deepEqual(await callOut(t, gateway, binding), [
    'Hello, I am calling about the following: your table for two. Does that suit you?',
    farewell,
  ]);
  t.is((await callIn(t, gateway, binding)).at(-1), farewell);
});

test('it takes the keys of the caller, and connects them with a person', async (t) => {
  const { ended, said } = await callWithOrder(t, [person]);
  t.like(ended, {
    status: 'completed',
    end_reason: 'transfer_completed',
    transfer: { to: person, mode: 'warm' },
  });
  t.deepEqual(said, [asksForKeys, noted, 'One moment, I connect you.']);
});

test('it excuses itself where the person may not be rung', async (t) => {
  const { ended, said } = await callWithOrder(t, []);
  t.like(ended, { status: 'completed', end_reason: 'agent_hangup' });
  t.deepEqual(said.slice(-2), ['One moment, I connect you.', 'I am sorry, nobody is free now. Goodbye!']);
});
