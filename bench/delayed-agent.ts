/**
 * A program: a webhook agent that answers each turn after a fixed time and records the wall-clock times of each
 * request's arrival and reply: `delayed-agent.ts <port> <delay in ms> <reply> [close]`. With `close`, each connection
 * ends with its response. `GET /` returns the records.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

const [port, delay, reply, ends] = process.argv.slice(2);
const delayMs = Number(delay);
const answer = JSON.stringify({ reply });
const turnRequest = z.object({ call_id: z.string(), message: z.string() });

/** The times of one turn, in milliseconds since the epoch. */
const turns: { callId: string; message: string; arrivedAt: number; repliedAt: number }[] = [];

const server = createServer((request, response) => {
  const arrivedAt = Date.now();
  response.setHeader('content-type', 'application/json');
  if (ends === 'close') response.setHeader('connection', 'close');
  if (request.method === 'GET') {
    response.end(JSON.stringify(turns));
    return;
  }
  const serve = async (): Promise<void> => {
    const { call_id: callId, message } = turnRequest.parse(await json(request));
    await pause(delayMs);
    turns.push({ callId, message, arrivedAt, repliedAt: Date.now() });
    response.end(answer);
  };
  serve().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
});
// Keep-alive time-out longer than any pause between two turns, so that no turn includes the time of a new connection.
server.keepAliveTimeout = 60_000;
server.listen(Number(port), '127.0.0.1');

await once(process, 'SIGTERM');
server.close();
server.closeAllConnections();
