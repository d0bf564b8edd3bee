/**
 * The workflow of `examples/n8n`, as far as it can be judged without n8n: its shape, and what its own code and
 * expressions make of a turn, played by a server that answers as n8n's Respond to Webhook node was recorded to.
 */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { z } from 'zod';
import { startAgentServer, type AgentServer } from '#test/helpers/agent-server.ts';
import { recordedReplies } from '#test/helpers/recorded-replies.ts';
import type { TestGateway } from '#test/helpers/gateway.ts';
import { callIn, callOut, englishGateway } from './example-calls.ts';

const connection = z.strictObject({ node: z.string(), type: z.literal('main'), index: z.literal(0) });
const workflow = z
  .object({
    name: z.string(),
    nodes: z.array(
      z.object({
        id: z.uuid(),
        name: z.string(),
        type: z.string(),
        typeVersion: z.number(),
        position: z.tuple([z.number(), z.number()]),
        parameters: z.record(z.string(), z.unknown()),
      }),
    ),
    connections: z.record(z.string(), z.object({ main: z.array(z.array(connection)) })),
    active: z.literal(false),
    settings: z.object({ executionOrder: z.literal('v1') }),
  })
  .parse(JSON.parse(readFileSync(new URL('../../examples/n8n/workflow.json', import.meta.url), 'utf8')));

const nodeNamed = (name: string) => {
  const node = workflow.nodes.find((each) => each.name === name);
  if (node === undefined) throw new Error(`There is no node "${name}"`);
  return node;
};

const nextOf = (name: string, output = 0): string[] =>
  workflow.connections[name]?.main[output]?.map(({ node }) => node) ?? [];

const item = z.object({ output: z.string(), isOver: z.boolean(), call_id: z.string() });

/** What the node "Reply" makes of the trigger's item. */
const reply = (json: unknown): z.output<typeof item> => {
  const { jsCode } = z.object({ jsCode: z.string() }).parse(nodeNamed('Reply').parameters);
  const made: unknown = runInNewContext(`(() => { ${jsCode} })()`, { $input: { first: () => ({ json }) } });
  return z.tuple([z.object({ json: item })]).parse(made)[0].json;
};

const evaluate = (expression: string, scope: object): unknown =>
  runInNewContext(/^=\{\{(.*)\}\}$/s.exec(expression)?.[1] ?? '', { ...scope, JSON });

const recorded = recordedReplies('n8n').find(({ name }) => name === '03c-respondToWebhook-json');

/** n8n with this workflow published: each request is its execution. */
const playWorkflow = (gateway: TestGateway): Promise<AgentServer> =>
  startAgentServer(async (response, request) => {
    const json = reply(JSON.parse(request.body));
    const over = z
      .object({ conditions: z.object({ conditions: z.tuple([z.object({ leftValue: z.string() })]) }) })
      .parse(nodeNamed('Is it over?').parameters).conditions.conditions[0].leftValue;
    if (evaluate(over, { $json: json }) === true) {
      const url = z.object({ url: z.string() }).parse(nodeNamed('Hang up').parameters).url;
      const path = url.replace('=http://127.0.0.1:8080', '').replace('{{ $json.call_id }}', json.call_id);
      await gateway.client.post(path);
    }
    const { responseBody } = z
      .object({ respondWith: z.literal('json'), responseBody: z.string() })
      .parse(nodeNamed('Say it').parameters);
    const answer = evaluate(responseBody, { $: () => ({ first: () => ({ json }) }) });
    response.writeHead(200, recorded?.response.headers).end(z.string().parse(answer));
  });

test('its nodes are connected, from a public chat trigger that waits for Respond to Webhook', (t) => {
  const names = workflow.nodes.map(({ name }) => name);
  t.is(new Set(names).size, names.length);
  t.is(new Set(workflow.nodes.map(({ id }) => id)).size, names.length);
  for (const [from, { main }] of Object.entries(workflow.connections))
    for (const { node } of main.flat())
      t.true(names.includes(from) && names.includes(node), `${from} → ${node}`);
  t.deepEqual(
    [nextOf('Call'), nextOf('Reply'), nextOf('Is it over?', 0), nextOf('Is it over?', 1), nextOf('Hang up')],
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
});

test('it answers what n8n was recorded to receive, in the shape that it was recorded to answer', (t) => {
  const { output } = reply(recorded?.request?.body);
  t.is(output, 'You said: "안녕하세요" What else can I do for you?');
  t.deepEqual(Object.keys(JSON.parse(recorded?.bytes.toString() ?? '')), ['output']);
});

test('it talks in calls out and in, and hangs up when it has said goodbye', async (t) => {
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
