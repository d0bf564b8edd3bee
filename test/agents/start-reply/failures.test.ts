/** Replies that fail, and replies that are abandoned. */
import test from 'ava';
import { setImmediate as nextTask } from 'node:timers/promises';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import type { ReplyEvent } from '#machines/reply.ts';
import { AgentFailure, type Agent } from '#src/agents/agent.ts';
import { createStartReply } from '#src/agents/start-reply.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { input, scriptedAgent, setUp, times } from './scripted-agent.ts';

test('a speech without end is a failure', async (t) => {
  const { agent, asked, next } = scriptedAgent();
  const { events, log } = setUp(t, agent);
  await next({ piece: '안녕하세요. ' });
  await next({ piece: '말이 끝이 없습니다. '.repeat(10_000) });
  while (asked[0]?.signal.aborted === false) await nextTask();
  t.is(events.filter(({ type }) => type !== 'reply.sentence').length, 1);
  t.like(events.at(-1), { type: 'reply.failed', failure: 'reply_too_large' });
  t.true(asked[0]?.signal.aborted);
  t.like(log()[0], { level: 40, failure: 'reply_too_large' });
});

test('a failure carries its word and its detail, after what came before it', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events, log } = setUp(t, agent);
  await next({ piece: '네, 확인해 보' });
  await next({ error: new AgentFailure('http_error', 'HTTP 503') });
  t.deepEqual(events, [
    { type: 'reply.sentence', text: '네, 확인해 보' },
    { type: 'reply.failed', failure: 'http_error', detail: 'HTTP 503' },
  ]);
  t.like(log()[0], { level: 40, call_id: 'call-1', turn: 3, failure: 'http_error', detail: 'HTTP 503' });
});

test('a failure of the connection is one of the reply', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events } = setUp(t, agent);
  await next({ error: new EndpointFailure('tls_failed', 'CERT_HAS_EXPIRED') });
  t.deepEqual(events, [{ type: 'reply.failed', failure: 'tls_failed', detail: 'CERT_HAS_EXPIRED' }]);
});

test('an agent that crashes fails its reply; the log knows where, and not what was said', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events, logged, log } = setUp(t, agent);
  await next({ error: new SyntaxError('Unexpected token in "비밀입니다"') });
  t.deepEqual(events, [{ type: 'reply.failed', failure: 'agent_crashed' }]);
  t.like(log()[0], { level: 50, call_id: 'call-1', error: 'SyntaxError' });
  t.regex(logged.join(''), /start-reply\/failures\.test\.ts/);
  t.notRegex(logged.join(''), /비밀/);
});

test('an agent that crashes before it begins, or that is not there, fails its reply', async (t) => {
  const crashing = setUp(t, {
    reply() {
      throw new TypeError('not a function');
    },
  });
  const missing = setUp(t, undefined);
  await nextTask();
  for (const { events } of [crashing, missing]) {
    t.deepEqual(events, [{ type: 'reply.failed', failure: 'agent_crashed' }]);
  }
});

test('the first text must come within 8 s; empty pieces do not count', async (t) => {
  const { agent, asked, next } = scriptedAgent();
  const { events, clock } = setUp(t, agent);
  clock.increment(7_999);
  await next({ piece: '' });
  await next({ piece: ' \n' });
  await next({ piece: { remark: 'no text yet' } });
  t.deepEqual(events, []);
  clock.increment(1);
  t.deepEqual(events, [{ type: 'reply.failed', failure: 'first_token_timeout' }]);
  t.true(asked[0]?.signal.aborted);
  await next({ piece: '너무 늦었습니다. ' });
  t.is(events.length, 1);
});

test('the whole reply must come within 60 s; what came is said', async (t) => {
  const { agent, asked, next } = scriptedAgent();
  const { events, clock } = setUp(t, agent);
  clock.increment(7_000);
  await next({ piece: '하나. 둘' });
  clock.increment(52_999);
  t.is(events.length, 1);
  clock.increment(1);
  t.deepEqual(events, [
    { type: 'reply.sentence', text: '하나.' },
    { type: 'reply.sentence', text: '둘' },
    { type: 'reply.failed', failure: 'reply_timeout' },
  ]);
  t.true(asked[0]?.signal.aborted);
});

test('a reply that is over, failed or abandoned leaves no timer behind', async (t) => {
  for (const [pieces, last] of [
    [['네.'], 'end'],
    [['네.', '잠시'], 'fail'],
    [['네.', '잠시만요. 하나'], 'abandon'],
    [['네. 둘.'], 'abandon while it speaks'],
  ] as const) {
    const timers = new Set<symbol>();
    const { agent, next } = scriptedAgent();
    const startReply = createStartReply({
      findAgent: () => agent,
      times,
      clock: {
        now: () => 0,
        setTimeout() {
          const timer = Symbol('timer');
          timers.add(timer);
          return timer;
        },
        clearTimeout(timer) {
          if (typeof timer === 'symbol') timers.delete(timer);
        },
      },
      logger: pino({ level: 'silent' }),
    });
    const dispose = startReply(input, () => {
      if (last === 'abandon while it speaks') dispose();
    });
    t.is(timers.size, 2);
    for (const piece of pieces) await next({ piece });
    if (last === 'end') await next('end');
    if (last === 'fail') await next({ error: new AgentFailure('http_error', 'HTTP 503') });
    if (last === 'abandon') dispose();
    t.is(timers.size, 0, last);
  }
});

test('a reply that is over leaves no time limit behind', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events, clock } = setUp(t, agent);
  await next({ piece: '네.' });
  await next('end');
  clock.increment(100_000);
  t.deepEqual(events, [{ type: 'reply.sentence', text: '네.' }, { type: 'reply.finished' }]);
});

test('an abandoned reply is aborted and never heard of again', async (t) => {
  const { agent, asked, next } = scriptedAgent();
  const { events, clock, dispose, logged } = setUp(t, agent);
  await next({ piece: '하나. ' });
  dispose();
  t.true(asked[0]?.signal.aborted);
  await next({ piece: '둘. 셋. ' });
  clock.increment(100_000);
  await next({ error: new Error('aborted') });
  t.deepEqual(events, [{ type: 'reply.sentence', text: '하나.' }]);
  t.deepEqual(logged, []);
});

test('a reply may be abandoned in the middle of what it says', async (t) => {
  const events: ReplyEvent[] = [];
  const { agent, next } = scriptedAgent();
  const startReply = createStartReply({
    findAgent: () => agent,
    times,
    clock: new SimulatedClock(),
    logger: pino({ level: 'silent' }),
  });
  const dispose = startReply(input, (event) => {
    events.push(event);
    dispose();
  });
  await next({ piece: '하나. 둘. 셋. ' });
  t.deepEqual(events, [{ type: 'reply.sentence', text: '하나.' }]);
});

test('the reader of an abandoned reply gives its generator the chance to tidy up', async (t) => {
  let tidied = false;
  const { next, dispose } = (() => {
    const scripted = scriptedAgent();
    const agent: Agent = {
      async *reply(request, signal) {
        try {
          yield* scripted.agent.reply(request, signal);
        } finally {
          tidied = true;
        }
      },
    };
    return { ...setUp(t, agent), next: scripted.next };
  })();
  await next({ piece: '하나. ' });
  dispose();
  await next({ piece: '둘. ' });
  t.true(tidied);
});
