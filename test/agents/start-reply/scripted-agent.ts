/** A reply whose chunks the test provides one by one. */
import type { ExecutionContext } from 'ava';
import { setImmediate as nextTask } from 'node:timers/promises';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import type { ReplyEvent } from '#machines/reply.ts';
import type { Agent, AgentRequest, ReplyPiece } from '#src/agents/agent.ts';
import { createStartReply } from '#src/agents/start-reply.ts';

export const times = { firstTokenMs: 8_000, wholeReplyMs: 60_000, idleFlushMs: 250 };

export const input = {
  callId: 'call-1',
  turn: 3,
  messages: [{ role: 'user', content: '비밀입니다' }],
} as const;

/** An agent whose chunks the test provides one by one, and all resulting events. */
export const setUp = (t: ExecutionContext, agent: Agent | undefined) => {
  const clock = new SimulatedClock();
  const logged: string[] = [];
  const events: ReplyEvent[] = [];
  const startReply = createStartReply({
    findAgent: (callId) => (callId === 'call-1' ? agent : undefined),
    times,
    clock,
    logger: pino({ level: 'debug' }, { write: (line: string) => logged.push(line) }),
  });
  const dispose = startReply(input, (event) => events.push(event));
  t.teardown(dispose);
  return { clock, logged, events, dispose, log: () => logged.map((line): unknown => JSON.parse(line)) };
};

/** Returns chunks as the test provides them, and records requests. */
export const scriptedAgent = () => {
  const waiting: ((step: Step) => void)[] = [];
  const asked: { request: AgentRequest; signal: AbortSignal }[] = [];
  type Step = { piece: ReplyPiece } | { error: unknown } | 'end';
  return {
    asked,
    next: async (step: Step): Promise<void> => {
      waiting.shift()?.(step);
      await nextTask();
    },
    agent: {
      async *reply(request, signal) {
        asked.push({ request, signal });
        for (;;) {
          const step = await new Promise<Step>((resolve) => waiting.push(resolve));
          if (step === 'end') return;
          if ('error' in step) throw step.error;
          yield step.piece;
        }
      },
    } satisfies Agent,
  };
};
