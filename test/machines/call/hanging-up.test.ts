/** A hangup that waits for the farewell, and one that does not. */
import test from 'ava';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { lastCommand, lineEnds, listening, sayingFarewell, theyHangUp, timesHungUp } from './stages.ts';

test('a hangup waits until the farewell was played, not merely sent', (t) => {
  const world = sayingFarewell();
  t.is(world.state(), 'active.talking.hangup-pending');
  t.is(lastCommand(world), 'expectHangup');
  world.clock.increment(29_999);
  t.is(world.state(), 'active.talking.hangup-pending');
  world.play();
  t.is(world.state(), 'active.ending');
  t.is(timesHungUp(world), 1);
  lineEnds(world);
  t.is(world.state(), 'completed');
  t.deepEqual(world.story(), ['call.answered', 'call.hangup_requested', 'turn.spoken', 'call.ended']);
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed', at: 29_999 });
});

test('a hangup waits for the last of several sentences', (t) => {
  const world = createCallWorld();
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Thank you.' });
  world.ask({ type: 'hangup.requested', immediate: false });
  world.onReply({ type: 'reply.sentence', text: 'Goodbye.' });
  world.play();
  t.is(world.state(), 'active.talking.hangup-pending');
  world.onReply({ type: 'reply.finished' });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.play();
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.turns(), ['assistant: Thank you. Goodbye.']);
});

test('a hangup does not cut off a reply whose sentences were played while more of it is still produced', (t) => {
  const world = createCallWorld();
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Thank you.' });
  world.play();
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.onReply({ type: 'reply.finished' });
  t.is(world.state(), 'active.ending');
});

test('a hangup while the agent thinks waits for the reply that is still to come', (t) => {
  const world = createCallWorld();
  world.answer();
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.replyAndPlay('Goodbye.');
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.turns(), ['assistant: Goodbye.']);
});

test('a hangup while the agent thinks ends when the agent chooses silence', (t) => {
  const world = createCallWorld();
  world.answer();
  world.ask({ type: 'hangup.requested', immediate: false });
  world.onReply({ type: 'reply.finished' });
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.turns(), []);
});

test('a hangup when the agent is quiet ends the call at once', (t) => {
  const world = listening();
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.story(), ['call.answered', 'turn.spoken', 'call.hangup_requested']);
});

test('the farewell is waited for at the latest for its time', (t) => {
  const world = sayingFarewell();
  world.clock.increment(30_000);
  t.is(world.state(), 'active.ending');
  lineEnds(world);
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed' });
});

test('a second hangup while one is pending changes nothing and does not lengthen the wait', (t) => {
  const world = sayingFarewell();
  world.clock.increment(20_000);
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.talking.hangup-pending');
  t.is(world.story().filter((type) => type === 'call.hangup_requested').length, 1);
  world.clock.increment(10_000);
  t.is(world.state(), 'active.ending');
});

test('an immediate hangup does not wait', (t) => {
  const world = createCallWorld();
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'I was going to say' });
  world.ask({ type: 'hangup.requested', immediate: true });
  t.is(world.state(), 'active.ending');
  t.is(lastCommand(world), 'hangUp');
  t.deepEqual(world.facts.at(-1), { type: 'call.hangup_requested', immediate: true });
  world.play('I was');
  lineEnds(world);
  t.deepEqual(world.turns(), ['assistant: I was']);
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed' });
});

test('an immediate hangup ends a pending one at once', (t) => {
  const world = sayingFarewell();
  world.ask({ type: 'hangup.requested', immediate: true });
  t.is(world.state(), 'active.ending');
  t.deepEqual(
    world.facts.filter((fact) => fact.type === 'call.hangup_requested').map(({ immediate }) => immediate),
    [false, true],
  );
});

test('a hangup after the end was decided is nothing new', (t) => {
  const world = sayingFarewell();
  world.play();
  world.ask({ type: 'hangup.requested', immediate: true });
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.ending');
  t.is(timesHungUp(world), 1);
  t.is(world.story().filter((type) => type === 'call.hangup_requested').length, 1);
});

test('a hangup can be asked for again after it was cancelled, with the whole wait', (t) => {
  const world = sayingFarewell();
  world.clock.increment(20_000);
  world.hear('Wait!');
  world.play('');
  t.is(world.conversationState(), 'replying.thinking');
  world.ask({ type: 'hangup.requested', immediate: false });
  world.clock.increment(29_999);
  t.is(world.state(), 'active.talking.hangup-pending');
  world.clock.increment(1);
  t.is(world.state(), 'active.ending');
});

test('the other party hangs up into the farewell: that is why the call ended', (t) => {
  const world = sayingFarewell();
  theyHangUp(world);
  t.like(world.end(), { reason: 'counterparty_hangup', status: 'completed' });
});

test('a hangup that is asked for while the other party is in the midst of a sentence is cancelled by its words', (t) => {
  const world = createCallWorld();
  world.answer();
  world.replyAndPlay('Thank you, goodbye.');
  world.onLine({ type: 'line.speech' });
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.onLine({ type: 'line.heard', text: 'And the address?', backchannel: false });
  t.is(world.state(), 'active.talking.conversing', 'words after the request cancel it');
  world.replyAndPlay('Main Street 5.');
  t.is(world.state(), 'active.talking.conversing');
  t.deepEqual(world.turns(), [
    'assistant: Thank you, goodbye.',
    'user: And the address?',
    'assistant: Main Street 5.',
  ]);
});
