/** The n8n workflow in examples/n8n, whose nodes run in this process. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { type AgentServer, startAgentServer } from '#test/helpers/agent-server.ts';
import type { TestGateway } from '#test/helpers/gateway.ts';
import { recordedReplies } from '#test/helpers/recorded-replies.ts';

const connection = z.strictObject({ node: z.string(), type: z.literal('main'), index: z.literal(0) });
export const workflow = z
  .object({
    name: z.string(),
    nodes: z.array(
      z.object({
        id: z.uuid(),
        name: z.string(),
        type: z.string(),
        onError: z.string().optional(),
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

export const nodeNamed = (name: string) => {
  const node = workflow.nodes.find((each) => each.name === name);
  if (node === undefined) throw new Error(`There is no node "${name}"`);
  return node;
};

const item = z.object({ output: z.string(), isOver: z.boolean(), call_id: z.string() });

/** The output of the node "Reply" for the trigger's item. */
export const reply = (json: unknown): z.output<typeof item> => {
  const { jsCode } = z.object({ jsCode: z.string() }).parse(nodeNamed('Reply').parameters);
  const made: unknown = runInNewContext(`(() => { ${jsCode} })()`, { $input: { first: () => ({ json }) } });
  return z.tuple([z.object({ json: item })]).parse(made)[0].json;
};

const evaluate = (expression: string, scope: object): unknown =>
  runInNewContext(/^=\{\{(.*)\}\}$/s.exec(expression)?.[1] ?? '', { ...scope, JSON });

export const recorded = recordedReplies('n8n').find(({ name }) => name === '03c-respondToWebhook-json');

/** n8n with this workflow published: each request is its execution. */
export const playWorkflow = (gateway: Pick<TestGateway, 'client'>): Promise<AgentServer> =>
  startAgentServer(async (response, request) => {
    const json = reply(JSON.parse(request.body));
    const over = z
      .object({ conditions: z.object({ conditions: z.tuple([z.object({ leftValue: z.string() })]) }) })
      .parse(nodeNamed('Is it over?').parameters).conditions.conditions[0].leftValue;
    if (evaluate(over, { $json: json }) === true) {
      const url = z.object({ url: z.string() }).parse(nodeNamed('Hang up').parameters).url;
      const path = url.replace('=http://127.0.0.1:8080', '').replace('{{ $json.call_id }}', json.call_id);
      const { status } = await gateway.client.post(path);
      if (status >= 300) {
        response.writeHead(500).end('{"message":"Error in workflow"}');
        return;
      }
    }
    const { responseBody } = z
      .object({ respondWith: z.literal('json'), responseBody: z.string() })
      .parse(nodeNamed('Say it').parameters);
    const answer = evaluate(responseBody, { $: () => ({ first: () => ({ json }) }) });
    response.writeHead(200, recorded?.response.headers).end(z.string().parse(answer));
  });
