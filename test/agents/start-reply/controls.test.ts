/** Controls in a reply: what the conversation hears of them, and what it does not hear without them. */
import test, { type ExecutionContext } from 'ava';
import { sentenceEnd, type ReplyPiece } from '#src/agents/agent.ts';
import { scriptedAgent, setUp } from './scripted-agent.ts';

const hangUp = { type: 'reply.control', control: { act: 'hang_up' } };
const finished = { type: 'reply.finished' };
const sentence = (text: string) => ({ type: 'reply.sentence', text });

const hear = async (t: ExecutionContext, pieces: readonly ReplyPiece[], writesControls = true) => {
  const { agent, next } = scriptedAgent();
  const world = setUp(t, { ...agent, writesControls });
  for (const piece of pieces) await next({ piece });
  await next('end');
  return world;
};

test('a control comes behind the sentence that stands before it, at once', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events } = setUp(t, { ...agent, writesControls: true });
  await next({ piece: 'Goodbye.<hang' });
  t.deepEqual(events, []);
  await next({ piece: 'up/>' });
  t.deepEqual(events, [sentence('Goodbye.'), hangUp]);
  await next({ piece: ' Take care.' });
  await next('end');
  t.deepEqual(events.slice(2), [sentence('Take care.'), finished]);
});

test('a sentence is cut where a control stands in it', async (t) => {
  const { events } = await hear(t, ['I press one <keys press="1"/> and wait.']);
  t.deepEqual(events, [
    sentence('I press one'),
    { type: 'reply.control', control: { act: 'press_keys', keys: '1' } },
    sentence('and wait.'),
    finished,
  ]);
});

test('a reply may be a control alone, or declare that it says nothing', async (t) => {
  t.deepEqual((await hear(t, ['<hangup/>'])).events, [hangUp, finished]);
  t.deepEqual((await hear(t, [' <silence/>\n'])).events, [finished]);
});

test('where the binding lets it only speak, a control is left out of what is spoken, as any tag', async (t) => {
  const { events } = await hear(t, ['Goodbye.<hangup/>', { controls: [{ hangup: {} }] }], false);
  t.deepEqual(events, [sentence('Goodbye.'), finished]);
  t.like((await hear(t, ['<hangup/>'], false)).events, [{ type: 'reply.failed', failure: 'no_reply' }]);
});

test('what an answer lists beside its text comes behind it', async (t) => {
  const { events } = await hear(t, ['Goodbye', { controls: [{ keys: { press: '9' } }, { hangup: {} }] }]);
  t.deepEqual(events, [
    sentence('Goodbye'),
    { type: 'reply.control', control: { act: 'press_keys', keys: '9' } },
    hangUp,
    finished,
  ]);
});

test('what is wrong is left out and logged without its words', async (t) => {
  const { events, log, logged } = await hear(t, ['One.<keys press="비밀"/> Two.<dance secret="비밀"/>']);
  t.deepEqual(events, [sentence('One.'), sentence('Two.'), finished]);
  t.is(log().length, 2);
  t.notRegex(logged.join(''), /비밀|dance/);
});

test('a control within a thought is none', async (t) => {
  const { events } = await hear(t, ['<think>I could <hangup/> now.</think>Hello.']);
  t.deepEqual(events, [sentence('Hello.'), finished]);
});

test('angle brackets that are no controls are spoken as before', async (t) => {
  for (const text of ['3 < 4 and 5 > 4.', 'a <b and c.', 'It is <b>bold</b>.', 'Well <hangup, then.']) {
    const { events } = await hear(t, [text]);
    t.deepEqual(events, (await hear(t, [text], false)).events, text);
  }
});

test('the end of a message is one, also within a tag', async (t) => {
  const { events } = await hear(t, ['One <', sentenceEnd, 'Two.']);
  t.deepEqual(events, (await hear(t, ['One <', sentenceEnd, 'Two.'], false)).events);
});

test('a reply that fails has done what came before', async (t) => {
  const { agent, next } = scriptedAgent();
  const { events } = setUp(t, { ...agent, writesControls: true });
  await next({ piece: 'One.<keys press="1"/>Two' });
  await next({ error: new Error('broken') });
  t.deepEqual(
    events.map(({ type }) => type),
    ['reply.sentence', 'reply.control', 'reply.sentence', 'reply.failed'],
  );
});
