/** From pieces to sentences: what is spoken of a reply, when, and how it ends. */
import test from 'ava';
import { setImmediate as nextTask } from 'node:timers/promises';
import pino from 'pino';
import { SimulatedClock } from 'xstate';
import type { ReplyEvent } from '#machines/reply.ts';
import { sentenceEnd, type Agent, type ReplyPiece } from '#src/agents/agent.ts';
import { createStartReply } from '#src/agents/start-reply.ts';
import { input, scriptedAgent, setUp, times } from './scripted-agent.ts';

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
