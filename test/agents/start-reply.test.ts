import test, { type ExecutionContext } from 'ava';
import { setImmediate as nextTask } from 'node:timers/promises';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import type { ReplyEvent } from '#machines/reply.ts';
import {
  AgentFailure,
  sentenceEnd,
  type Agent,
  type AgentRequest,
  type ReplyPiece,
} from '#src/agents/agent.ts';
import { createStartReply } from '#src/agents/start-reply.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';

const times = { firstTokenMs: 8_000, wholeReplyMs: 60_000, idleFlushMs: 250 };

const input = { callId: 'call-1', turn: 3, messages: [{ role: 'user', content: '비밀입니다' }] } as const;

/** An agent whose pieces the test hands in one by one, and everything that comes of them. */
const setUp = (t: ExecutionContext, agent: Agent | undefined) => {
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

/** Gives pieces as the test provides them, and notes what it was asked. */
const scriptedAgent = () => {
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

test('each sentence is passed on as soon as it is complete, then the end', async (t) => {
  const { agent, asked, next } = scriptedAgent();
  const { events } = setUp(t, agent);
  await next({ piece: '안녕하세요. 무엇을' });
  t.deepEqual(events, [{ type: 'reply.sentence', text: '안녕하세요.' }]);
  await next({ piece: ' 도와드릴까요?' });
  t.is(events.length, 1);
  await next('end');
  t.deepEqual(events.slice(1), [
    { type: 'reply.sentence', text: '무엇을 도와드릴까요?' },
    { type: 'reply.finished' },
  ]);
  t.deepEqual(asked[0]?.request, { turn: 3, messages: input.messages });
});

const silences: [pieces: ReplyPiece[], logged: object[]][] = [
  [[], [{ msg: 'the agent chose silence' }]],
  [[''], [{ msg: 'the agent chose silence' }]],
  [['', ' \n', sentenceEnd], [{ msg: 'the agent chose silence' }]],
  [[{ remark: 'tools were called' }], [{ msg: 'about a reply', remark: 'tools were called' }]],
];

for (const [pieces, expected] of silences) {
  const title = pieces.map((piece) => (typeof piece === 'symbol' ? 'end' : JSON.stringify(piece))).join(' ');
  test(`a reply of [${title}] is silence with a reason in the log, not a failure`, async (t) => {
    const { agent, next } = scriptedAgent();
    const { events, log, logged } = setUp(t, agent);
    for (const piece of pieces) await next({ piece });
    await next('end');
    t.deepEqual(events, [{ type: 'reply.finished' }]);
    t.is(logged.length, expected.length);
    log().forEach((line, index) =>
      t.like(line, { level: 30, call_id: 'call-1', turn: 3, ...expected[index] }),
    );
    t.notRegex(logged.join(''), /secret/);
  });
}

const unspeakable: ReplyPiece[][] = [
  ['```\n', 'secret()\n', '```'],
  ['😀', sentenceEnd, '---\n'],
  ['😀', { remark: 'the reply was cut short' }],
];

for (const pieces of unspeakable) {
  const title = pieces.map((piece) => (typeof piece === 'symbol' ? 'end' : JSON.stringify(piece))).join(' ');
  test(`a reply of [${title}] is no silence that anybody chose: it has failed`, async (t) => {
    const { agent, next } = scriptedAgent();
    const { events, log, logged } = setUp(t, agent);
    for (const piece of pieces) await next({ piece });
    await next('end');
    const detail = 'the reply has text, and none of it can be spoken';
    t.deepEqual(events, [{ type: 'reply.failed', failure: 'no_reply', detail }]);
    t.like(log().at(-1), { level: 40, call_id: 'call-1', turn: 3, failure: 'no_reply' });
    t.notRegex(logged.join(''), /secret/);
  });
}

const early = { remark: 'the response ended without its end mark', endsEarly: true } as const;
const cutOff = { type: 'reply.failed', failure: 'reply_cut_off', detail: early.remark } as const;
const finished = { type: 'reply.finished' } as const;
const endings: [pieces: ReplyPiece[], last: ReplyEvent][] = [
  [['네. 오늘은', early], cutOff],
  [['네. 오늘은 1.', early], cutOff],
  [['네. "오늘은', early], cutOff],
  [['네. 오늘은', sentenceEnd, early], cutOff],
  [['네. 오늘은', sentenceEnd, ' \n', early], cutOff],
  [['네. 오늘은', sentenceEnd, '쉽니다.', early], finished],
  [['네. 오늘은 쉽니다.', early], finished],
  [['네. 오늘은 쉽니다', { remark: 'the workflow failed somewhere else' }], finished],
  [['네! 😊', early], finished],
  [['네. ', early], finished],
];

for (const [pieces, last] of endings) {
  const title = pieces.map((piece) => (typeof piece === 'symbol' ? 'end' : JSON.stringify(piece))).join(' ');
  test(`a reply of [${title}] has ${last.type === 'reply.failed' ? 'torn a sentence apart' : 'ended'}`, async (t) => {
    const { agent, next } = scriptedAgent();
    const { events } = setUp(t, agent);
    for (const piece of pieces) await next({ piece });
    await next('end');
    t.deepEqual(events.at(-1), last);
    t.is(events.filter(({ type }) => type !== 'reply.sentence').length, 1);
    t.regex(JSON.stringify(events[0]), /네[.!]/, 'what came is said');
    if (last === cutOff) t.regex(JSON.stringify(events.at(-2)), /오늘은/, 'also what was torn');
  });
}

test('what was spoken leaves nothing in the log, what was remarked does', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events, log, logged } = setUp(t, agent);
  await next({ piece: '**네**. 😀' });
  await next({ piece: { remark: 'the end is missing' } });
  await next('end');
  t.deepEqual(events, [{ type: 'reply.sentence', text: '네.' }, { type: 'reply.finished' }]);
  t.is(logged.length, 1);
  t.like(log()[0], { msg: 'about a reply', remark: 'the end is missing', call_id: 'call-1', turn: 3 });
});

test('a message that is complete is spoken to its end', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events } = setUp(t, agent);
  await next({ piece: '확인해 보겠습니다' });
  t.deepEqual(events, []);
  await next({ piece: sentenceEnd });
  t.deepEqual(events, [{ type: 'reply.sentence', text: '확인해 보겠습니다' }]);
});

test('a whole sentence is spoken when nothing comes for 250 ms, half a sentence is not', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events, clock } = setUp(t, agent);
  await next({ piece: '잠시만' });
  clock.increment(249);
  await next({ piece: '요.' });
  clock.increment(249);
  t.deepEqual(events, []);
  clock.increment(1);
  t.deepEqual(events, [{ type: 'reply.sentence', text: '잠시만요.' }]);
  await next({ piece: ' 확인해' });
  clock.increment(10_000);
  t.is(events.length, 1);
  await next('end');
  t.deepEqual(events.slice(1), [{ type: 'reply.sentence', text: '확인해' }, { type: 'reply.finished' }]);
});

test('what was held back when a reply was abandoned is never spoken', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events, clock, dispose } = setUp(t, agent);
  await next({ piece: '잠시만요.' });
  dispose();
  clock.increment(100_000);
  await next('end');
  t.deepEqual(events, []);
});

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
  t.regex(logged.join(''), /start-reply\.test\.ts/);
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

test('thoughts that only their end gives away are not spoken from the second reply on', async (t) => {
  const agent: Agent = {
    async *reply() {
      for (const piece of ['The user asks. I should answer. ', 'Done.</think>', '네, 맞습니다. ']) {
        await nextTask();
        yield piece;
      }
    },
  };
  const startReply = createStartReply({
    findAgent: () => agent,
    times,
    clock: new SimulatedClock(),
    logger: pino({ level: 'silent' }),
  });
  const hear = (): Promise<string[]> =>
    new Promise((resolve) => {
      const said: string[] = [];
      startReply(input, (event) => {
        if (event.type === 'reply.sentence') said.push(event.text);
        else resolve(said);
      });
    });
  t.deepEqual(await hear(), ['The user asks.', 'I should answer.', '네, 맞습니다.']);
  t.deepEqual(await hear(), ['네, 맞습니다.']);
});

test('a piece of thousands of sentences is taken in turns with everything else', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events } = setUp(t, agent);
  const most: number[] = [];
  const text = '네.\n'.repeat(10_000);
  await next({ piece: text });
  while (events.length < 10_000) {
    const before = events.length;
    await nextTask();
    most.push(events.length - before);
  }
  // The last part is followed by a pause as well.
  await nextTask();
  await next('end');
  await nextTask();
  t.is(events.length, 10_001);
  t.like(events.at(-1), { type: 'reply.finished' });
  t.true(Math.max(...most) < 1_000, String(Math.max(...most)));
});

test('nothing more is taken of a piece when nobody wants the reply any more', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events, dispose } = setUp(t, agent);
  await next({ piece: '네.\n'.repeat(10_000) });
  t.true(events.length > 0);
  dispose();
  const heard = events.length;
  for (let turn = 0; turn < 5; turn += 1) await nextTask();
  t.is(events.length, heard);
});
