/** A language model on loopback with the streamed chat completions API, whose answers the test defines. */
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { startAgentServer, type Answer } from './agent-server.ts';

const toolCall = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const request = z.object({
  model: z.string(),
  stream: z.literal(true),
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.string(),
      tool_call_id: z.string().optional(),
      tool_calls: z.array(toolCall).optional(),
    }),
  ),
  tools: z
    .array(z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }))
    .default([]),
});

export type ModelRequest = z.output<typeof request> & { authorization: string | undefined };

/** The model's answer in pieces and its tool calls, or any other response. */
export type ModelAnswer =
  | { pieces?: readonly string[]; pauseMs?: number; calls?: readonly { name: string; arguments: string }[] }
  | Answer;

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta, finish_reason: finish }] });

export const startModelServer = async (answering: (asked: ModelRequest, round: number) => ModelAnswer) => {
  const requests: ModelRequest[] = [];
  const server = await startAgentServer(async (response, received) => {
    const asked = {
      ...request.parse(JSON.parse(received.body)),
      authorization: received.headers.authorization,
    };
    requests.push(asked);
    const answer = answering(asked, requests.length);
    if (typeof answer === 'function') return answer(response, received);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const content of answer.pieces ?? []) {
      response.write(chunk({ content }));
      await delay(answer.pauseMs ?? 0);
    }
    for (const [index, { name, arguments: given }] of (answer.calls ?? []).entries()) {
      response.write(
        chunk({
          tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }],
        }),
      );
      for (const character of given) {
        response.write(chunk({ tool_calls: [{ index, function: { arguments: character } }] }));
      }
    }
    response.end(`${chunk({}, answer.calls === undefined ? 'stop' : 'tool_calls')}data: [DONE]\n\n`);
    return undefined;
  });
  return {
    url: `${server.url}/v1`,
    paths: () => server.requests.map(({ path }) => path),
    requests,
    close: server.close,
    counts: server.counts,
    received: server.received,
  };
};
