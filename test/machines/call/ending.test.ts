/** Ends of a call: its longest time, the hangup of either party, and what still counts then. */
import test from 'ava';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { lineEnds, listening, sayingFarewell, sip, theyHangUp, timesHungUp } from './stages.ts';

test('the maximum duration counts from the answer', (t) => {
  const world = createCallWorld({ maxDurationSec: 60, ringTimeoutSec: 45, silenceTimeoutSec: 300 });
  world.clock.increment(40_000);
  world.answer();
  world.clock.increment(59_999);
  t.is(world.state(), 'active.talking.conversing');
  world.clock.increment(1);
  t.is(world.state(), 'active.ending');
  lineEnds(world);
  t.like(world.end(), { reason: 'max_duration', status: 'completed', at: 100_000 });
});

test('a cancelled hangup does not restart the maximum duration', (t) => {
  const world = createCallWorld({ maxDurationSec: 60, silenceTimeoutSec: 300 });
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Goodbye.' });
  world.clock.increment(30_000);
  world.ask({ type: 'hangup.requested', immediate: false });
  world.clock.increment(10_000);
  world.onLine({ type: 'line.speech' });
  t.is(world.state(), 'active.talking.conversing');
  world.clock.increment(19_999);
  t.is(world.state(), 'active.talking.conversing');
  world.clock.increment(1);
  t.is(world.state(), 'active.ending');
  lineEnds(world);
  t.like(world.end(), { reason: 'max_duration' });
});

test('the maximum duration ends a call whose hangup is pending', (t) => {
  const world = createCallWorld({ maxDurationSec: 60, silenceTimeoutSec: 300, farewellWaitMs: 120_000 });
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Goodbye.' });
  world.ask({ type: 'hangup.requested', immediate: false });
  world.clock.increment(60_000);
  t.is(world.state(), 'active.ending');
  lineEnds(world);
  t.like(world.end(), { reason: 'max_duration' });
});

test('the maximum duration does not hang up a second time, nor wait longer, when the end is under way', (t) => {
  const world = createCallWorld({ maxDurationSec: 60, silenceTimeoutSec: 300 });
  world.answer();
  world.clock.increment(58_000);
  world.ask({ type: 'hangup.requested', immediate: true });
  world.clock.increment(4_999);
  t.is(world.state(), 'active.ending');
  t.is(timesHungUp(world), 1);
  world.clock.increment(1);
  t.is(world.state(), 'completed');
  t.like(world.end(), { reason: 'agent_hangup' });
});

test('a line that does not confirm the hangup is given up', (t) => {
  const world = listening();
  world.ask({ type: 'hangup.requested', immediate: true });
  world.clock.increment(4_999);
  t.is(world.state(), 'active.ending');
  world.clock.increment(1);
  t.is(world.state(), 'completed');
  t.deepEqual(world.end(), { type: 'call.ended', reason: 'agent_hangup', status: 'completed' });
  t.is(world.counts.linesClosed, 1);
});

test('what was heard is kept when the line neither confirms the hangup nor reports the rest', (t) => {
  const world = createCallWorld();
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'The first sentence.' });
  world.onReply({ type: 'reply.sentence', text: 'The second sentence.' });
  world.play();
  world.ask({ type: 'hangup.requested', immediate: true });
  world.clock.increment(5_000);
  t.is(world.state(), 'completed');
  t.deepEqual(world.turns(), ['assistant: The first sentence.']);
  t.is(world.story().at(-1), 'call.ended');
});

test('what was heard is kept when the line ends without a report of the rest', (t) => {
  const world = createCallWorld();
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'The first sentence.' });
  world.onReply({ type: 'reply.sentence', text: 'The second sentence.' });
  world.play();
  theyHangUp(world);
  t.is(world.state(), 'completed');
  t.deepEqual(world.turns(), ['assistant: The first sentence.']);
  t.is(world.story().at(-1), 'call.ended');
});

test('the other party hangs up: the call is completed with the time and SIP details of that', (t) => {
  const world = listening();
  world.clock.increment(3_000);
  const details = { status: 200, reason: 'Normal Clearing', callId: 'x' };
  world.onLine({ type: 'line.ended', by: 'counterparty', sip: details });
  t.is(world.state(), 'completed');
  t.deepEqual(world.end(), {
    type: 'call.ended',
    at: 3_000,
    reason: 'counterparty_hangup',
    status: 'completed',
    sip: details,
  });
  t.is(timesHungUp(world), 0);
});

test('the other party hangs up in the middle of a sentence: what was heard is in the transcript', (t) => {
  const world = createCallWorld();
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'This is the whole sentence.' });
  world.play('This is the');
  theyHangUp(world);
  t.is(world.state(), 'completed');
  t.is(world.counts.repliesAborted, 1);
  t.deepEqual(world.turns(), ['assistant: This is the']);
  t.deepEqual(world.story(), ['call.answered', 'turn.spoken', 'call.ended']);
});

test('the other party hangs up while the agent thinks: the request is aborted', (t) => {
  const world = createCallWorld();
  world.answer();
  theyHangUp(world);
  t.is(world.counts.repliesAborted, 1);
  t.deepEqual(world.story(), ['call.answered', 'call.ended']);
});

test('what the other party says while the call is being hung up comes too late', (t) => {
  const world = sayingFarewell();
  world.play();
  world.hear('Wait!');
  t.is(world.state(), 'active.ending');
  lineEnds(world);
  t.like(world.end(), { reason: 'agent_hangup' });
  t.deepEqual(world.turns(), ['assistant: Goodbye.']);
});

test('a reply that comes while the call is being hung up is not said', (t) => {
  const world = createCallWorld();
  world.answer();
  const reply = world.currentReply();
  world.ask({ type: 'hangup.requested', immediate: true });
  reply({ type: 'reply.sentence', text: 'Too late.' });
  t.deepEqual(world.said(), []);
});

test('after the end nothing is published, said or asked any more', (t) => {
  const world = listening();
  theyHangUp(world);
  const facts = [...world.facts];
  const commands = [...world.commands];
  world.hear('Hello?');
  lineEnds(world);
  world.ask({ type: 'gateway.closing' });
  world.clock.increment(3_600_000);
  t.deepEqual(world.facts, facts);
  t.deepEqual(world.commands, commands);
  t.is(world.counts.linesClosed, 1);
});

test('once its end is decided, a call takes in nothing but what was still heard', (t) => {
  const world = sayingFarewell();
  world.ask({ type: 'hangup.requested', immediate: true });
  const before = { facts: [...world.facts], commands: [...world.commands] };
  world.hear('Wait!');
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  world.onLine({ type: 'line.held' });
  world.onLine({ type: 'line.resumed' });
  world.onLine({ type: 'line.failed' });
  world.ask({ type: 'keys.requested', keys: '1' });
  world.ask({ type: 'gateway.closing' });
  world.actor.send({ type: 'say', utterance: 9, text: 'Too late.' });
  t.is(world.state(), 'active.ending');
  t.deepEqual({ facts: world.facts, commands: world.commands }, before);
  world.play('Good');
  lineEnds(world);
  t.deepEqual(world.turns(), ['assistant: Good']);
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed' });
});

test('a call says with its last word how it ended', (t) => {
  const unanswered = createCallWorld();
  unanswered.onLine({ type: 'line.unanswered', cause: 'busy', sip });
  t.deepEqual(unanswered.actor.getSnapshot().output, {
    reason: 'busy',
    status: 'no_answer',
    endedAt: 0,
    sip,
    route: null,
    sound: null,
  });
  const broken = listening();
  broken.onLine({ type: 'line.failed' });
  broken.clock.increment(5_000);
  const output = {
    reason: 'media_error',
    status: 'failed',
    endedAt: null,
    sip: null,
    route: null,
    sound: null,
  };
  t.deepEqual(broken.actor.getSnapshot().output, output);
});

test('a call says by its tags whether it rings or talks', (t) => {
  const world = createCallWorld();
  const tags = (): string[] => [...world.actor.getSnapshot().tags];
  t.deepEqual(tags(), ['ringing']);
  world.answer();
  t.deepEqual(tags(), ['talking']);
  world.ask({ type: 'hangup.requested', immediate: true });
  t.deepEqual(tags(), []);
});
