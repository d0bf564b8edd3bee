/** An agent of one kind with a server on loopback, requested through the interface that calls use, and directly. */
import type { ExecutionContext } from 'ava';
import pino from 'pino';
import type { Message, ReplyEvent } from '#machines/reply.ts';
import { usualBuiltIn, type ControlMode } from '#src/domain/agent-binding.ts';
import type { AgentHeaders } from '#src/domain/agent-headers.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { createAgents } from '#src/agents/create-agent.ts';
import type { ReplyTimes } from '#src/agents/reply-timers.ts';
import { createStartReply } from '#src/agents/start-reply.ts';
import type { Clock } from '#src/domain/clock.ts';
import { sendBody, startAgentServer, type Answer } from '#test/helpers/agent-server.ts';
import { endpointWorld } from '#test/helpers/endpoint-world.ts';
import { hearReply } from '#test/helpers/heard-reply.ts';
import { callId, type AgentKind } from './agent-kinds.ts';

const hello = [{ role: 'user', content: '여보세요?' }] as const;

/** A time limit that neither a test nor a busy machine reaches. */
const patience: ReplyTimes = { firstTokenMs: 600_000, wholeReplyMs: 600_000, idleFlushMs: 600_000 };

const callOf = (
  { agentType }: AgentKind,
  chatUrl: string,
  token: string | null,
  controls: ControlMode,
  headers: AgentHeaders,
): AgentCall => ({
  context: {
    call_id: callId,
    direction: 'outbound',
    from: '0212345678',
    to: '01000000001',
    language: 'ko',
  },
  binding: {
    direction: 'outbound',
    agent: agentType === null ? 'builtin' : 'endpoint',
    agentType,
    chatUrl: agentType === null ? null : chatUrl,
    assistantId: agentType === 'langgraph' ? 'support' : null,
    agentId: null,
    controls,
    ...usualBuiltIn,
  },
  bearerToken: agentType === null ? null : token,
  headers: agentType === null ? {} : headers,
  instruction: null,
});

type Options = {
  token?: string;
  headers?: AgentHeaders;
  controls?: ControlMode;
  times?: Partial<ReplyTimes>;
  /** The clock of the time limits of a reply. */
  clock?: Clock;
  /** The clock of the agent itself. */
  agentClock?: Clock;
};

/** The server responds like this to all requests but the creation of a thread and the cancelling of a run. */
export const agentOf = async (
  t: ExecutionContext,
  kind: AgentKind,
  answer: Answer,
  { token, headers = {}, controls = 'off', times, clock, agentClock }: Options = {},
) => {
  const server = await startAgentServer((response, request) =>
    (/\/(threads|cancel)$/.test(request.path) ? sendBody('{}') : answer)(response, request),
  );
  t.teardown(server.close);
  const logged: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const loopback = endpointWorld(t);
  const world = { ...loopback, clock: agentClock ?? loopback.clock };
  const agent = createAgents({
    ...world,
    hangUp: () => Promise.resolve(),
    pressKeys: null,
    languageModel: {
      ...world,
      baseUrl: server.url,
      model: 'small',
      otherModels: [],
      apiKey: token ?? null,
      firstTokenMs: patience.firstTokenMs,
    },
    logger,
  })(callOf(kind, server.url, token ?? null, controls, headers));
  t.teardown(() => agent.close?.());

  const startReply = createStartReply({
    findAgent: () => agent,
    times: { ...patience, ...times },
    clock: clock ?? loopback.clock,
    logger,
  });
  const ask = (signal = new AbortController().signal, messages: readonly Message[] = hello) =>
    agent.reply({ turn: 1, messages }, signal);

  return {
    server,
    logged,
    /** The chunks of a reply, as they arrive. */
    ask,
    /** A whole reply, with the error that ended it. */
    say: () => hearReply(ask()),
    /** The requests for a reply. */
    asked: () => server.requests.filter(({ path }) => !/\/(threads|cancel)$/.test(path)),
    /** Events of a reply that reach the conversation. */
    hear: () =>
      new Promise<ReplyEvent[]>((resolve) => {
        const events: ReplyEvent[] = [];
        startReply({ callId, turn: 1, messages: hello }, (event) => {
          events.push(event);
          if (event.type === 'reply.finished' || event.type === 'reply.failed') resolve(events);
        });
      }),
  };
};

export type AgentInTest = Awaited<ReturnType<typeof agentOf>>;
