/**
 * Agent servers of all five types on loopback. Each server sends its responses piece by piece in the format of the real
 * one.
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { AgentType } from '#src/domain/agent-binding.ts';
import { startAgentServer, type ReceivedRequest } from './agent-server.ts';

/** A turn as received by the agent's server. */
export type RequestedTurn = {
  path: string;
  headers: ReceivedRequest['headers'];
  body: Record<string, unknown>;
  /** The latest words of the other party, or the kickoff. */
  text: string;
  /** Whether the client aborted before the reply was complete. */
  wasAborted: boolean;
};

/** The agent's answer to a turn, in pieces with a pause after each. */
export type Answering = (text: string, turn: number) => { pieces: readonly string[]; pauseMs?: number };

export type FakeAgent = {
  agentType: AgentType;
  /** Request body for `PUT …/agents/{direction}`. */
  binding: Record<string, unknown>;
  turns: RequestedTurn[];
  /** Every request, including those that are not turns. */
  requests: readonly ReceivedRequest[];
  close(): Promise<void>;
};

type Send = (piece: string, soFar: string) => string;

/** How one type of server writes a reply. */
type Format = {
  type: string;
  headers?: Record<string, string>;
  begin?: string;
  piece: Send;
  end: (whole: string) => string;
};

const message = z.object({ role: z.string(), content: z.string() });
const lastOf = (messages: unknown): string => z.array(message).parse(messages).at(-1)?.content ?? '';
const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

const chunk = (delta: object, finish: string | null = null): string =>
  event({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });

const langgraphFormat = (runId: string, said: string): Format => {
  const id = randomUUID();
  const ai = (content: string) => [{ content, id, type: 'ai', tool_calls: [] }];
  return {
    type: 'text/event-stream',
    begin:
      event({ run_id: runId, attempt: 1 }, 'metadata') +
      event([{ content: said, id: randomUUID(), type: 'human' }], 'messages/complete'),
    piece: (piece, soFar) => event(ai(soFar + piece), 'messages/partial'),
    end: (whole) => event(ai(whole), 'messages/complete'),
  };
};

const formats: Readonly<Record<Exclude<AgentType, 'webhook' | 'langgraph'>, Format>> = {
  openai_compatible: {
    type: 'text/event-stream',
    begin: chunk({ role: 'assistant', content: '' }),
    piece: (piece) => chunk({ content: piece }),
    end: () => chunk({}, 'stop') + event('[DONE]'),
  },
  n8n: {
    type: 'application/json',
    begin: line({ type: 'begin', metadata: {} }),
    piece: (piece) => line({ type: 'item', content: piece, metadata: {} }),
    end: () => line({ type: 'end', metadata: {} }),
  },
  mastra: {
    type: 'text/event-stream',
    begin: event({ type: 'start', from: 'AGENT', payload: {} }),
    piece: (piece) => event({ type: 'text-delta', from: 'AGENT', payload: { id: 'txt-0', text: piece } }),
    end: () =>
      event({ type: 'finish', from: 'AGENT', payload: { stepResult: { reason: 'stop' } } }) + event('[DONE]'),
  },
};

const textOfTurn: Readonly<Record<AgentType, (body: Record<string, unknown>) => string>> = {
  webhook: (body) => z.string().parse(body['message']),
  openai_compatible: (body) => lastOf(body['messages']),
  n8n: (body) => z.string().parse(body['chatInput']),
  langgraph: (body) => lastOf(z.object({ messages: z.unknown() }).parse(body['input']).messages),
  mastra: (body) => lastOf(body['messages']),
};

const isTurn = (agentType: AgentType, path: string): boolean =>
  agentType !== 'langgraph' || path.endsWith('/runs/stream');

export const startFakeAgent = async (agentType: AgentType, answering: Answering): Promise<FakeAgent> => {
  const turns: RequestedTurn[] = [];

  const stream = async (response: ServerResponse, format: Format, answer: ReturnType<Answering>) => {
    response.writeHead(200, { 'content-type': format.type, ...format.headers });
    response.write(format.begin ?? '');
    let soFar = '';
    for (const piece of answer.pieces) {
      if (response.destroyed) return;
      response.write(format.piece(piece, soFar));
      soFar += piece;
      await delay(answer.pauseMs ?? 0, undefined, { ref: false });
    }
    response.end(format.end(soFar));
  };

  const server = await startAgentServer(async (response, { path, headers, body: text }) => {
    if (!isTurn(agentType, path)) {
      response.writeHead(path.endsWith('/cancel') ? 202 : 200, { 'content-type': 'application/json' });
      response.end(path.endsWith('/threads') ? '{"status":"idle"}' : '');
      return;
    }
    const body = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
    const turn: RequestedTurn = { path, headers, body, text: textOfTurn[agentType](body), wasAborted: false };
    turns.push(turn);
    response.on('close', () => {
      turn.wasAborted = !response.writableFinished;
    });
    const answer = answering(turn.text, turns.length);
    if (agentType === 'webhook') {
      await delay((answer.pauseMs ?? 0) * answer.pieces.length, undefined, { ref: false });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ reply: answer.pieces.join('') }));
    } else if (agentType === 'langgraph') {
      const runId = randomUUID();
      const format = langgraphFormat(runId, turn.text);
      const location = `${path.replace(/\/stream$/, '')}/${runId}`;
      await stream(response, { ...format, headers: { 'content-location': location } }, answer);
    } else await stream(response, formats[agentType], answer);
  });

  return {
    agentType,
    binding: {
      agent: 'endpoint',
      agent_type: agentType,
      chat_url: server.url,
      ...(agentType === 'langgraph' ? { assistant_id: 'support' } : {}),
    },
    turns,
    requests: server.requests,
    close: server.close,
  };
};
