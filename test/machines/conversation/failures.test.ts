/** A reply that fails is never dead air: apologies, introductions and goodbyes. */
import test from 'ava';
import type { ReplyFailure } from '#machines/reply.ts';
import {
  answered,
  apology,
  asked,
  brokenOff,
  failedGoodbye,
  failedOpening,
  history,
  inbound,
  type World,
} from './stages.ts';

const failures: readonly ReplyFailure[] = [
  'connect_timeout',
  'first_token_timeout',
  'reply_timeout',
  'connection_failed',
  'tls_failed',
  'target_refused',
  'redirect_refused',
  'http_error',
  'invalid_reply',
  'reply_cut_off',
  'reply_too_large',
  'agent_crashed',
];

for (const failure of failures)
  test(`a reply that failed with ${failure} is apologised for, and the call goes on`, (t) => {
    const world = asked();
    world.onReply({ type: 'reply.failed', failure, detail: 'status 500' });
    t.is(world.conversationState(), 'saying.sounding');
    t.deepEqual(world.said(), ['Good morning.', apology]);
    t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 2, failure, detail: 'status 500' });
    world.play();
    t.is(world.conversationState(), 'listening.silent');
    t.deepEqual(world.turns().at(-1), `assistant: ${apology}`);
  });

test('a failure without a detail has none in its fact', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.failed', failure: 'invalid_reply' });
  t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 2, failure: 'invalid_reply' });
});

test('a reply that fails in the middle keeps what was said of it, and is excused as one that broke off', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'I will look it up.' });
  world.onReply({ type: 'reply.failed', failure: 'connection_failed' });
  t.deepEqual(world.said().slice(1), ['I will look it up.', brokenOff]);
  t.deepEqual(world.facts.at(-1), {
    type: 'reply.failed',
    turn: 2,
    failure: 'connection_failed',
    begun: true,
  });
  world.play();
  t.is(world.conversationState(), 'saying.sounding');
  world.play();
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.turns().at(-1), `assistant: I will look it up. ${brokenOff}`);
});

test('a reply of which everything was heard before it broke off is excused in the same way', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'I will look' });
  world.play();
  world.onReply({ type: 'reply.failed', failure: 'reply_cut_off' });
  t.deepEqual(world.said().slice(1), ['I will look', brokenOff]);
  t.is(world.conversationState(), 'saying.sounding');
});

test('a failed kickoff introduces the call and says goodbye before it ends', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.failed', failure: 'first_token_timeout' });
  t.is(world.conversationState(), 'parting');
  t.deepEqual(world.said(), [failedOpening]);
  t.is(world.state(), 'active.talking.conversing', 'the goodbye is still being said');
  world.play();
  t.is(world.state(), 'active.ending');
  t.is(world.actor.getSnapshot().context.endReason, 'agent_error');
  t.deepEqual(world.turns(), [`assistant: ${failedOpening}`]);
});

test('whoever has only said hello to an outbound call is introduced to it as well', (t) => {
  const world = answered();
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.deepEqual(world.said(), [failedOpening]);
});

test('a kickoff that breaks off after its first words is no failed opening: the other party may go on', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'Good morning, I call about' });
  world.onReply({ type: 'reply.failed', failure: 'reply_cut_off' });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(world.said(), ['Good morning, I call about', brokenOff]);
});

test('a caller needs no introduction: the first failure of an inbound call is apologised for', (t) => {
  const world = answered({ ...inbound, greeting: null });
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(world.said(), [apology]);
});

/** The agent has failed once, and was asked again. */
const failedOnce = (): World => {
  const world = asked();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.play();
  world.hear('Hello?');
  return world;
};

test('the second failure in a row says goodbye, and the call ends when it was heard', (t) => {
  const world = failedOnce();
  world.onReply({ type: 'reply.failed', failure: 'reply_timeout' });
  t.is(world.conversationState(), 'parting');
  t.deepEqual(world.said().slice(1), [apology, failedGoodbye]);
  t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 3, failure: 'reply_timeout' });
  t.is(world.state(), 'active.talking.conversing');
  world.play();
  t.is(world.conversationState(), 'closing');
  t.is(world.actor.getSnapshot().context.endReason, 'agent_error');
  t.deepEqual(world.turns().at(-1), `assistant: ${failedGoodbye}`);
});

test('what came before the second failure is heard to its end, and the goodbye behind it', (t) => {
  const world = failedOnce();
  world.onReply({ type: 'reply.sentence', text: 'One.' });
  world.onReply({ type: 'reply.sentence', text: 'Two.' });
  world.onReply({ type: 'reply.failed', failure: 'connection_failed' });
  t.deepEqual(world.said().slice(2), ['One.', 'Two.', failedGoodbye]);
  t.false(world.commands.some(({ type }) => type === 'stopTalking'));
  world.play();
  world.play();
  t.is(world.state(), 'active.talking.conversing');
  world.play();
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.turns().at(-1), `assistant: One. Two. ${failedGoodbye}`);
});

test('words into the goodbye are written down and change nothing', (t) => {
  const world = failedOnce();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.onLine({ type: 'line.speech' });
  world.onLine({ type: 'line.heard', text: 'What?', backchannel: false });
  t.is(world.conversationState(), 'parting');
  t.false(world.commands.some(({ type }) => type === 'stopTalking'));
  t.is(world.requests.length, 3);
  t.deepEqual(world.turns().at(-1), 'user: What?');
  world.play();
  t.is(world.actor.getSnapshot().context.endReason, 'agent_error');
});

test('a line that never reports the goodbye is not waited for without end', (t) => {
  const world = failedOnce();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.clock.increment(119_999);
  t.is(world.conversationState(), 'parting');
  world.clock.increment(1);
  t.is(world.actor.getSnapshot().context.endReason, 'agent_error');
});

test('an interrupted reply between two failures is no success', (t) => {
  const world = failedOnce();
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'parting');
});

test('a success between two failures forgives the first', (t) => {
  const world = failedOnce();
  world.replyAndPlay('Here I am.');
  world.hear('And now?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(world.said().slice(1), [apology, 'Here I am.', apology]);
});

test('a chosen silence between two failures is a success too', (t) => {
  const world = failedOnce();
  world.onReply({ type: 'reply.finished' });
  world.hear('And now?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'saying.sounding');
});

test('a reply that crashes is apologised for like one that failed', (t) => {
  const world = asked({}, { replyCrashes: (turn) => turn === 2 });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 2, failure: 'agent_crashed' });
  world.play();
  world.hear('Hello?');
  world.replyAndPlay('Here I am.');
  t.deepEqual(world.turns().slice(2), [`assistant: ${apology}`, 'user: Hello?', 'assistant: Here I am.']);
});

test('a second crash in a row ends the conversation', (t) => {
  const world = asked({}, { replyCrashes: (turn) => turn > 1 });
  world.play();
  world.hear('Hello?');
  t.is(world.conversationState(), 'parting');
  t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 3, failure: 'agent_crashed' });
  world.play();
  t.is(world.actor.getSnapshot().context.endReason, 'agent_error');
});

test('an apology can be interrupted', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.onLine({ type: 'line.speech' });
  world.play('');
  world.onLine({ type: 'line.heard', text: 'Hello?', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).slice(-2), ['user: A question.', 'user: Hello?']);
});
