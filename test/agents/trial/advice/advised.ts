/** Real responses of agent servers to a wrong setting, and the words that the advice must contain. */
import test from 'ava';
import { adviceFor } from '#src/agents/trial/advice.ts';
import type { TriedTurn } from '#src/domain/agent-trial.ts';
import type { AgentHeaders } from '#src/domain/agent-headers.ts';
import type { AgentBinding, AgentType } from '#src/domain/agent-binding.ts';
import type { ReplyFailure } from '#machines/reply.ts';
import { recordedReplies } from '#test/helpers/recorded-replies.ts';

type Answered = { status: number; body: string; headers?: Record<string, string> };

export type Given = {
  type: AgentType;
  url: string;
  answers?: readonly (Answered & { path?: string })[];
  failure?: ReplyFailure | null;
  detail?: string;
  spoken?: string;
  remarks?: string[];
  token?: string;
  headers?: AgentHeaders;
  binding?: Partial<AgentBinding>;
};

export const advice = (given: Given): string => {
  const { type, url, answers = [], failure = 'http_error', detail = '', spoken, remarks = [] } = given;
  const turn: Omit<TriedTurn, 'advice'> = {
    turn: 1,
    message: 'Hello',
    exchanges: answers.map(({ path = '', status, headers = {}, body }) => ({
      sent: { atMs: 0, method: 'POST', url: `${url}${path}`, headers: {}, body: '' },
      received: { status, headers, firstByteMs: 1, endMs: 1, bytes: Buffer.byteLength(body), body },
      error: null,
    })),
    spoken: spoken === undefined ? [] : [{ text: spoken, atMs: 1 }],
    controls: [],
    firstByteMs: null,
    firstSentenceMs: null,
    endMs: 1,
    remarks,
    failure: failure === null ? null : { kind: failure, detail, serverSays: null },
  };
  return (
    adviceFor(turn, {
      bearerToken: given.token ?? null,
      headers: given.headers ?? {},
      binding: {
        direction: 'inbound',
        agent: 'endpoint',
        agentType: type,
        chatUrl: url,
        assistantId: type === 'langgraph' ? 'graph' : null,
        agentId: null,
        controls: 'off',
        model: null,
        prompt: null,
        tools: null,
        ...given.binding,
      },
    }) ?? ''
  );
};

export const recorded = (
  server: 'langgraph' | 'mastra' | 'n8n' | 'openai_compatible',
  name: string,
): Answered => {
  const reply = recordedReplies(server).find((one) => one.name === name);
  if (reply === undefined) throw new Error(`There is no recorded reply ${name}`);
  return {
    status: reply.response.status,
    headers: reply.response.headers,
    body: reply.bytes.toString().slice(0, 4_096),
  };
};

export const advises = test.macro<[Given, RegExp]>({
  exec: (t, given, expected) => t.regex(advice(given), expected),
  title: (name = '') => name,
});

export const webhook = { type: 'webhook', url: 'https://agent.internal:8443/chat' } as const;
