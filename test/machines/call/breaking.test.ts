/** Things that break: lines, agents and conversations, and a gateway that closes. */
import test from 'ava';
import type { EndReason, FinalStatus } from '#machines/outcome.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { lineEnds, listening, sayingFarewell, theyHangUp, timesHungUp, type World } from './stages.ts';

test('a lost audio path ends the call with media_error', (t) => {
  const world = listening();
  world.onLine({ type: 'line.failed' });
  t.is(world.state(), 'active.ending');
  t.is(timesHungUp(world), 1);
  lineEnds(world);
  t.is(world.state(), 'failed');
  t.like(world.end(), { reason: 'media_error', status: 'failed' });
});

test('a lost audio path of a line that confirms nothing fails as well', (t) => {
  const world = listening();
  world.onLine({ type: 'line.failed' });
  world.clock.increment(5_000);
  t.is(world.state(), 'failed');
  t.deepEqual(world.end(), { type: 'call.ended', reason: 'media_error', status: 'failed' });
});

test('an agent that fails twice in a row ends the call with agent_error', (t) => {
  const world = createCallWorld();
  world.answer();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.play();
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.state(), 'active.ending');
  lineEnds(world);
  t.is(world.state(), 'failed');
  t.like(world.end(), { reason: 'agent_error', status: 'failed' });
});

test('lasting silence ends the call with silence_timeout, and that is completed', (t) => {
  const world = listening({ silenceTimeoutSec: 30 });
  world.clock.increment(30_000);
  world.play();
  world.clock.increment(30_000);
  t.is(world.state(), 'active.ending');
  lineEnds(world);
  t.is(world.state(), 'completed');
  t.like(world.end(), { reason: 'silence_timeout', status: 'completed' });
});

test('a line that cannot be opened fails the call with system_error', (t) => {
  const world = createCallWorld({}, { lineCrashes: true });
  t.is(world.state(), 'failed');
  t.deepEqual(world.facts, [{ type: 'call.ended', reason: 'system_error', status: 'failed' }]);
  t.deepEqual(world.errors, []);
});

test('a line that crashes in the middle of a call fails it with system_error and aborts the reply', (t) => {
  const world = createCallWorld({}, { lineCrashesOn: 'say' });
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Hello.' });
  t.is(world.state(), 'failed');
  t.deepEqual(world.story(), ['call.answered', 'call.ended']);
  t.like(world.end(), { reason: 'system_error', status: 'failed' });
  t.is(world.counts.repliesAborted, 1);
  t.deepEqual(world.errors, []);
});

test('a line that crashes while it hangs up does not change why the call ended', (t) => {
  const world = createCallWorld({}, { lineCrashesOn: 'hangUp' });
  world.answer();
  world.ask({ type: 'hangup.requested', immediate: true });
  t.is(world.end()?.reason, 'agent_hangup');
  t.deepEqual(world.errors, []);
});

test('a conversation that crashes ends its call with system_error', (t) => {
  const world = createCallWorld({}, { publishCrashes: (fact) => fact.type === 'turn.digit' });
  world.answer();
  world.onLine({ type: 'line.digit', digit: '1' });
  t.is(world.state(), 'active.ending');
  t.is(timesHungUp(world), 1);
  world.hear('Hello?');
  lineEnds(world);
  t.is(world.state(), 'failed');
  t.deepEqual(world.story(), ['call.answered', 'call.ended']);
  t.like(world.end(), { reason: 'system_error', status: 'failed' });
  t.deepEqual(world.errors, []);
});

test('a crashed conversation of a line that confirms nothing ends too', (t) => {
  const world = createCallWorld({}, { publishCrashes: (fact) => fact.type === 'turn.digit' });
  world.answer();
  world.onLine({ type: 'line.digit', digit: '1' });
  world.clock.increment(5_000);
  world.clock.increment(5_000);
  t.is(world.state(), 'failed');
  t.like(world.end(), { reason: 'system_error', status: 'failed' });
});

test('a conversation that crashes over its last words does not keep the call from ending', (t) => {
  const world = createCallWorld({}, { publishCrashes: (fact) => fact.type === 'turn.spoken' });
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Hello.' });
  world.play('Hel');
  theyHangUp(world);
  world.clock.increment(5_000);
  world.clock.increment(5_000);
  t.like(world.end(), { reason: 'counterparty_hangup', status: 'completed' });
  t.is(world.counts.linesClosed, 1);
});

const closing = test.macro<[string, () => World, EndReason, FinalStatus]>({
  exec(t, _, start, reason, status) {
    const world = start();
    world.ask({ type: 'gateway.closing' });
    if (world.state().startsWith('ringing')) world.onLine({ type: 'line.unanswered', cause: 'cancelled' });
    else lineEnds(world);
    t.is(world.state(), status);
    t.is(world.end()?.reason, reason);
    t.is(world.story().filter((type) => type === 'call.ended').length, 1);
    t.is(world.counts.linesClosed, 1);
  },
  title: (_, state, __, reason) => `the gateway closes while the call is ${state}: ${reason}`,
});

test(closing, 'ringing', () => createCallWorld(), 'system_error', 'failed');

test(closing, 'conversing', () => listening(), 'system_error', 'failed');

test(closing, 'hangup-pending', () => sayingFarewell(), 'system_error', 'failed');

test(
  closing,
  'ending',
  () => {
    const world = sayingFarewell();
    world.play();
    return world;
  },
  'agent_hangup',
  'completed',
);
