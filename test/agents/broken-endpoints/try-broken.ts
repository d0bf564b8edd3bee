/** A broken endpoint on loopback, tried as an operator would: the trial must name the cause and the remedy. */
import test, { type ExecutionContext } from 'ava';
import pino from 'pino';
import type { ReplyFailure } from '#machines/reply.ts';
import { createTryAgent } from '#src/agents/trial.ts';
import type { TrialRequest } from '#src/domain/agent-trial.ts';
import type { AgentType } from '#src/domain/agent-binding.ts';
import { sendBody, sendJson, startAgentServer, type Answer } from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { recordedReplies } from '#test/helpers/recorded-replies.ts';

export type Broken = {
  type: AgentType;
  title: string;
  /** Responds to every request, except for the thread creation of LangGraph. */
  answer: Answer;
  kind: ReplyFailure | null;
  /** Texts that the advice must contain about cause and remedy. */
  advice: readonly [cause: RegExp, cure: RegExp];
  path?: string;
  /** The response also applies to the thread creation. */
  noThread?: boolean;
  request?: Partial<TrialRequest>;
  firstTokenMs?: number;
};

export const html = (body: string, status = 200, headers: Record<string, string> = {}): Answer =>
  sendBody(`<!DOCTYPE html><html>${body}</html>`, status, { 'content-type': 'text/html', ...headers });
export const text = (body: string, status = 200): Answer =>
  sendBody(body, status, { 'content-type': 'text/plain' });
export const sse = (...data: unknown[]): Answer =>
  sendBody(
    data.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`).join(''),
    200,
    { 'content-type': 'text/event-stream' },
  );
export const named = (...events: [name: string, data: unknown][]): Answer =>
  sendBody(events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join(''));
export const lines = (...values: unknown[]): Answer =>
  sendBody(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
export const error = (message: string, status: number, fields: object = {}): Answer =>
  sendJson({ error: { message, ...fields } }, status);

export const recorded = (server: Parameters<typeof recordedReplies>[0], name: string): Answer => {
  const found = recordedReplies(server).find((reply) => reply.name === name);
  if (found === undefined) throw new Error(`There is no recorded reply ${name}`);
  const { 'transfer-encoding': _coding, 'content-length': _length, ...headers } = found.response.headers;
  return sendBody(found.bytes, found.response.status, headers);
};

export const chunk = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
export const page = '<head><title>Welcome</title></head><body>Log in</body>';
export const tryUrl = async (
  t: ExecutionContext,
  chatUrl: string,
  { type, request, firstTokenMs = 60_000 }: Pick<Broken, 'type' | 'request' | 'firstTokenMs'>,
) => {
  const trial = await createTryAgent({
    ...endpointWorld(t),
    times: { firstTokenMs, wholeReplyMs: 60_000, idleFlushMs: 250 },
    wholeTrialMs: 120_000,
    languageModel: null,
    logger: pino({ level: 'silent' }),
  })({
    agentType: type,
    chatUrl,
    assistantId: type === 'langgraph' ? 'agent' : null,
    agentId: null,
    controls: 'off',
    model: null,
    prompt: null,
    tools: null,
    token: null,
    headers: {},
    direction: 'inbound',
    language: 'ko',
    instruction: null,
    say: ['안녕하세요'],
    ...request,
  });
  return trial.turns[0];
};

/** Declares one test for each broken endpoint. */
export const testEach = (broken: readonly Broken[]): void => {
  for (const each of broken) {
    const { type, title, answer, kind, advice, path = '', noThread = false } = each;
    test(`${type}: names cause and remedy for ${title}`, async (t) => {
      const server = await startAgentServer((response, asked) =>
        !noThread && asked.path === '/threads'
          ? recorded('langgraph', '01a-thread-create')(response, asked)
          : answer(response, asked),
      );
      t.teardown(server.close);
      const turn = await tryUrl(t, `${server.url}${path}`, each);
      t.is(turn?.failure?.kind ?? null, kind, JSON.stringify([turn?.failure, turn?.advice]));
      const [cause, cure] = advice;
      t.regex(turn?.advice ?? '', cause, 'the cause');
      t.regex(turn?.advice ?? '', cure, 'the cure');
    });
  }
};
