/** While the call is on hold the agent waits. */
import test from 'ava';
import { history, listening } from './stages.ts';

test('on hold the agent waits, however long, and what comes is neither heard nor answered', (t) => {
  const world = listening();
  world.onLine({ type: 'line.held' });
  t.deepEqual(world.facts.at(-1), { type: 'call.held', at: 0 });
  t.is(world.conversationState(), 'on-hold');
  world.hear('Your call is important to us.');
  world.clock.increment(500_000);
  t.is(world.conversationState(), 'on-hold');
  t.is(world.requests.length, 1);
  world.onLine({ type: 'line.resumed' });
  t.deepEqual(world.facts.at(-1), { type: 'call.resumed', at: 500_000 });
  t.is(world.conversationState(), 'listening.silent');
  world.hear('I am back.');
  t.deepEqual(history(world).slice(-1), ['user: I am back.']);
});

test('the time of silence begins anew when a call is taken back from hold', (t) => {
  const world = listening();
  world.clock.increment(29_000);
  world.onLine({ type: 'line.held' });
  world.clock.increment(60_000);
  world.onLine({ type: 'line.resumed' });
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
  world.clock.increment(1);
  t.is(world.conversationState(), 'saying.sounding');
});

test('a reply of which nobody has heard a word before the hold is asked for once more behind it', (t) => {
  const world = listening();
  world.hear('What is the price?');
  world.onLine({ type: 'line.held' });
  t.is(world.counts.repliesAborted, 2);
  world.onLine({ type: 'line.resumed' });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).slice(-1), ['user: What is the price?']);
});

test('a reply that a hold cuts short counts as far as it was heard', (t) => {
  const world = listening();
  world.hear('What is the price?');
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  world.onLine({ type: 'line.held' });
  t.is(world.commands.at(-1)?.type, 'stopTalking');
  world.play('It costs');
  t.is(world.turns().at(-1), 'assistant: It costs');
  world.onLine({ type: 'line.resumed' });
  t.is(world.conversationState(), 'listening.silent');
});

test('a call on hold ends when its other party hangs up, and after its longest time', (t) => {
  const world = listening();
  world.onLine({ type: 'line.held' });
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(world.end(), { reason: 'counterparty_hangup', status: 'completed' });
  const other = listening();
  other.onLine({ type: 'line.held' });
  other.clock.increment(3_600_000);
  t.is(other.commands.at(-1)?.type, 'hangUp');
});
