/** Words of a program, said in the agent's place as soon as the floor is free. */
import test from 'ava';
import { history, isBusy, listening, asked, type World } from './stages.ts';

const say = (world: World, text: string, interrupt = false): void =>
  world.ask({ type: 'say.requested', sentences: [text], interrupt });

test('while nobody speaks they are said at once, and are a turn of the agent', (t) => {
  const world = listening();
  say(world, 'One moment, please.');
  t.is(world.conversationState(), 'saying.sounding');
  t.true(isBusy(world));
  t.is(world.said().at(-1), 'One moment, please.');
  t.deepEqual(world.facts.at(-1), { type: 'say.requested', text: 'One moment, please.', interrupt: false });
  world.play();
  t.is(world.conversationState(), 'listening.silent');
  t.is(world.turns().at(-1), 'assistant: One moment, please.');
  t.is(world.requests.length, 1);
  world.hear('Well?');
  t.deepEqual(history(world).slice(-2), ['assistant: One moment, please.', 'user: Well?']);
});

test('they wait for the reply that is being said, and are a turn of their own', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  say(world, 'One moment, please.');
  say(world, 'I am asking.');
  t.deepEqual(world.said().slice(-1), ['It costs ten thousand won.']);
  world.onReply({ type: 'reply.finished' });
  t.is(world.said().length, 2);
  world.play();
  t.deepEqual(world.said().slice(-2), ['One moment, please.', 'I am asking.']);
  world.play();
  world.play();
  t.deepEqual(world.turns().slice(-2), [
    'assistant: It costs ten thousand won.',
    'assistant: One moment, please. I am asking.',
  ]);
  t.is(world.conversationState(), 'listening.silent');
});

test('they wait for who speaks, and for the answer to it', (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  say(world, 'One moment, please.', true);
  t.is(world.conversationState(), 'listening.hearing');
  world.onLine({ type: 'line.heard', text: 'What is the price?', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
  world.onReply({ type: 'reply.sentence', text: 'Ten thousand won.' });
  world.onReply({ type: 'reply.finished' });
  world.play();
  t.is(world.said().at(-1), 'One moment, please.');
});

test('they are said when a voice was no words', (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  say(world, 'One moment, please.');
  world.clock.increment(30_000);
  t.is(world.said().at(-1), 'One moment, please.');
});

test('with an interruption they are said instead of a reply, which counts as far as it was heard', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  const aborted = world.counts.repliesAborted;
  say(world, 'Stop.', true);
  t.is(world.counts.repliesAborted, aborted + 1);
  t.is(world.commands.at(-1)?.type, 'stopTalking');
  t.is(world.conversationState(), 'listening.settling');
  t.true(isBusy(world));
  world.play('It costs');
  t.is(world.said().at(-1), 'Stop.');
  world.play();
  t.deepEqual(world.turns().slice(-2), ['assistant: It costs', 'assistant: Stop.']);
  t.is(world.conversationState(), 'listening.silent');
});

test('a question of which the answer was interrupted before it began is answered afterwards', (t) => {
  const world = asked();
  say(world, 'One moment, please.', true);
  t.is(world.said().at(-1), 'One moment, please.');
  world.play();
  t.is(world.conversationState(), 'replying.thinking');
  // What is to be answered stands last.
  t.deepEqual(history(world).slice(-2), ['assistant: One moment, please.', 'user: A question.']);
});

test('who speaks into them interrupts them', (t) => {
  const world = listening();
  say(world, 'One moment, please.');
  world.hear('No!');
  t.true(world.commands.some(({ type }) => type === 'stopTalking'));
  world.play('One');
  t.is(world.conversationState(), 'replying.thinking');
  t.is(world.turns().at(-1), 'assistant: One');
});

test('who speaks before they are said is heard first', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  say(world, 'Stop.', true);
  world.onLine({ type: 'line.speech' });
  world.play('It costs');
  t.is(world.conversationState(), 'listening.hearing');
  t.false(world.said().includes('Stop.'));
});

test('on hold nobody would hear them: they are said when the call is taken back', (t) => {
  const world = listening();
  world.onLine({ type: 'line.held' });
  say(world, 'One moment, please.', true);
  t.is(world.conversationState(), 'on-hold');
  world.onLine({ type: 'line.resumed' });
  t.is(world.said().at(-1), 'One moment, please.');
});

test('a hangup that was asked for behind them waits until they were heard', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  say(world, 'Goodbye.', true);
  world.ask({ type: 'hangup.requested', immediate: false });
  world.play('It costs');
  t.is(world.state(), 'active.talking.hangup-pending');
  world.play();
  t.is(world.state(), 'active.ending');
  t.is(world.turns().at(-1), 'assistant: Goodbye.');
});

test('they break a silence: its time begins anew', (t) => {
  const world = listening();
  world.clock.increment(29_000);
  say(world, 'Are you there?');
  world.play();
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
});
