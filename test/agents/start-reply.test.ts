/** Replies of agents: the factory, the stream of sentences, controls, failures and traces. */
import { setImmediate as nextTask } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { agentBreakers, agentTimes, graphTimes, replyLimits } from '#config/policy.ts';
import type { ReplyEvent } from '#machines/reply.ts';
import { type Agent, AgentFailure, type ReplyPiece, sentenceEnd, withBreaker } from '#src/agents/agent.ts';
import { createTagFinder, unclosedControl } from '#src/agents/controls/find-tags.ts';
import { readControlTag, readListedControls, silence } from '#src/agents/controls/read-control.ts';
import { createAgents } from '#src/agents/create-agent.ts';
import { endpointPath } from '#src/agents/endpoint-path.ts';
import { createStartReply } from '#src/agents/start-reply.ts';
import { traceparent } from '#src/agents/trace-agent-request.ts';
import { createUtterances, type ReplyPart } from '#src/agents/utterances.ts';
import { systemClock } from '#src/clocks.ts';
import { type AgentType, agentTypes } from '#src/domain/agent-binding.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { createCircuitBreaker } from '#src/domain/circuit-breaker.ts';
import type { EndpointClient } from '#src/outgoing/endpoint-client.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import { heardParts, replyEvents, textOf } from '#test/helpers/heard-reply.ts';
import { input, scriptedAgent, setUp, times } from './start-reply/scripted-agent.ts';

// Create agent

/** Records the requested URLs without sending requests. */
const clientWithoutNetwork = () => {
  const urls: string[] = [];
  const client: EndpointClient = {
    post(url) {
      urls.push(url);
      return Promise.reject(new Error('No network here'));
    },
    close: () => Promise.resolve(),
  };
  return { client, urls };
};

const call = (agent: 'builtin' | 'endpoint', agentType: AgentType | null): AgentCall => ({
  context: { call_id: 'call-1', direction: 'outbound', from: '021', to: '010', language: 'en' },
  binding: {
    direction: 'outbound',
    agent,
    agentType,
    chatUrl: agentType === null ? null : 'https://agent.example.com',
    assistantId: agentType === 'langgraph' ? 'support' : null,
    agentId: null,
    controls: 'off',
    model: null,
    prompt: null,
    tools: null,
  },
  bearerToken: null,
  headers: {},
  instruction: null,
});

const setUpCreateAgent = () => {
  const { client, urls } = clientWithoutNetwork();
  const createAgent = createAgents({
    client,
    clock: systemClock,
    limits: replyLimits,
    graphTimes,
    hangUp: () => Promise.resolve(),
    pressKeys: null,
    languageModel: null,
    logger: pino({ level: 'silent' }),
  });
  const ask = async (agentCall: AgentCall): Promise<string> => {
    const agent = createAgent(agentCall);
    const messages = [{ role: 'user', content: 'kickoff' }] as const;
    return textOf(agent.reply({ turn: 1, messages }, new AbortController().signal));
  };
  return { createAgent, ask, urls };
};

test.serial('starts the built-in agent without an endpoint', async (t) => {
  const { ask, urls } = setUpCreateAgent();
  t.regex(await ask(call('builtin', null)), /^Hello/);
  t.regex(await ask(call('builtin', 'webhook')), /^Hello/);
  t.deepEqual(urls, []);
});

test.serial('executes controls in the task of the built-in agent when they are spoken', async (t) => {
  const { createAgent } = setUpCreateAgent();
  const agent = createAgent({
    ...call('builtin', null),
    binding: { ...call('builtin', null).binding, controls: 'inline' },
    instruction: 'Say hello. <keys press="1"/> Ask for the price.',
  });
  const messages = [{ role: 'user', content: 'kickoff' }] as const;
  const parts = await heardParts(agent.reply({ turn: 1, messages }, new AbortController().signal));
  t.deepEqual(parts.slice(-4), [
    'Say hello.',
    { act: 'press_keys', keys: '1' },
    'Ask for the price.',
    'What may I pass on?',
  ]);
});

const firstRequests: Readonly<Record<AgentType, string>> = {
  webhook: 'https://agent.example.com',
  openai_compatible: 'https://agent.example.com/chat/completions',
  n8n: 'https://agent.example.com',
  langgraph: 'https://agent.example.com/threads',
  mastra: 'https://agent.example.com/api/agents/voiceAssistant/stream',
};

for (const agentType of agentTypes) {
  test.serial(`calls an agent of the type ${agentType} at paths below its chat URL`, async (t) => {
    const { ask, urls } = setUpCreateAgent();
    await t.throwsAsync(ask(call('endpoint', agentType)), { message: 'No network here' });
    t.deepEqual(urls, [firstRequests[agentType]]);
  });
}

test.serial('rejects an incomplete binding', (t) => {
  const { createAgent } = setUpCreateAgent();
  t.throws(() => createAgent(call('endpoint', null)), { message: /half a binding/ });
});

// Sentences
// From chunks to sentences: the spoken part of a reply, its timing, and its end.

test.serial('emits each sentence as soon as it is complete, then the end', async (t) => {
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

test.serial('warns once about an agent that gives the same reply repeatedly', async (t) => {
  const logged: string[] = [];
  const replies = ['네.', ...Array<string>(6).fill('감사합니다. 안녕히 계세요.'), '네.'];
  const agent: Agent = {
    async *reply({ turn }) {
      yield replies[turn] ?? '';
    },
  };
  const startReply = createStartReply({
    findAgent: () => agent,
    times,
    clock: new SimulatedClock(),
    logger: pino({ level: 'warn' }, { write: (line: string) => logged.push(line) }),
  });
  for (const turn of replies.keys())
    await new Promise<void>((resolve) => {
      startReply({ ...input, turn }, ({ type }) => {
        if (type === 'reply.finished') resolve();
      });
    });
  t.is(logged.length, 1);
  t.like(JSON.parse(logged[0] ?? ''), { level: 40, call_id: 'call-1', turn: 5, times: 5 });
  t.notRegex(logged[0] ?? '', /감사/);
});

const silences: [pieces: ReplyPiece[], logged: object[]][] = [
  [[], [{ msg: 'the agent chose silence' }]],
  [[''], [{ msg: 'the agent chose silence' }]],
  [['', ' \n', sentenceEnd], [{ msg: 'the agent chose silence' }]],
  [[{ remark: 'tools were called' }], [{ msg: 'remark on a reply', remark: 'tools were called' }]],
];

for (const [pieces, expected] of silences) {
  const title = pieces.map((piece) => (typeof piece === 'symbol' ? 'end' : JSON.stringify(piece))).join(' ');
  test.serial(`treats a reply of [${title}] as silence and logs the reason`, async (t) => {
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
  test.serial(`fails a reply of [${title}] instead of treating it as silence`, async (t) => {
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

const sentencesFinished = { type: 'reply.finished' } as const;

const endings: [pieces: ReplyPiece[], last: ReplyEvent][] = [
  [['네. 오늘은', early], cutOff],
  [['네. 오늘은 1.', early], cutOff],
  [['네. "오늘은', early], cutOff],
  [['네. 오늘은', sentenceEnd, early], cutOff],
  [['네. 오늘은', sentenceEnd, ' \n', early], cutOff],
  [['네. 오늘은', sentenceEnd, '쉽니다.', early], sentencesFinished],
  [['네. 오늘은 쉽니다.', early], sentencesFinished],
  [['네. 오늘은 쉽니다', { remark: 'the workflow failed somewhere else' }], sentencesFinished],
  [['네! 😊', early], sentencesFinished],
  [['네. ', early], sentencesFinished],
];

for (const [pieces, last] of endings) {
  const title = pieces.map((piece) => (typeof piece === 'symbol' ? 'end' : JSON.stringify(piece))).join(' ');
  test.serial(
    `a reply of [${title}] ${last.type === 'reply.failed' ? 'fails as broken off within a sentence' : 'ends normally'}`,
    async (t) => {
      const { agent, next } = scriptedAgent();
      const { events } = setUp(t, agent);
      for (const piece of pieces) await next({ piece });
      await next('end');
      t.deepEqual(events.at(-1), last);
      t.is(events.filter(({ type }) => type !== 'reply.sentence').length, 1);
      t.regex(JSON.stringify(events[0]), /네[.!]/, 'what came is said');
      if (last === cutOff) t.regex(JSON.stringify(events.at(-2)), /오늘은/, 'also what was torn');
    },
  );
}

test.serial('logs the remarks of a reply, but none of its words', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events, log, logged } = setUp(t, agent);
  await next({ piece: '**네**. 😀' });
  await next({ piece: { remark: 'the end is missing' } });
  await next('end');
  t.deepEqual(events, [{ type: 'reply.sentence', text: '네.' }, { type: 'reply.finished' }]);
  t.is(logged.length, 1);
  t.like(log()[0], { msg: 'remark on a reply', remark: 'the end is missing', call_id: 'call-1', turn: 3 });
});

test.serial('speaks a message to its end', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events } = setUp(t, agent);
  await next({ piece: '확인해 보겠습니다' });
  t.deepEqual(events, []);
  await next({ piece: sentenceEnd });
  t.deepEqual(events, [{ type: 'reply.sentence', text: '확인해 보겠습니다' }]);
});

test.serial('speaks a complete sentence after a gap of 250 ms, but keeps an incomplete one', async (t) => {
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

test.serial('never speaks the pending part of an abandoned reply', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events, clock, dispose } = setUp(t, agent);
  await next({ piece: '잠시만요.' });
  dispose();
  clock.increment(100_000);
  await next('end');
  t.deepEqual(events, []);
});

test.serial(
  'recognizes reasoning without a begin mark from the second reply on and does not speak it',
  async (t) => {
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
  },
);

test.serial('remembers for other calls that a server thinks aloud, until it no longer does', async (t) => {
  /** The sentences of a reply that were emitted before its last piece. */
  const hearEarly = async (callId: string, server: string, pieces: readonly string[]): Promise<string[]> => {
    const said: string[] = [];
    let early: string[] = [];
    agents.set(callId, {
      server,
      async *reply() {
        yield* pieces.slice(0, -1);
        await nextTask();
        early = [...said];
        yield pieces.at(-1) ?? '';
      },
    });
    await new Promise<void>((resolve) => {
      startReply({ ...input, callId }, (event) => {
        if (event.type === 'reply.sentence') said.push(event.text);
        else resolve();
      });
    });
    return early;
  };
  const agents = new Map<string, Agent>();
  const startReply = createStartReply({
    findAgent: (callId) => agents.get(callId),
    times,
    clock: new SimulatedClock(),
    logger: pino({ level: 'silent' }),
  });
  const thinking = ['The user asks. ', '</think>네.'];
  t.deepEqual(await hearEarly('a', 'one', thinking), ['The user asks.']);
  t.deepEqual(await hearEarly('b', 'one', thinking), []);
  t.deepEqual(await hearEarly('c', 'two', thinking), ['The user asks.']);
  t.deepEqual(await hearEarly('d', 'one', ['하나. ', '둘.']), []);
  t.deepEqual(await hearEarly('e', 'one', ['하나. ', '둘.']), ['하나.']);
});

/** Events of the last of several replies of one agent. An error in place of a piece is thrown. */
const lastReply = async (replies: readonly (readonly (ReplyPiece | Error)[])[]): Promise<ReplyEvent[]> => {
  let events: ReplyEvent[] = [];
  const agent: Agent = {
    async *reply({ turn }) {
      for (const piece of replies[turn] ?? []) {
        if (piece instanceof Error) throw piece;
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
  for (const turn of replies.keys()) {
    events = [];
    await new Promise<void>((resolve) => {
      startReply({ ...input, turn }, (event) => {
        events.push(event);
        if (event.type === 'reply.finished' || event.type === 'reply.failed') resolve();
      });
    });
  }
  return events;
};

const thinkingAloud: ReplyPiece[] = ['음.</think>네.'];
const tooShort = { remark: 'the reply was cut off at its longest length', endsEarly: true } as const;
const cutInThought: ReplyEvent = { type: 'reply.failed', failure: 'reply_cut_off', detail: tooShort.remark };

const unendedThoughts: [title: string, replies: (ReplyPiece | Error)[][], last: ReplyEvent][] = [
  ['is cut off', [thinkingAloud, ['The user asks. I', tooShort]], cutInThought],
  ['is cut off behind a message', [thinkingAloud, ['The user asks.', sentenceEnd, tooShort]], cutInThought],
  [
    'fails',
    [thinkingAloud, ['The user asks. I', new AgentFailure('http_error', 'broken')]],
    { type: 'reply.failed', failure: 'http_error', detail: 'broken' },
  ],
  ['is cut off in a channel without tokens', [['analysisThe user asks. I', tooShort]], cutInThought],
];

for (const [title, replies, last] of unendedThoughts)
  test.serial(`does not speak reasoning without an end mark when its reply ${title}`, async (t) => {
    t.deepEqual(await lastReply(replies), [last]);
  });

test.serial('speaks a reply without reasoning of an agent that usually thinks aloud', async (t) => {
  t.deepEqual(await lastReply([thinkingAloud, ['하나.', sentenceEnd, '둘.']]), [
    { type: 'reply.sentence', text: '하나.' },
    { type: 'reply.sentence', text: '둘.' },
    { type: 'reply.finished' },
  ]);
  t.deepEqual(await lastReply([thinkingAloud, ['하나.', { control: { act: 'hang_up' } }]]), [
    { type: 'reply.sentence', text: '하나.' },
    { type: 'reply.control', control: { act: 'hang_up' } },
    { type: 'reply.finished' },
  ]);
});

test.serial('yields to the event loop while reading a chunk of thousands of sentences', async (t) => {
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

test.serial('yields to the event loop while filtering a chunk of many possible marks', async (t) => {
  const agent: Agent = {
    async *reply() {
      yield `<think>${'<'.repeat(200_000)}`;
    },
  };
  const { events } = setUp(t, agent);
  let tasks = 0;
  for (; events.length === 0; tasks += 1) await nextTask();
  t.like(events, [{ type: 'reply.failed', failure: 'no_reply' }]);
  t.true(tasks >= 20, String(tasks));
});

test.serial('stops reading the current chunk when its reply is abandoned', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events, dispose } = setUp(t, agent);
  await next({ piece: '네.\n'.repeat(10_000) });
  while (events.length === 0) await nextTask();
  dispose();
  const heard = events.length;
  for (let turn = 0; turn < 5; turn += 1) await nextTask();
  t.is(events.length, heard);
});

// Failures
// Failed and abandoned replies.

test.serial('fails an endless reply', async (t) => {
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

test.serial('emits the code and detail of a failure after the words before it', async (t) => {
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

test.serial('fails the reply when the connection fails', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events } = setUp(t, agent);
  await next({ error: new EndpointFailure('tls_failed', 'CERT_HAS_EXPIRED') });
  t.deepEqual(events, [{ type: 'reply.failed', failure: 'tls_failed', detail: 'CERT_HAS_EXPIRED' }]);
});

test.serial('fails the reply when the agent code throws; logs the stack but no words', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events, logged, log } = setUp(t, agent);
  await next({ error: new SyntaxError('Unexpected token in "비밀입니다"') });
  t.deepEqual(events, [{ type: 'reply.failed', failure: 'agent_crashed' }]);
  t.like(log()[0], { level: 50, call_id: 'call-1', error: 'SyntaxError' });
  t.regex(logged.join(''), /start-reply\.test\.ts/);
  t.notRegex(logged.join(''), /비밀/);
});

test.serial('fails the reply when the agent throws before its start or does not exist', async (t) => {
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

test.serial('fails when the first text takes longer than 8 s; empty chunks do not count', async (t) => {
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

test.serial('fails when the whole reply takes longer than 60 s; speaks the received part', async (t) => {
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

test.serial('clears all timers of a finished, failed or abandoned reply', async (t) => {
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

test.serial('clears the time limit of a finished reply', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events, clock } = setUp(t, agent);
  await next({ piece: '네.' });
  await next('end');
  clock.increment(100_000);
  t.deepEqual(events, [{ type: 'reply.sentence', text: '네.' }, { type: 'reply.finished' }]);
});

test.serial('aborts an abandoned reply, which emits no further events', async (t) => {
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

test.serial('allows a reply to be abandoned while it emits a sentence', async (t) => {
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

test.serial('lets the generator of an abandoned reply clean up', async (t) => {
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

// Controls
// Controls in a reply: their effect on the conversation, and replies with controls disabled.

const hangUpControls = { type: 'reply.control', control: { act: 'hang_up' } };
const controlsFinished = { type: 'reply.finished' };
const tooManyControls = {
  type: 'reply.failed',
  failure: 'reply_too_large',
  detail: 'the reply has more than 100 marks',
};
const sentence = (text: string) => ({ type: 'reply.sentence', text });

const hear = async (t: ExecutionContext, pieces: readonly ReplyPiece[], writesControls = true) => {
  const { agent, next } = scriptedAgent();
  const world = setUp(t, { ...agent, writesControls });
  for (const piece of pieces) await next({ piece });
  await next('end');
  return world;
};

test.serial('emits a control directly after the sentence before it', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events } = setUp(t, { ...agent, writesControls: true });
  await next({ piece: 'Goodbye.<hang' });
  t.deepEqual(events, []);
  await next({ piece: 'up/>' });
  t.deepEqual(events, [sentence('Goodbye.'), hangUpControls]);
  await next({ piece: ' Take care.' });
  await next('end');
  t.deepEqual(events.slice(2), [sentence('Take care.'), controlsFinished]);
});

test.serial('splits a sentence at a control', async (t) => {
  const { events } = await hear(t, ['I press one <keys press="1"/> and wait.']);
  t.deepEqual(events, [
    sentence('I press one'),
    { type: 'reply.control', control: { act: 'press_keys', keys: '1' } },
    sentence('and wait.'),
    controlsFinished,
  ]);
});

test.serial('accepts a reply that consists of a control or a declared silence', async (t) => {
  t.deepEqual((await hear(t, ['<hangup/>'])).events, [hangUpControls, controlsFinished]);
  t.deepEqual((await hear(t, [' <silence/>\n'])).events, [controlsFinished]);
});

test.serial('omits controls from the words when the binding does not permit them', async (t) => {
  const { events } = await hear(t, ['Goodbye.<hangup/>', { controls: [{ hangup: {} }] }], false);
  t.deepEqual(events, [sentence('Goodbye.'), controlsFinished]);
  t.like((await hear(t, ['<hangup/>'], false)).events, [{ type: 'reply.failed', failure: 'no_reply' }]);
});

test.serial('executes controls of the JSON list after the text of the response', async (t) => {
  const { events } = await hear(t, ['Goodbye', { controls: [{ keys: { press: '9' } }, { hangup: {} }] }]);
  t.deepEqual(events, [
    sentence('Goodbye'),
    { type: 'reply.control', control: { act: 'press_keys', keys: '9' } },
    hangUpControls,
    controlsFinished,
  ]);
});

test.serial('fails a reply that lists controls endlessly, after the text before them', async (t) => {
  const list = { controls: Array.from({ length: 20 }, () => ({ keys: { press: '1' } })) };
  const { events } = await hear(t, ['One.', ...Array.from({ length: 5 }, () => list), 'Two', list]);
  t.deepEqual(
    events.filter(({ type }) => type !== 'reply.control'),
    [sentence('One.'), sentence('Two'), tooManyControls],
  );
  t.is(events.filter(({ type }) => type === 'reply.control').length, 100);
});

test.serial('logs a list of too many controls once', async (t) => {
  const { events, log } = await hear(t, ['One.', { controls: [manyInOne] }]);
  t.deepEqual(events, [sentence('One.'), controlsFinished]);
  t.is(log().length, 1);
});

test.serial('skips invalid controls and logs them without their words', async (t) => {
  const { events, log, logged } = await hear(t, ['One.<keys press="비밀"/> Two.<dance secret="비밀"/>']);
  t.deepEqual(events, [sentence('One.'), sentence('Two.'), controlsFinished]);
  t.is(log().length, 2);
  t.notRegex(logged.join(''), /비밀|dance/);
});

const thoughtful: readonly [written: string, what: string][] = [
  ['<think>I could <hangup/> now.</think>Hello.', 'a thought'],
  ['I could <hangup/> now.</think>Hello.', 'a thought whose beginning is not marked'],
  ['[THINK]I could <keys press="1"/> now.[/THINK]Hello.', 'a thought in brackets'],
  [
    '<|channel|>analysis<|message|>I could <hangup/> now.<|end|><|start|>assistant<|channel|>final<|message|>Hello.<|return|>',
    'the analysis of Harmony',
  ],
  ['Hello.<|end|><hangup/>', 'what stands behind the end of the turn'],
];

for (const [written, what] of thoughtful)
  test.serial(`ignores a control within ${what}`, async (t) => {
    const { events } = await hear(t, [written]);
    t.deepEqual(events, [sentence('Hello.'), controlsFinished]);
  });

const keysControl = { type: 'reply.control', control: { act: 'press_keys', keys: '1' } };

const among: readonly [written: string, before: string[], after: string[]][] = [
  ['**Good <keys press="1"/> bye.**', ['Good'], ['bye.']],
  ['`<keys press="1"/>`', [], []],
  ['One.\n```xml\n<keys press="1"/>\nno speech\n```\nTwo.', ['One.'], ['Two.']],
  ['- One\n- <keys press="1"/>\n- Two', ['One'], ['Two']],
  ['One, <b>and <keys press="1"/>two</b>.', ['One, and'], ['two.']],
  ['One.<keys press="1"></keys>Two.', ['One.'], ['Two.']],
  ['One<keys press="1"/>two', ['One'], ['two']],
  ['<keys press="1"/>', [], []],
  ['&lt;hangup/&gt;One.<keys press="1"/>', ['One.'], []],
];

for (const [written, before, after] of among)
  test.serial(`executes the control at its place in ${JSON.stringify(written)}`, async (t) => {
    const { events } = await hear(t, [written]);
    t.deepEqual(events, [...before.map(sentence), keysControl, ...after.map(sentence), controlsFinished]);
  });

/** Spellings of a control, and whether it acts. `zeta` is in no spoken word. */
const writtenControls: readonly [written: string, acts: boolean][] = [
  ['<keys press="1"/>', true],
  ["<KEYS zeta='zeta' press = '1' />", true],
  ['<keys zeta="&lt;zeta/&gt; > <zeta/>" press=1>', true],
  ['<keys press="zeta"/>', false],
  ['<keys zeta/>', false],
  ['<keys:zeta/>', false],
  ['<keys="zeta"/>', false],
  ['<keys press="1" <zeta/>', false],
  ['<zeta press="1"/>', false],
  [`<keys press="1" zeta="${'zeta '.repeat(2_000)}"/>`, false],
];

async function* inPieces(pieces: readonly string[]): AsyncGenerator<string, void, undefined> {
  yield* pieces;
}

const eventsOf = (pieces: readonly string[], writesControls = true): Promise<ReplyEvent[]> =>
  replyEvents(inPieces(pieces), { writesControls });

/** Only at the end of a reply: text after it would belong to it. */
const brokenOff = ['<', '<ke', '<keys', '<keys zeta="1', '<keys press="zeta>'];

test.serial('executes valid controls and speaks no part of any control, for any chunking', async (t) => {
  const part = fc.oneof(
    fc
      .constantFrom('One.', ' Two,', '\n3 < 4. ', '**', ' <b>well</b> ')
      .map((text) => [text, false] as const),
    fc.constantFrom(...writtenControls),
  );
  const reply = fc.tuple(fc.array(part, { maxLength: 8 }), fc.constantFrom('', ...brokenOff));
  await fc.assert(
    fc.asyncProperty(reply, fc.array(fc.nat(400), { maxLength: 12 }), async ([parts, end], cuts) => {
      const text = parts.map(([written]) => written).join('') + end;
      const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
      const events = await eventsOf(places.slice(1).map((place, index) => text.slice(places[index], place)));
      t.deepEqual(
        events.filter(({ type }) => type === 'reply.control'),
        parts.filter(([, acts]) => acts).map(() => keysControl),
      );
      t.notRegex(JSON.stringify(events.filter(({ type }) => type === 'reply.sentence')), /zeta|keys|press/i);
      t.deepEqual(events, await eventsOf([text]));
    }),
    { numRuns: 200 },
  );
});

test.serial('speaks text with angle brackets that never begins a control', async (t) => {
  const unit = fc.constantFrom(
    '<',
    '</',
    '>',
    ' > ',
    '/',
    '"',
    '=',
    ' ',
    'a',
    'hang',
    'over',
    'b x',
    '가',
    '.',
    '!--',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(unit, { maxLength: 20 }), async (units) => {
      const text = units.join('');
      // Empty elements of unknown names count as misspelled controls, and `<hang` at the end as an interrupted one.
      fc.pre(!/<hang$|<[a-z][^<]*\/\s*>/u.test(text));
      t.deepEqual(await eventsOf([text]), await eventsOf([text], false));
    }),
    { numRuns: 300 },
  );
});

test.serial('speaks text with angle brackets that resembles a control', async (t) => {
  for (const text of ['3 < 4 and 5 > 4.', 'a <b and c.', 'It is <b>bold</b>.', 'Well <hangup, then.']) {
    const { events } = await hear(t, [text]);
    t.deepEqual(events, (await hear(t, [text], false)).events, text);
  }
});

test.serial('ends an unfinished tag at the end of a message', async (t) => {
  const { events } = await hear(t, ['One <', sentenceEnd, 'Two.']);
  t.deepEqual(events, (await hear(t, ['One <', sentenceEnd, 'Two.'], false)).events);
});

test.serial('executes the controls before a failure', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events } = setUp(t, { ...agent, writesControls: true });
  await next({ piece: 'One.<keys press="1"/>Two' });
  await next({ error: new Error('broken') });
  t.deepEqual(
    events.map(({ type }) => type),
    ['reply.sentence', 'reply.control', 'reply.sentence', 'reply.failed'],
  );
});

// Find tags
// Tags in chunked text.

/** Joined texts, with tags in brackets, and `{}` for an unclosed control. */
const found = (pieces: readonly string[]): string => {
  const finder = createTagFinder();
  return [...pieces.flatMap((piece) => finder.add(piece)), ...finder.end()]
    .map((part) => {
      if (part === unclosedControl) return '{}';
      return typeof part === 'string' ? part : `[${part.source}]`;
    })
    .join('');
};

const texts: readonly [text: string, expected: string][] = [
  ['Goodbye.<hangup/>', 'Goodbye.[hangup/]'],
  ['<keys press="1w2#" /> Done.', '[keys press="1w2#" /] Done.'],
  ['One <a/><b/> two', 'One [a/][b/] two'],
  ['<collect finish=">" digits=\'4\'/>', '[collect finish=">" digits=\'4\'/]'],
  ['<transfer briefing="a < b, it\'s"/>.', '[transfer briefing="a < b, it\'s"/].'],
  ["<it's fine> he said", "[it's fine] he said"],
  ['3 < 4 and 5 > 4', '3 < 4 and 5 > 4'],
  ['a <b and c', 'a <b and c'],
  ['a << b <hangup/>', 'a << b [hangup/]'],
  ['<한국어/>', '<한국어/>'],
  ['<', '<'],
  ['Is 3 <', 'Is 3 <'],
  ['Well <hangup, then.', 'Well <hangup, then.'],
  ['<hang up the phone', '<hang up the phone'],
  ['<collection of things', '<collection of things'],
  ['<keys press = "1>" />.', '[keys press = "1>" /].'],
  // Unclosed controls
  ['Goodbye.<hangup', 'Goodbye.{}'],
  ['Goodbye.<hang', 'Goodbye.{}'],
  ['Goodbye.</hangup', 'Goodbye.</hangup'],
  ['<keys press="1 and no end', '{}'],
  ['<HANGUP and goodbye.', '{}and goodbye.'],
  ['<keys press = "1" or so', '{}or so'],
  ['<keys press=1 <hangup/>', '{}[hangup/]'],
  ['<keys press="1> Hold on. <hangup/>', '{} Hold on. [hangup/]'],
  ['<keys press="1> Hold <keys press=\'2> on.', '{} Hold {} on.'],
  [`<${'a'.repeat(3_000)}> b <hangup/>`, `<${'a'.repeat(3_000)}> b [hangup/]`],
  [`<transfer briefing="${'a'.repeat(5_000)}"/>.`, `[transfer briefing="${'a'.repeat(5_000)}"/].`],
  [`A<transfer briefing="${'a'.repeat(9_000)}"/>. <hangup/>`, 'A{}. [hangup/]'],
  [`A<keys press="1> ${'a'.repeat(9_000)} <hangup/>`, `A{} ${'a'.repeat(9_000)} [hangup/]`],
];

for (const [text, expected] of texts)
  test(`splits into text and tags for any chunking: ${text.slice(0, 40)}`, (t) => {
    t.is(found([text]), expected);
    t.is(found(Array.from(text)), expected);
    for (let at = 0; at <= Math.min(text.length, 200); at += 1)
      t.is(found([text.slice(0, at), text.slice(at)]), expected);
  });

test('finds the same tags for any chunking and loses no text', (t) => {
  const unit = fc.constantFrom('<', '>', '/', '"', "'", '=', ' ', 'a', 'hangup', 'keys', '가', '\n', '😀');
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 40 }), fc.array(fc.nat(60)), (units, cuts) => {
      const text = units.join('');
      const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      t.is(found(pieces).toWellFormed(), found([text]).toWellFormed());
      if (!found([text]).includes('{}')) t.is(found([text]).replaceAll('[', '<').replaceAll(']', '>'), text);
    }),
  );
});

// Read control
// The meaning of a tag, or of an object in a list.

const hangUpReadControl = { act: 'hang_up' } as const;
const press = (keys: string) => ({ act: 'press_keys', keys }) as const;

const tags: readonly [source: string, control: unknown][] = [
  ['hangup/', hangUpReadControl],
  ['hangup', hangUpReadControl],
  ['HangUp />'.slice(0, -1), hangUpReadControl],
  ['hangup reason="done"/', hangUpReadControl],
  ['silence/', silence],
  ['keys press="1w2#"/', press('1w2#')],
  ["keys press='*0'/", press('*0')],
  ['keys press=5/', press('5')],
  ['keys\n  press="1"\n/', press('1')],
  ['keys press = "1" / ', press('1')],
  ['keys press=5/ ', press('5')],
  ['KEYS PRESS="1"//', press('1')],
  ['keys press="&#35;&#x2a;"/', press('#*')],
];

for (const [source, control] of tags)
  test(`reads <${source}> as a control`, (t) => t.deepEqual(readControlTag(source), control));

const collect = (wanted: object) => ({
  act: 'collect_keys',
  wanted: { digits: null, finish: null, timeoutSec: 10, secret: false, ...wanted },
});

const collecting: readonly [source: string, control: unknown][] = [
  ['collect/', collect({})],
  [
    'collect digits="4" finish="#" timeout_sec="30" secret="true"/',
    collect({ digits: 4, finish: '#', timeoutSec: 30, secret: true }),
  ],
  ['collect digits=6 secret="false"/', collect({ digits: 6 })],
];

for (const [source, control] of collecting)
  test(`reads <${source}> as a request to collect digits`, (t) =>
    t.deepEqual(readControlTag(source), control));

for (const source of [
  'digits="0"',
  'digits="65"',
  'digits="x"',
  'finish="ab"',
  'timeout_sec="0"',
  'secret="maybe"',
])
  test(`skips the invalid <collect ${source}/>`, (t) =>
    t.like(readControlTag(`collect ${source}/`), {
      leftOut:
        'a control "collect" is wrong: it takes "digits" from 1 to 64, "finish" (one key), "timeout_sec" from 1 to 120, "secret" (true or false), each of which may be left out',
    }));

const transfer = (wanted: object) => ({
  act: 'transfer',
  transfer: {
    to: '0212345678',
    mode: 'cold',
    say: null,
    briefing: null,
    acceptKey: null,
    ringTimeoutSec: 25,
    onFailure: 'resume',
    ...wanted,
  },
});

const transferring: readonly [source: string, control: unknown][] = [
  ['transfer to="0212345678"/', transfer({})],
  ['transfer to=0212345678', transfer({})],
  [
    'transfer to="02-1234-5678" mode="warm" briefing="It is about &quot;October&quot;." accept_key="1"/',
    transfer({ to: '02-1234-5678', mode: 'warm', briefing: 'It is about "October".', acceptKey: '1' }),
  ],
  [
    'transfer to="0212345678" say=" One\u0000\nmoment. " ring_timeout_sec="40" on_failure="hang_up"/',
    transfer({ say: 'One moment.', ringTimeoutSec: 40, onFailure: 'hang_up' }),
  ],
];

for (const [source, control] of transferring)
  test(`reads <${JSON.stringify(source)}> as a transfer`, (t) =>
    t.deepEqual(readControlTag(source), control));

for (const source of [
  'mode="warm"',
  'to=""',
  'to="a person"',
  `to="${'1'.repeat(41)}"`,
  'to="0212345678" mode="hot"',
  'to="0212345678" accept_key="12"',
  'to="0212345678" ring_timeout_sec="4"',
  'to="0212345678" ring_timeout_sec="121"',
  'to="0212345678" on_failure="cry"',
  `to="0212345678" briefing="${'a'.repeat(2_001)}"`,
])
  test(`skips the invalid <transfer ${source.slice(0, 60)}/>`, (t) =>
    t.like(readControlTag(`transfer ${source}/`), {
      leftOut:
        'a control "transfer" is wrong: it takes a telephone number in "to"; "mode" (cold or warm), "say" and "briefing" (up to 2000 characters), "accept_key" (one key), "ring_timeout_sec" from 5 to 120 and "on_failure" (resume or hang_up) may be left out',
    }));

test('reads a transfer with JSON types from a list', (t) => {
  t.deepEqual(
    readListedControls([{ transfer: { to: '0212345678', ring_timeout_sec: 30, briefing: 'Hello.' } }]),
    [transfer({ ringTimeoutSec: 30, briefing: 'Hello.' })],
  );
});

const readControlSpoken = (language: string) => ({ act: 'change_language', language }) as const;

for (const [tag, language] of [
  ['en', 'en'],
  ['KO', 'ko'],
  ['ja-JP', 'ja'],
] as const)
  test(`reads <language tag="${tag}"/> as a change of language`, (t) => {
    t.deepEqual(readControlTag(`language tag="${tag}"/`), readControlSpoken(language));
    t.deepEqual(readListedControls([{ language: { tag } }]), [readControlSpoken(language)]);
  });

for (const source of ['', 'tag=""', 'tag="xx"', 'tag="english"', `tag="en-${'a'.repeat(40)}"`, 'to="en"'])
  test(`skips the invalid <language ${source.slice(0, 20)}/>`, (t) =>
    t.deepEqual(readControlTag(`language ${source}/`), {
      leftOut:
        'a control "language" is wrong: it takes a language in "tag": one of ko, en, ja, also with a region',
    }));

test('reads a language change with JSON types from a list', (t) => {
  t.deepEqual(readListedControls([{ collect: { digits: 4, timeout_sec: 5, secret: true } }]), [
    collect({ digits: 4, timeoutSec: 5, secret: true }),
  ]);
});

const wrong: readonly string[] = [
  'keys/',
  'keys="1"/',
  'keys: 1',
  'keys press=""/',
  'keys press="call me"/',
  'keys press="&lt;"/',
];

for (const source of wrong)
  test(`skips the invalid <${source}> and logs its valid attributes`, (t) =>
    t.deepEqual(readControlTag(source), {
      leftOut:
        'a control "keys" is wrong: it takes the keys in "press": up to 64 of 0 to 9, *, #, A to D, and w for half a second of waiting',
    }));

test('skips a tag with an unknown name without a log line', (t) => {
  t.deepEqual(readControlTag('dance style="tango"/'), {
    leftOut: 'the reply has a control of an unknown name',
  });
});

for (const source of ['b', '/b', 'br/', 'br /', 'a href="x"', 'break time="1s"/', '/hangup', '1/', ''])
  test(`reads <${source}> as text`, (t) => t.is(readControlTag(source), undefined));

test('reads a list of controls with JSON types, in order', (t) => {
  t.deepEqual(readListedControls([{ keys: { press: '12' } }, { hangup: {} }, { silence: {} }]), [
    press('12'),
    hangUpReadControl,
    silence,
  ]);
});

const notListed = {
  leftOut: '"controls" is wrong: it is a list of up to 20 objects with one control each',
};
const takesKeys = readListedControls([{ keys: {} }]);

/** More controls than objects. */
const manyInOne = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`a${index}`, 0]));

for (const list of [
  null,
  'hangup',
  {},
  [1],
  ['hangup'],
  Array.from({ length: 21 }, () => ({ hangup: {} })),
  [manyInOne],
])
  test(`rejects ${JSON.stringify(list).slice(0, 40)} as a list of controls`, (t) =>
    t.deepEqual(readListedControls(list), [notListed]));

test('keeps the valid controls of a list with an invalid one', (t) => {
  t.deepEqual(readListedControls([{ keys: { press: 12 } }, { hangup: {} }]), [
    ...takesKeys,
    hangUpReadControl,
  ]);
});

// Utterances

const asSpeech = (utterance: ReplyPart): string => {
  if (typeof utterance !== 'string') throw new Error('A text has become a control');
  return utterance;
};

const speak = (pieces: readonly string[]): string[] => {
  const utterances = createUtterances();
  return [...pieces.flatMap((piece) => utterances.add(piece)), ...utterances.end()].map(asSpeech);
};

const answer = `# 예약 안내 😊

**안녕하세요!** 예약은 다음과 같습니다:

| 날짜 | 시간 |
|------|------|
| 12.25. | 오후 3시 |

- [약도](https://example.com/map?a=1.5)를 봐 주세요.
- \`npm test\`는 3 * 4번입니다.

\`\`\`js
console.log("말하지 마세요. 네?");
\`\`\`

1. 감사합니다.
`;

const utterancesSpoken = [
  '예약 안내',
  '안녕하세요!',
  '예약은 다음과 같습니다:',
  '날짜, 시간',
  '12.25. 오후 3시',
  '약도를 봐 주세요.',
  'npm test는 3 * 4번입니다.',
  '1. 감사합니다.',
];

test('converts a written answer into speech for any chunking', (t) => {
  t.deepEqual(speak([answer]), utterancesSpoken);
  t.deepEqual(speak(answer.split('')), utterancesSpoken);
  fc.assert(
    fc.property(fc.array(fc.nat(answer.length), { maxLength: 20 }), (places) => {
      const cuts = [0, ...places.toSorted((a, b) => a - b), answer.length];
      t.deepEqual(speak(cuts.slice(1).map((end, index) => answer.slice(cuts[index], end))), utterancesSpoken);
    }),
  );
});

test('speaks a sentence when it is complete, or after a gap', (t) => {
  const utterances = createUtterances();
  t.deepEqual(utterances.add('**네.** 잠'), ['네.']);
  t.deepEqual(utterances.add('시만요.'), []);
  t.deepEqual(utterances.pause(), ['잠시만요.']);
  t.deepEqual(utterances.pause(), []);
  t.deepEqual(utterances.add(' 확인해 보'), []);
  t.deepEqual(utterances.pause(), []);
  t.deepEqual(utterances.end(), ['확인해 보']);
});

test('ends the sentence and all open markup at the end of a message', (t) => {
  const utterances = createUtterances();
  t.deepEqual(utterances.add('확인해 보겠습니다'), []);
  t.deepEqual(utterances.sentenceEnd(), ['확인해 보겠습니다']);
  t.deepEqual(utterances.add('```js\na. b'), []);
  t.deepEqual(utterances.sentenceEnd(), []);
  t.deepEqual(utterances.add('끝났습니다. '), ['끝났습니다.']);
});

test('keeps hidden text hidden at a pause', (t) => {
  const utterances = createUtterances();
  t.deepEqual(utterances.add('<think>Let me see.'), []);
  t.deepEqual(utterances.pause(), []);
  t.deepEqual(utterances.add(' Hm.'), []);
  t.deepEqual(utterances.pause(), []);
  t.deepEqual(utterances.add('</think>네.'), []);
  t.deepEqual(utterances.pause(), ['네.']);
});

test('fails an endless reply; text that is not spoken does not count', (t) => {
  const utterances = createUtterances();
  const sentence = '말이 끝이 없습니다. ';
  utterances.add('```\n');
  for (let count = 0; count < 10_000; count += 1) t.deepEqual(utterances.add(sentence), []);
  utterances.add('\n```\n');
  let characters = 0;
  const error = t.throws(
    () => {
      for (let count = 0; count < 10_000; count += 1)
        characters += utterances.add(sentence).map(asSpeech).join('').length;
    },
    { instanceOf: AgentFailure },
  );
  t.is(error.failure, 'reply_too_large');
  t.true(characters > 65_000 && characters <= 65_536);
  t.notRegex(error.message, /말이/);
});

test('fails a reply that repeats controls endlessly', (t) => {
  const utterances = createUtterances({ controls: true });
  const mark = '<keys press="1"/>';
  t.is(utterances.add(mark.repeat(100)).length, 100);
  const error = t.throws(() => utterances.add(mark), { instanceOf: AgentFailure });
  t.is(error.failure, 'reply_too_large');
});

// With breaker

/** The server's response to a turn. */
type Conduct = 'answers' | 'hangs' | 'stays silent' | Error;

const setUpWithBreaker = () => {
  const clock = new SimulatedClock();
  const breaker = createCircuitBreaker(clock, agentBreakers.coolDown, agentBreakers.opensAfter);
  const asked: string[] = [];
  const opened: string[] = [];
  const logger = pino({ level: 'silent' });

  const begin = (callId: string, conduct: Conduct) => {
    const agent: Agent = {
      async *reply(_request, signal) {
        asked.push(callId);
        if (conduct === 'answers') yield 'Yes.';
        if (conduct instanceof Error) throw conduct;
        if (conduct !== 'hangs') return;
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
      begin: () => void asked.push(`${callId} begins`),
    };
    const onOpened = (): void => void opened.push(callId);
    const guarded = withBreaker(agent, { callId, breaker, onOpened });
    const ended = Promise.withResolvers<ReplyEvent>();
    const startReply = createStartReply({ findAgent: () => guarded, times: agentTimes, clock, logger });
    const letGo = startReply({ callId, turn: 1, messages: [] }, (event) => {
      if (event.type !== 'reply.sentence') ended.resolve(event);
    });
    return { guarded, letGo, ended: ended.promise };
  };
  /** The end of the turn: `reply.finished`, or the code of its failure. */
  const turn = async (callId: string, conduct: Conduct): Promise<string> => {
    const { ended } = begin(callId, conduct);
    await new Promise(setImmediate);
    if (conduct === 'hangs') clock.increment(agentTimes.firstTokenMs);
    const event = await ended;
    return event.type === 'reply.failed' ? event.failure : event.type;
  };
  return { clock, breaker, asked, opened, begin, turn };
};

const refused = new EndpointFailure('connection_failed', 'ECONNREFUSED');

test.serial(
  'fails further turns of a call at once, without a request, after three turns without a response',
  async (t) => {
    const { turn, asked, opened } = setUpWithBreaker();
    t.is(await turn('one', 'hangs'), 'first_token_timeout');
    t.is(await turn('two', refused), 'connection_failed');
    t.is(await turn('three', new EndpointFailure('connect_timeout', 'late')), 'connect_timeout');
    t.deepEqual(opened, ['three']);
    t.is(await turn('four', 'answers'), 'circuit_open');
    t.deepEqual(asked, ['one', 'two', 'three']);
  },
);

test.serial('keeps the circuit breaker closed for other calls, however often one call fails', async (t) => {
  const { turn } = setUpWithBreaker();
  for (let count = 0; count < 10; count += 1) t.is(await turn('bad', 'hangs'), 'first_token_timeout');
  t.is(await turn('good', 'answers'), 'reply.finished');
});

test.serial('resets the failure count at a response to any call', async (t) => {
  const { turn } = setUpWithBreaker();
  for (const callId of ['one', 'two']) await turn(callId, 'hangs');
  await turn('good', 'answers');
  for (const callId of ['three', 'four']) await turn(callId, 'hangs');
  t.is(await turn('five', 'answers'), 'reply.finished');
});

for (const [title, failure] of [
  ['a status', new AgentFailure('http_error', 'HTTP 400', { status: 400 })],
  ['nonsense', new AgentFailure('invalid_reply', 'the response is not JSON')],
  ['a rate limit of its workspace', new EndpointFailure('over_capacity', 'too many')],
] as const) {
  test.serial(`does not count ${title} as a missing response`, async (t) => {
    const { turn, breaker } = setUpWithBreaker();
    for (const callId of ['one', 'two', 'three', 'four']) t.is(await turn(callId, failure), failure.failure);
    t.is(breaker.state(), 'closed');
  });
}

test.serial('does not count an interrupted turn as success or failure', async (t) => {
  const { begin, breaker } = setUpWithBreaker();
  for (const callId of ['one', 'two', 'three', 'four']) {
    const { letGo } = begin(callId, 'hangs');
    await new Promise(setImmediate);
    letGo();
    await new Promise(setImmediate);
  }
  t.is(breaker.state(), 'closed');
});

test.serial('lets one turn through after one second; its response closes the circuit breaker', async (t) => {
  const { turn, begin, clock, asked } = setUpWithBreaker();
  for (const callId of ['one', 'two', 'three']) await turn(callId, refused);
  clock.increment(1_000);
  const trial = begin('four', 'hangs');
  t.is(await turn('five', 'answers'), 'circuit_open');
  trial.letGo();
  // The other party heard no part of the reply.
  clock.increment(1_000);
  t.is(await turn('six', 'answers'), 'reply.finished');
  t.is(await turn('seven', 'answers'), 'reply.finished');
  t.deepEqual(asked, ['one', 'two', 'three', 'four', 'six', 'seven']);
});

test.serial(
  'opens no connection to the agent server for an answered call while the circuit breaker is open',
  async (t) => {
    const { turn, begin, asked } = setUpWithBreaker();
    begin('zero', 'stays silent').guarded.begin?.();
    t.true(asked.includes('zero begins'));
    await new Promise(setImmediate);
    for (const callId of ['one', 'two', 'three']) await turn(callId, refused);
    begin('four', 'answers').guarded.begin?.();
    t.false(asked.includes('four begins'));
  },
);

// Trace agent request

test('records all requests of a call in one trace, each with its own span', (t) => {
  const callId = '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11';
  const headers = [traceparent(callId), traceparent(callId), traceparent(callId)];
  for (const header of headers) t.regex(header, /^00-7f9c2f6e4f0e4b7e9b1c2d1d5a1e0c11-[0-9a-f]{16}-01$/);
  t.is(new Set(headers).size, 3);
});

// Endpoint path

const adds = test.macro<[title: string, chatUrl: string, path: string, expected: string]>({
  exec(t, _, chatUrl, path, expected) {
    t.is(endpointPath(chatUrl, path), expected);
  },
  title: (_, title) => title,
});

const base = 'https://agent.example.com';

test(adds, 'adds a path to a host', base, '/threads', `${base}/threads`);
test(adds, 'adds a path to a path', `${base}/v1`, '/chat/completions', `${base}/v1/chat/completions`);
test(adds, 'ignores trailing slashes after a path', `${base}/v1//`, '/threads', `${base}/v1/threads`);
test(adds, 'ignores trailing slashes after the host', `${base}//`, '/threads', `${base}/threads`);
test(adds, 'keeps slashes within the path of the chat URL', `${base}/a//b/`, '/c', `${base}/a//b/c`);
test(
  adds,
  'keeps the query of the chat URL',
  `${base}/v1/?key=a%2Fb/`,
  '/threads',
  `${base}/v1/threads?key=a%2Fb/`,
);
test(
  adds,
  'keeps the port number of the chat URL',
  'http://127.0.0.1:2024/',
  '/threads',
  'http://127.0.0.1:2024/threads',
);
test(
  adds,
  'keeps percent-encoding of the chat URL',
  `${base}/a%2Fb%20c`,
  '/d%2Fe',
  `${base}/a%2Fb%20c/d%2Fe`,
);
test(
  adds,
  'percent-encodes Korean characters of a chat URL',
  `${base}/상담`,
  '/x',
  `${base}/%EC%83%81%EB%8B%B4/x`,
);
