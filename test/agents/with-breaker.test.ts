import test from 'ava';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import { agentBreakers, agentTimes } from '#config/policy.ts';
import type { ReplyEvent } from '#machines/reply.ts';
import { AgentFailure, type Agent } from '#src/agents/agent.ts';
import { createStartReply } from '#src/agents/start-reply.ts';
import { withBreaker } from '#src/agents/with-breaker.ts';
import { createCircuitBreaker } from '#src/domain/circuit-breaker.ts';
import { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';

/** What the server does with a turn. */
type Conduct = 'answers' | 'hangs' | 'stays silent' | Error;

const setUp = () => {
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
  /** How the turn ends: `reply.finished`, or the word of its failure. */
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

test('three calls in a row without an answer: further turns fail at once, and nobody is asked', async (t) => {
  const { turn, asked, opened } = setUp();
  t.is(await turn('one', 'hangs'), 'first_token_timeout');
  t.is(await turn('two', refused), 'connection_failed');
  t.is(await turn('three', new EndpointFailure('connect_timeout', 'late')), 'connect_timeout');
  t.deepEqual(opened, ['three']);
  t.is(await turn('four', 'answers'), 'circuit_open');
  t.deepEqual(asked, ['one', 'two', 'three']);
});

test('one bad call cuts off no other, however often it fails', async (t) => {
  const { turn } = setUp();
  for (let count = 0; count < 10; count += 1) t.is(await turn('bad', 'hangs'), 'first_token_timeout');
  t.is(await turn('good', 'answers'), 'reply.finished');
});

test('an answer to any call forgets those that had none', async (t) => {
  const { turn } = setUp();
  for (const callId of ['one', 'two']) await turn(callId, 'hangs');
  await turn('good', 'answers');
  for (const callId of ['three', 'four']) await turn(callId, 'hangs');
  t.is(await turn('five', 'answers'), 'reply.finished');
});

for (const [title, failure] of [
  ['a status', new AgentFailure('http_error', 'HTTP 400', { status: 400 })],
  ['nonsense', new AgentFailure('invalid_reply', 'the response is not JSON')],
  ['too many requests of its workspace', new EndpointFailure('over_capacity', 'too many')],
] as const) {
  test(`${title} does not count as no answer`, async (t) => {
    const { turn, breaker } = setUp();
    for (const callId of ['one', 'two', 'three', 'four']) t.is(await turn(callId, failure), failure.failure);
    t.is(breaker.state(), 'closed');
  });
}

test('a turn that the other party interrupts says nothing of the server', async (t) => {
  const { begin, breaker } = setUp();
  for (const callId of ['one', 'two', 'three', 'four']) {
    const { letGo } = begin(callId, 'hangs');
    await new Promise(setImmediate);
    letGo();
    await new Promise(setImmediate);
  }
  t.is(breaker.state(), 'closed');
});

test('after a second one turn is let through, and its answer lets all through', async (t) => {
  const { turn, begin, clock, asked } = setUp();
  for (const callId of ['one', 'two', 'three']) await turn(callId, refused);
  clock.increment(1_000);
  const trial = begin('four', 'hangs');
  t.is(await turn('five', 'answers'), 'circuit_open');
  trial.letGo();
  // Nothing was heard of it.
  clock.increment(1_000);
  t.is(await turn('six', 'answers'), 'reply.finished');
  t.is(await turn('seven', 'answers'), 'reply.finished');
  t.deepEqual(asked, ['one', 'two', 'three', 'four', 'six', 'seven']);
});

test('while the server is left alone, a call that is answered prepares nothing there', async (t) => {
  const { turn, begin, asked } = setUp();
  begin('zero', 'stays silent').guarded.begin?.();
  t.true(asked.includes('zero begins'));
  await new Promise(setImmediate);
  for (const callId of ['one', 'two', 'three']) await turn(callId, refused);
  begin('four', 'answers').guarded.begin?.();
  t.false(asked.includes('four begins'));
});
