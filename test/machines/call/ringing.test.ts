/** From the first ring to the answer, or to the end of a call that nobody answered. */
import test from 'ava';
import type { FinalStatus } from '#machines/outcome.ts';
import type { UnansweredCause } from '#machines/line.ts';
import { callInput, createCallWorld } from '#test/helpers/call-world.ts';
import { listening, sip, theyHangUp } from './stages.ts';

test('a new call rings and has opened its line with what it knows', (t) => {
  const speech = { recognizer: 'vosk', synthesizer: 'elevenlabs', voice: 'v' };
  const world = createCallWorld({ recording: true, speech });
  t.is(world.state(), 'ringing.alerting');
  t.is(world.conversationState(), 'gone');
  t.deepEqual(world.facts, []);
  t.deepEqual(world.commands, []);
  t.deepEqual(world.opened, {
    callId: callInput.callId,
    direction: 'outbound',
    from: '0212345678',
    to: '01000000001',
    language: 'en',
    speech,
    recording: true,
    bargeIn: callInput.bargeIn,
    turnEnd: callInput.turnEnd,
  });
});

test('the ringing of the far end changes nothing', (t) => {
  const world = createCallWorld();
  world.onLine({ type: 'line.ringing' });
  t.is(world.state(), 'ringing.alerting');
  t.deepEqual(world.facts, []);
});

test('an answer makes the call active, with its time and what SIP says of it', (t) => {
  const world = createCallWorld();
  world.clock.increment(1_000);
  world.onLine({ type: 'line.answered', sip: { status: 200, reason: 'OK', callId: 'x' } });
  t.is(world.state(), 'active.talking.conversing');
  t.deepEqual(world.facts, [
    { type: 'call.answered', at: 1_000, sip: { status: 200, reason: 'OK', callId: 'x' } },
  ]);
});

test('a line without SIP leaves the details out of its facts', (t) => {
  const world = createCallWorld();
  world.answer();
  theyHangUp(world);
  t.deepEqual(world.facts, [
    { type: 'call.answered', at: 0 },
    { type: 'call.ended', at: 0, reason: 'counterparty_hangup', status: 'completed' },
  ]);
});

test('nobody picks up within the ring time-out: the line is told, and what it says stands in the record', (t) => {
  const world = createCallWorld({ ringTimeoutSec: 45 });
  world.clock.increment(44_999);
  t.is(world.state(), 'ringing.alerting');
  world.clock.increment(1);
  t.is(world.state(), 'ringing.cancelling');
  t.deepEqual(world.commands, [{ type: 'hangUp' }]);
  world.onLine({ type: 'line.unanswered', cause: 'cancelled', sip });
  t.is(world.state(), 'no_answer');
  t.deepEqual(world.facts, [
    { type: 'call.ended', at: 45_000, reason: 'no_answer', status: 'no_answer', sip },
  ]);
  t.is(world.counts.linesClosed, 1);
});

test('a line that does not say what became of a cancelled call is given up', (t) => {
  const world = createCallWorld({ hangUpTimeoutMs: 5_000 });
  world.ask({ type: 'cancel.requested' });
  world.clock.increment(4_999);
  t.deepEqual(world.facts, []);
  world.clock.increment(1);
  t.deepEqual(world.facts, [{ type: 'call.ended', reason: 'cancelled', status: 'no_answer' }]);
  t.is(world.counts.linesClosed, 1);
});

test('an answer that crosses the cancelling comes too late', (t) => {
  const world = createCallWorld();
  world.ask({ type: 'cancel.requested' });
  world.answer();
  world.ask({ type: 'cancel.requested' });
  world.ask({ type: 'gateway.closing' });
  t.is(world.state(), 'ringing.cancelling');
  t.deepEqual(world.facts, []);
  world.onLine({ type: 'line.unanswered', cause: 'cancelled' });
  t.like(world.end(), { reason: 'cancelled', status: 'no_answer' });
});

test('the ring time-out ends with the answer', (t) => {
  const world = createCallWorld({ ringTimeoutSec: 45 });
  world.clock.increment(44_999);
  world.answer();
  world.replyAndPlay('Hello.');
  world.clock.increment(20_000);
  t.is(world.state(), 'active.talking.conversing');
});

const unanswered = test.macro<[UnansweredCause, FinalStatus]>({
  exec(t, cause, status) {
    const world = createCallWorld();
    world.clock.increment(2_000);
    world.onLine({ type: 'line.unanswered', cause, sip });
    t.is(world.state(), status);
    t.deepEqual(world.facts, [{ type: 'call.ended', at: 2_000, reason: cause, status, sip }]);
    t.is(world.counts.linesClosed, 1);
  },
  title: (_, cause, status) => `never answered because of ${cause} is ${status}`,
});

test(unanswered, 'no_answer', 'no_answer');

test(unanswered, 'busy', 'no_answer');

test(unanswered, 'declined', 'no_answer');

test(unanswered, 'cancelled', 'no_answer');

test(unanswered, 'invalid_number', 'failed');

test(unanswered, 'trunk_error', 'failed');

test(unanswered, 'media_error', 'failed');

test('cancelling a ringing call ends it as cancelled', (t) => {
  const world = createCallWorld();
  world.ask({ type: 'cancel.requested' });
  t.deepEqual(world.commands, [{ type: 'hangUp' }]);
  world.onLine({ type: 'line.unanswered', cause: 'cancelled', sip });
  t.is(world.state(), 'no_answer');
  t.deepEqual(world.facts, [{ type: 'call.ended', at: 0, reason: 'cancelled', status: 'no_answer', sip }]);
  t.is(world.counts.linesClosed, 1);
});

test('cancelling comes too late after the answer', (t) => {
  const world = listening();
  world.ask({ type: 'cancel.requested' });
  t.is(world.state(), 'active.talking.conversing');
});

test('a hangup is not for a call that still rings', (t) => {
  const world = createCallWorld();
  world.ask({ type: 'hangup.requested', immediate: true });
  t.is(world.state(), 'ringing.alerting');
  t.deepEqual(world.facts, []);
});

test('an inbound call is answered and greeted, and then the caller is listened to', (t) => {
  const world = createCallWorld({ direction: 'inbound', kickoff: null, greeting: 'Hello, how can I help?' });
  world.answer();
  t.is(world.conversationState(), 'saying.sounding');
  world.play();
  world.hear('I have a question.');
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(world.turns(), ['assistant: Hello, how can I help?', 'user: I have a question.']);
});

test('a caller who is gone before the answer is cancelled', (t) => {
  const world = createCallWorld({ direction: 'inbound', kickoff: null });
  world.onLine({ type: 'line.unanswered', cause: 'cancelled' });
  t.like(world.end(), { reason: 'cancelled', status: 'no_answer' });
});
