/** A LangGraph server on loopback with configurable responses for threads, runs and cancels. */
import type { ExecutionContext } from 'ava';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { langgraphAgent } from '#src/agents/langgraph.ts';
import type { Clock } from '#src/domain/clock.ts';
import {
  sendBody,
  sendJson,
  startAgentServer,
  type Answer,
  type ReceivedRequest,
} from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { hearReply, type HeardReply } from '#test/helpers/heard-reply.ts';

export const callId = '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11';

/** Cancel path of the run `run-1`. */
export const cancelPath = `/threads/${callId}/runs/run-1/cancel`;

const context = {
  call_id: callId,
  direction: 'outbound',
  from: '0212345678',
  to: '01000000001',
  language: 'ko',
} as const;

export const event = (name: string, data: unknown): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

export const metadata = (runId: string): string => event('metadata', { run_id: runId, attempt: 1 });

export const partial = (content: string): string =>
  event('messages/partial', [{ content, id: 'a', type: 'ai' }]);

/** The header in which a real server names the run. */
export const located = (runId: string): Record<string, string> => ({
  'content-location': `/threads/${callId}/runs/${runId}`,
});

export const stream = { 'content-type': 'text/event-stream' };

/** A run that says these words and ends. */
export const speak = (text: string, runId = 'run-1'): Answer =>
  sendBody(metadata(runId) + partial(text), 200, { ...stream, ...located(runId) });

/** A run that starts to speak and does not end. */
export const keepSpeaking =
  (text: string, runId = 'run-1', headers: Record<string, string> = located(runId)): Answer =>
  (response) => {
    response.writeHead(200, { ...stream, ...headers }).write(metadata(runId) + partial(text));
  };

/** The server's own text for a missing or busy thread. */
export const busy = sendBody('Thread is already running a task.', 422, { 'content-type': 'text/plain' });

/** Gives one response after another; the last one repeats. */
const inTurn = (answers: Answer | readonly Answer[]): Answer => {
  const script = typeof answers === 'function' ? [answers] : answers;
  let count = 0;
  return (response, request) => script[Math.min(count++, script.length - 1)]?.(response, request);
};

type Options = {
  runs?: Answer | readonly Answer[];
  threads?: Answer | readonly Answer[];
  cancels?: Answer | readonly Answer[];
  clock?: Clock;
  /** Path after the server's address. */
  base?: string;
  changes?: Partial<AgentCall>;
};

const kinds = { threads: 'thread', stream: 'run', cancel: 'cancel' };

export const kindOf = ({ path }: ReceivedRequest): string => {
  const last = new URL(path, 'http://localhost').pathname.split('/').at(-1);
  return Object.entries(kinds).find(([name]) => name === last)?.[1] ?? 'unknown';
};

export const startGraph = async (t: ExecutionContext, options: Options = {}) => {
  const answers = new Map([
    ['thread', inTurn(options.threads ?? sendJson({ status: 'idle' }))],
    ['run', inTurn(options.runs ?? speak('네.'))],
    ['cancel', inTurn(options.cancels ?? sendBody('', 202))],
  ]);
  const server = await startAgentServer((response, request) =>
    (answers.get(kindOf(request)) ?? sendBody('404 Not Found', 404))(response, request),
  );
  t.teardown(server.close);
  const url = `${server.url}${options.base ?? ''}`;
  const world = endpointWorld(t);
  const agent = langgraphAgent({ ...world, clock: options.clock ?? world.clock }, url, {
    context,
    binding: {
      direction: 'outbound',
      agent: 'endpoint',
      agentType: 'langgraph',
      chatUrl: url,
      assistantId: 'support',
      agentId: null,
      controls: 'off',
      model: null,
      prompt: null,
      tools: null,
    },
    bearerToken: null,
    headers: {},
    instruction: null,
    ...options.changes,
  });
  const history: { role: 'user' | 'assistant'; content: string }[] = [];

  /** The next turn of the other party; the history keeps it. */
  const reply = (text: string, signal = new AbortController().signal) => {
    history.push({ role: 'user', content: text });
    return agent.reply({ turn: 1, messages: [...history] }, signal);
  };

  return {
    agent,
    server,
    history,
    reply,
    say: (text: string, signal?: AbortSignal): Promise<HeardReply> => hearReply(reply(text, signal)),
    /** Requests, in order. */
    asked: (): string[] => server.requests.map(kindOf),
    /** The input of each run. */
    given: (): unknown[] =>
      server.requests
        .filter((request) => kindOf(request) === 'run')
        .map(({ body }) =>
          JSON.parse(body).input.messages.map((message: { content: string }) => message.content),
        ),
  };
};

export type Graph = Awaited<ReturnType<typeof startGraph>>;

/** Reads a reply up to its first words. */
export const firstWords = async (graph: Graph, text: string) => {
  const abort = new AbortController();
  const pieces = graph.reply(text, abort.signal)[Symbol.asyncIterator]();
  let piece = await pieces.next();
  while (piece.done !== true && typeof piece.value !== 'string') piece = await pieces.next();
  return { abort, pieces, words: piece.value };
};

/** Responds when the test decides. */
export const onDemand = () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold =
    (answer: Answer): Answer =>
    async (response, request) => {
      await released;
      await answer(response, request);
    };
  return { hold, release };
};
