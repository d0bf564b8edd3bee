/** The workflows for n8n in examples/n8n. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { startAgentServer } from '#test/helpers/agent-server.ts';
import { callInBy } from '#test/helpers/call-in.ts';
import { recordedReplies } from '#test/helpers/recorded-replies.ts';
import { callIn, callOut, englishGateway } from './example-calls.ts';
import { nodeNamed, playWorkflow, recorded, reply, workflow } from './play-workflow.ts';

// Workflow

const nextOf = (name: string, output = 0): string[] =>
  workflow.connections[name]?.main[output]?.map(({ node }) => node) ?? [];

test.serial(
  'the nodes of each workflow are connected, from a public chat trigger that waits for Respond to Webhook',
  (t) => {
    const names = workflow.nodes.map(({ name }) => name);
    t.is(new Set(names).size, names.length);
    t.is(new Set(workflow.nodes.map(({ id }) => id)).size, names.length);
    for (const [from, { main }] of Object.entries(workflow.connections))
      for (const { node } of main.flat())
        t.true(names.includes(from) && names.includes(node), `${from} → ${node}`);
    t.deepEqual(
      [
        nextOf('Call'),
        nextOf('Reply'),
        nextOf('Is it over?', 0),
        nextOf('Is it over?', 1),
        nextOf('Hang up'),
      ],
      [['Reply'], ['Is it over?'], ['Hang up'], ['Say it'], ['Say it']],
    );
    t.deepEqual(
      workflow.nodes.map(({ type }) => type),
      [
        '@n8n/n8n-nodes-langchain.chatTrigger',
        'n8n-nodes-base.code',
        'n8n-nodes-base.if',
        'n8n-nodes-base.httpRequest',
        'n8n-nodes-base.respondToWebhook',
      ],
    );
    t.like(nodeNamed('Call').parameters, {
      public: true,
      mode: 'webhook',
      authentication: 'none',
      options: { responseMode: 'responseNode' },
    });
    t.notRegex(JSON.stringify(workflow), /gw_live_/, 'no key is in it');
  },
);

test.serial("the workflow responds to n8n's recorded request in the recorded format", (t) => {
  const { output } = reply(recorded?.request?.body);
  t.is(output, 'You said: "안녕하세요" What else can I do for you?');
  t.deepEqual(Object.keys(JSON.parse(recorded?.bytes.toString() ?? '')), ['output']);
});

test.serial('the workflow talks in outbound and inbound calls, and hangs up after its goodbye', async (t) => {
  const gateway = await englishGateway(t);
  const n8n = await playWorkflow(gateway);
  t.teardown(n8n.close);
  const binding = { agent_type: 'n8n', chat_url: `${n8n.url}/webhook/telephone-agent/chat` };
  const farewell = 'Thank you very much. Goodbye!';
  t.deepEqual(await callOut(t, gateway, binding), [
    'Hello, I am calling about the following: your table for two. Does that suit you?',
    farewell,
  ]);
  t.deepEqual(await callIn(t, gateway, binding), [
    'You said: "Are you open today?" What else can I do for you?',
    farewell,
  ]);
});

test.serial('a rejected hangup fails the execution of the workflow', async (t) => {
  t.false('onError' in nodeNamed('Hang up'), 'n8n goes on behind no error then');
  const gateway = await englishGateway(t);
  const n8n = await playWorkflow(gateway);
  t.teardown(n8n.close);
  // The call of the recording is not known to this gateway.
  const body = JSON.stringify(recorded?.request?.body).replace('안녕하세요', 'Thank you');
  t.is((await fetch(n8n.url, { method: 'POST', body })).status, 500);
});

// Controls

const source = readFileSync(new URL('../../examples/n8n/with-controls.json', import.meta.url), 'utf8');

const [call, replyNode, sayIt] = z
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
    const made: unknown = runInNewContext(`(() => { ${replyNode.parameters.jsCode} })()`, { $input });
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

/** A caller who enters the number of an order, then asks for a person. */
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
  return callInBy(gateway, script);
};

const asksForKeys = 'Please type the four digits of your order.';
const noted = 'I have noted 4 7 1 1. What else can I do for you?';

test.serial('the workflow with controls makes no request and contains no key', (t) => {
  t.notRegex(source, /httpRequest|gw_live_|https?:/);
});

test.serial(
  'the workflow with controls talks in outbound and inbound calls, and hangs up after its goodbye',
  async (t) => {
    const { gateway, binding } = await bound(t, []);
    t.deepEqual(await callOut(t, gateway, binding), [
      'Hello, I am calling about the following: your table for two. Does that suit you?',
      farewell,
    ]);
    t.is((await callIn(t, gateway, binding)).at(-1), farewell);
  },
);

test.serial("the workflow collects the caller's digits and transfers to a person", async (t) => {
  const { ended, said } = await callWithOrder(t, [person]);
  t.like(ended, {
    status: 'completed',
    end_reason: 'transfer_completed',
    transfer: { to: person, mode: 'warm' },
  });
  t.deepEqual(said, [asksForKeys, noted, 'One moment, I connect you.']);
});

test.serial('the workflow apologises when the transfer is not permitted', async (t) => {
  const { ended, said } = await callWithOrder(t, []);
  t.like(ended, { status: 'completed', end_reason: 'agent_hangup' });
  t.deepEqual(said.slice(-2), ['One moment, I connect you.', 'I am sorry, nobody is free now. Goodbye!']);
});
