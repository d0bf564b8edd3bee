/** Silence: the reprompt, what breaks it, and a conversation that closes. */
import test from 'ava';
import { answered, asked, listening, reprompt } from './stages.ts';

test('after the silence time-out the other party is asked once', (t) => {
  const world = listening();
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
  world.clock.increment(1);
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(world.said(), ['Good morning.', reprompt]);
  t.is(world.requests.length, 1);
});

test('silence after the reprompt ends the conversation', (t) => {
  const world = listening();
  world.clock.increment(30_000);
  world.clock.increment(2_000);
  world.play();
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
  world.clock.increment(1);
  t.is(world.conversationState(), 'closing');
  t.deepEqual(world.said(), ['Good morning.', reprompt]);
  t.is(world.actor.getSnapshot().context.endReason, 'silence_timeout');
});

test('the silence counts from the end of what the agent said', (t) => {
  const world = answered();
  world.clock.increment(40_000);
  world.onReply({ type: 'reply.sentence', text: 'A very long sentence.' });
  world.clock.increment(40_000);
  world.onReply({ type: 'reply.finished' });
  world.play();
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
});

test('words reset the silence and the reprompt', (t) => {
  const world = listening();
  world.clock.increment(30_000);
  world.play();
  world.clock.increment(29_000);
  world.hear('I am here.');
  world.replyAndPlay('Good.');
  world.clock.increment(30_000);
  t.is(world.conversationState(), 'saying.sounding', 'asked once more, because there were words between');
  t.deepEqual(world.said(), ['Good morning.', reprompt, 'Good.', reprompt]);
});

test('noise says nothing, so it does not break the silence', (t) => {
  const world = listening();
  for (const second of [10_000, 10_000, 10_000]) {
    world.onLine({ type: 'line.digit', digit: '1' });
    world.clock.increment(second);
  }
  t.is(world.conversationState(), 'saying.sounding');
});

test('somebody who speaks longer than the silence time-out is not talked over', (t) => {
  const world = listening({ silenceTimeoutSec: 5 });
  world.onLine({ type: 'line.speech' });
  world.clock.increment(20_000);
  t.is(world.conversationState(), 'listening.hearing');
  t.deepEqual(world.said(), ['Good morning.']);
  world.onLine({ type: 'line.heard', startedAt: 0, text: 'A long complaint.', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
});

test('somebody who goes on speaking is still listened to', (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  world.clock.increment(29_000);
  world.onLine({ type: 'line.speech' });
  world.clock.increment(29_000);
  t.is(world.conversationState(), 'listening.hearing');
});

test('speech of which no words come is silence after a while', (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  world.clock.increment(30_000);
  t.is(world.conversationState(), 'listening.silent');
  world.clock.increment(30_000);
  t.is(world.conversationState(), 'saying.sounding');
});

test('a reprompt is no success of the agent', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.play();
  world.clock.increment(30_000);
  world.play();
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'parting');
});

test('a closing conversation aborts its reply, asks for no other and writes down what was heard', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'One.' });
  world.onReply({ type: 'reply.sentence', text: 'Two.' });
  world.ask({ type: 'gateway.closing' });
  t.is(world.conversationState(), 'closing');
  t.is(world.counts.repliesAborted, 1);
  world.play();
  t.deepEqual(world.turns(), [], 'the second sentence is not reported yet');
  world.play('Tw');
  world.hear('Hello?');
  world.clock.increment(1_000);
  t.deepEqual(world.turns(), ['assistant: One. Tw']);
  t.is(world.requests.length, 1);
});

test('a conversation that closes while the other party speaks has nothing to add', (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  world.ask({ type: 'gateway.closing' });
  t.is(world.conversationState(), 'closing');
  t.deepEqual(world.turns(), ['assistant: Good morning.']);
});
