/**
 * A program: an OpenAI-compatible streaming agent. The agent writes its first sentence at once, then word by word until
 * the client closes the connection or 20 sentences are written: `streaming-agent.ts <port>`. `GET /` returns the
 * wall-clock times at which each reply's first byte was written and its connection was closed.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

const [port] = process.argv.slice(2);
const firstSentence = '네, 바로 확인해 드리겠습니다. ';
const words = ['안내', '말씀을', '차근차근', '이어서', '드리고', '있습니다. '];
const sentences = 20;
const wordMs = 25;

const turnRequest = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) });

const turns: { callId: string; message: string; firstByteAt: number; closedAt: number }[] = [];

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

const stream = async (response: ServerResponse): Promise<void> => {
  for (let sentence = 0; sentence < sentences; sentence += 1) {
    for (const word of words) {
      await pause(wordMs);
      if (response.destroyed) return;
      response.write(chunk(`${word} `));
    }
  }
  response.end('data: [DONE]\n\n');
};

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(turns));
    return;
  }
  const serve = async (): Promise<void> => {
    const { messages } = turnRequest.parse(await json(request));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk(firstSentence));
    const turn = {
      callId: String(request.headers['x-gw-call-id']),
      message: messages.at(-1)?.content ?? '',
      firstByteAt: Date.now(),
      closedAt: 0,
    };
    turns.push(turn);
    response.once('close', () => {
      turn.closedAt = Date.now();
    });
    await stream(response);
  };
  serve().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
});
server.keepAliveTimeout = 60_000;
server.listen(Number(port), '127.0.0.1');

await once(process, 'SIGTERM');
server.close();
server.closeAllConnections();
