/** Call chart: ringing, audio, hangup, and the first cause of the end as end reason. */
import test from 'ava';
import type { UnansweredCause } from '#machines/line.ts';
import { type EndReason, type FinalStatus, outcomeOf } from '#machines/outcome.ts';
import { callInput, createCallWorld } from '#test/helpers/call-world.ts';
import { someRoute, someSound } from '#test/helpers/some-sound.ts';
import {
  lastCommand,
  lineEnds,
  listening,
  sayingFarewell,
  sip,
  theyHangUp,
  timesHungUp,
  type World,
} from './call/stages.ts';

// Ringing
// From the first ring to the answer, or to the end of an unanswered call.

test('a new call is ringing and passes number, language and settings to its line', (t) => {
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

test('ignores ringing reported by the far end', (t) => {
  const world = createCallWorld();
  world.onLine({ type: 'line.ringing' });
  t.is(world.state(), 'ringing.alerting');
  t.deepEqual(world.facts, []);
});

test('an answer makes the call active and records the time and the SIP details', (t) => {
  const world = createCallWorld();
  world.clock.increment(1_000);
  world.onLine({ type: 'line.answered', sip: { status: 200, reason: 'OK', callId: 'x' } });
  t.is(world.state(), 'active.talking.conversing');
  t.deepEqual(world.facts, [
    { type: 'call.answered', at: 1_000, sip: { status: 200, reason: 'OK', callId: 'x' } },
  ]);
});

test('omits SIP details from facts when the line reports none', (t) => {
  const world = createCallWorld();
  world.answer();
  theyHangUp(world);
  t.deepEqual(world.facts, [
    { type: 'call.answered', at: 0 },
    { type: 'call.ended', at: 0, reason: 'counterparty_hangup', status: 'completed' },
  ]);
});

test('cancels the line at the ring time-out and records the SIP details that the line reports', (t) => {
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

test('ends a call that was cancelled right after its answer with what the line says of it', (t) => {
  const world = createCallWorld();
  world.ask({ type: 'cancel.requested' });
  world.answer();
  world.onLine({ type: 'line.ended', by: 'gateway', sip });
  t.like(world.end(), { reason: 'cancelled', status: 'no_answer', sip });
});

test('ends a cancelled call even if its line never reports the result', (t) => {
  const world = createCallWorld({ hangUpTimeoutMs: 5_000 });
  world.ask({ type: 'cancel.requested' });
  world.clock.increment(4_999);
  t.deepEqual(world.facts, []);
  world.clock.increment(1);
  t.deepEqual(world.facts, [{ type: 'call.ended', reason: 'cancelled', status: 'no_answer' }]);
  t.is(world.counts.linesClosed, 1);
});

test('ignores an answer that crosses the CANCEL', (t) => {
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

test('stops the ring timer at the answer', (t) => {
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
  title: (_, cause, status) => `an unanswered call that ends with ${cause} gets the status ${status}`,
});

test(unanswered, 'no_answer', 'no_answer');

test(unanswered, 'busy', 'no_answer');

test(unanswered, 'declined', 'no_answer');

test(unanswered, 'cancelled', 'no_answer');

test(unanswered, 'invalid_number', 'failed');

test(unanswered, 'trunk_error', 'failed');

test(unanswered, 'media_error', 'failed');

test('ends a ringing call as cancelled on a cancel', (t) => {
  const world = createCallWorld();
  world.ask({ type: 'cancel.requested' });
  t.deepEqual(world.commands, [{ type: 'hangUp' }]);
  world.onLine({ type: 'line.unanswered', cause: 'cancelled', sip });
  t.is(world.state(), 'no_answer');
  t.deepEqual(world.facts, [{ type: 'call.ended', at: 0, reason: 'cancelled', status: 'no_answer', sip }]);
  t.is(world.counts.linesClosed, 1);
});

test('rejects a cancel after the answer', (t) => {
  const world = listening();
  world.ask({ type: 'cancel.requested' });
  t.is(world.state(), 'active.talking.conversing');
});

test('rejects a hangup while the call is ringing', (t) => {
  const world = createCallWorld();
  world.ask({ type: 'hangup.requested', immediate: true });
  t.is(world.state(), 'ringing.alerting');
  t.deepEqual(world.facts, []);
});

test('answers and greets an inbound call, then listens to the caller', (t) => {
  const world = createCallWorld({ direction: 'inbound', kickoff: null, greeting: 'Hello, how can I help?' });
  world.answer();
  t.is(world.conversationState(), 'saying.sounding');
  world.play();
  world.hear('I have a question.');
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(world.turns(), ['assistant: Hello, how can I help?', 'user: I have a question.']);
});

test('ends an inbound call as cancelled if the caller hangs up before the answer', (t) => {
  const world = createCallWorld({ direction: 'inbound', kickoff: null });
  world.onLine({ type: 'line.unanswered', cause: 'cancelled' });
  t.like(world.end(), { reason: 'cancelled', status: 'no_answer' });
});

// Audio
// Facts of a call about its trunk and its audio.

test('emits the trunk with the answer and the audio statistics with the end', (t) => {
  const world = createCallWorld();
  world.onLine({ type: 'line.answered', route: someRoute });
  world.ask({ type: 'hangup.requested', immediate: true });
  world.onLine({ type: 'line.ended', by: 'gateway', route: someRoute, sound: someSound });
  t.like(world.facts[0], { type: 'call.answered', route: someRoute });
  t.like(world.end(), { type: 'call.ended', route: someRoute, sound: someSound });
});

test('omits trunk and audio statistics when the line reports none', (t) => {
  const world = listening();
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  const end = world.end();
  t.truthy(end);
  t.false(Object.hasOwn(end ?? {}, 'route'));
  t.false(Object.hasOwn(end ?? {}, 'sound'));
});

test('emits a fact for one-way audio during the call and during its end', (t) => {
  const world = listening();
  world.onLine({ type: 'line.one_way', missing: 'nothing_received' });
  t.like(world.facts.at(-1), { type: 'sound.one_way', missing: 'nothing_received' });
  t.is(world.state(), 'active.talking.conversing');
  world.ask({ type: 'hangup.requested', immediate: true });
  world.onLine({ type: 'line.one_way', missing: 'nothing_delivered' });
  t.like(world.facts.at(-1), { type: 'sound.one_way', missing: 'nothing_delivered' });
});

// Requests
// Requests to a talking call other than hangup: DTMF digits and recording pauses.

test("sends the agent's DTMF digits to the line without a change of state", (t) => {
  const world = sayingFarewell();
  world.actor.send({ type: 'keys.requested', keys: '1w#' });
  t.is(world.state(), 'active.talking.hangup-pending');
  t.deepEqual(world.commands.at(-1), { type: 'press', keys: '1w#' });
  t.not(world.facts.at(-1)?.type, 'keys.pressed', 'they have not gone out yet');
  world.onLine({ type: 'line.pressed', keys: '1w#' });
  t.like(world.facts.at(-1), { type: 'keys.pressed', keys: '1w#' });
  world.onLine({ type: 'line.press_failed', keys: '2' });
  t.like(world.facts.at(-1), { type: 'keys.failed', keys: '2' });
});

test('pauses and resumes the recording only once for repeated requests', (t) => {
  const world = createCallWorld({ recording: true });
  world.answer();
  const begun = world.commands.length;
  for (const type of ['resume', 'pause', 'pause', 'resume', 'resume', 'pause'] as const)
    world.ask({ type: `recording.${type}_requested` });
  t.deepEqual(
    world.commands.slice(begun).map(({ type }) => type),
    ['pauseRecording', 'resumeRecording', 'pauseRecording'],
  );
  t.deepEqual(
    world.story().filter((type) => type.startsWith('recording.')),
    ['recording.paused', 'recording.resumed', 'recording.paused'],
  );
  t.is(world.state(), 'active.talking.conversing');
});

test('pauses the recording during a farewell without interrupting it', (t) => {
  const world = createCallWorld({ recording: true });
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Goodbye.' });
  world.ask({ type: 'hangup.requested', immediate: false });
  world.ask({ type: 'recording.pause_requested' });
  t.is(world.state(), 'active.talking.hangup-pending');
  t.is(world.commands.at(-1)?.type, 'pauseRecording');
});

test('rejects a recording pause when the call is not recorded or not answered', (t) => {
  const unrecorded = createCallWorld({ recording: false });
  unrecorded.answer();
  unrecorded.ask({ type: 'recording.pause_requested' });
  const ringing = createCallWorld({ recording: true });
  ringing.ask({ type: 'recording.pause_requested' });
  ringing.answer();
  for (const { commands, facts } of [unrecorded, ringing]) {
    t.false(commands.some(({ type }) => type === 'pauseRecording'));
    t.false(facts.some(({ type }) => type === 'recording.paused'));
  }
});

// Failures
// Failing lines, agents and conversations, and a gateway that shuts down.

test('ends the call with media_error when the audio path is lost', (t) => {
  const world = listening();
  world.onLine({ type: 'line.failed' });
  t.is(world.state(), 'active.ending');
  t.is(timesHungUp(world), 1);
  lineEnds(world);
  t.is(world.state(), 'failed');
  t.like(world.end(), { reason: 'media_error', status: 'failed' });
});

test('ends the call as failed when the audio path is lost and the line confirms no hangup', (t) => {
  const world = listening();
  world.onLine({ type: 'line.failed' });
  world.clock.increment(5_000);
  t.is(world.state(), 'failed');
  t.deepEqual(world.end(), { type: 'call.ended', reason: 'media_error', status: 'failed' });
});

test('two consecutive agent failures end the call with agent_error', (t) => {
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

test('ends the call as completed with silence_timeout after long silence', (t) => {
  const world = listening({ silenceTimeoutSec: 30 });
  world.clock.increment(30_000);
  world.play();
  world.clock.increment(30_000);
  t.is(world.state(), 'active.ending');
  lineEnds(world);
  t.is(world.state(), 'completed');
  t.like(world.end(), { reason: 'silence_timeout', status: 'completed' });
});

test('fails the call with system_error if its line cannot be opened', (t) => {
  const world = createCallWorld({}, { lineCrashes: true });
  t.is(world.state(), 'failed');
  t.deepEqual(world.facts, [{ type: 'call.ended', reason: 'system_error', status: 'failed' }]);
  t.deepEqual(world.errors, []);
});

test('fails the call with system_error and aborts the reply if its line crashes', (t) => {
  const world = createCallWorld({}, { lineCrashesOn: 'say' });
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Hello.' });
  t.is(world.state(), 'failed');
  t.deepEqual(world.story(), ['call.answered', 'call.ended']);
  t.like(world.end(), { reason: 'system_error', status: 'failed' });
  t.is(world.counts.repliesAborted, 1);
  t.deepEqual(world.errors, []);
});

test('keeps the end reason if the line crashes during the hangup', (t) => {
  const world = createCallWorld({}, { lineCrashesOn: 'hangUp' });
  world.answer();
  world.ask({ type: 'hangup.requested', immediate: true });
  t.is(world.end()?.reason, 'agent_hangup');
  t.deepEqual(world.errors, []);
});

test('ends the call with system_error if its conversation crashes', (t) => {
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

test('ends the call after a crash of the conversation even if the line confirms no hangup', (t) => {
  const world = createCallWorld({}, { publishCrashes: (fact) => fact.type === 'turn.digit' });
  world.answer();
  world.onLine({ type: 'line.digit', digit: '1' });
  world.clock.increment(5_000);
  world.clock.increment(5_000);
  t.is(world.state(), 'failed');
  t.like(world.end(), { reason: 'system_error', status: 'failed' });
});

test('ends the call if the conversation crashes during its last words', (t) => {
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
  title: (_, state, __, reason) => `a shutdown ends a call in state ${state} with ${reason}`,
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

// Ending
// Maximum duration, hangup by either party, and events that still count afterwards.

test('counts the maximum duration from the answer', (t) => {
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

test('does not restart the maximum duration after a cancelled hangup', (t) => {
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

test('ends a call with a pending hangup at the maximum duration', (t) => {
  const world = createCallWorld({ maxDurationSec: 60, silenceTimeoutSec: 300, farewellWaitMs: 120_000 });
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Goodbye.' });
  world.ask({ type: 'hangup.requested', immediate: false });
  world.clock.increment(60_000);
  t.is(world.state(), 'active.ending');
  lineEnds(world);
  t.like(world.end(), { reason: 'max_duration' });
});

test('a hangup in progress is not repeated or delayed at the maximum duration', (t) => {
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

test('ends the call when the line does not confirm the hangup in time', (t) => {
  const world = listening();
  world.ask({ type: 'hangup.requested', immediate: true });
  world.clock.increment(4_999);
  t.is(world.state(), 'active.ending');
  world.clock.increment(1);
  t.is(world.state(), 'completed');
  t.deepEqual(world.end(), { type: 'call.ended', reason: 'agent_hangup', status: 'completed' });
  t.is(world.counts.linesClosed, 1);
});

test('stores the heard part of a sentence if the line confirms no hangup and reports no playback', (t) => {
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

test('stores the heard part of a sentence if the line ends without reporting it', (t) => {
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

test("completes the call with the time and SIP details of the other party's hangup", (t) => {
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

test('does not attribute the end to the other party if the network cut the call', (t) => {
  const world = listening();
  const reasons = [{ protocol: 'Q.850', cause: 41, text: 'Temporary failure' }];
  const details = { status: 200, reason: 'OK', callId: 'x', reasons };
  world.onLine({ type: 'line.ended', by: 'network', sip: details });
  t.is(world.state(), 'completed');
  t.like(world.end(), { reason: 'trunk_error', status: 'completed', sip: details });
  t.is(timesHungUp(world), 0);
});

test('stores the heard part of a sentence when the other party hangs up during it', (t) => {
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

test('aborts the agent request when the other party hangs up during it', (t) => {
  const world = createCallWorld();
  world.answer();
  theyHangUp(world);
  t.is(world.counts.repliesAborted, 1);
  t.deepEqual(world.story(), ['call.answered', 'call.ended']);
});

test('ignores speech of the other party while the call is being hung up', (t) => {
  const world = sayingFarewell();
  world.play();
  world.hear('Wait!');
  t.is(world.state(), 'active.ending');
  lineEnds(world);
  t.like(world.end(), { reason: 'agent_hangup' });
  t.deepEqual(world.turns(), ['assistant: Goodbye.']);
});

test('does not speak a reply that arrives while the call is being hung up', (t) => {
  const world = createCallWorld();
  world.answer();
  const reply = world.currentReply();
  world.ask({ type: 'hangup.requested', immediate: true });
  reply({ type: 'reply.sentence', text: 'Too late.' });
  t.deepEqual(world.said(), []);
});

test('emits no facts and no commands after the end of the call', (t) => {
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

test('accepts only playback reports once the end of the call is decided', (t) => {
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

test('writes the end reason with the last fact of a call', (t) => {
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

test('has tags for ringing and talking', (t) => {
  const world = createCallWorld();
  const tags = (): string[] => [...world.actor.getSnapshot().tags];
  t.deepEqual(tags(), ['ringing']);
  world.answer();
  t.deepEqual(tags(), ['talking']);
  world.ask({ type: 'hangup.requested', immediate: true });
  t.deepEqual(tags(), []);
});

// Hangup
// A hangup that waits for the farewell, and one that does not.

test('a hangup waits until the farewell was played, not merely sent to the line', (t) => {
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

test('a hangup does not cut off an unfinished reply when its first sentences were played', (t) => {
  const world = createCallWorld();
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Thank you.' });
  world.play();
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.onReply({ type: 'reply.finished' });
  t.is(world.state(), 'active.ending');
});

test('a hangup during an agent request waits for the pending reply', (t) => {
  const world = createCallWorld();
  world.answer();
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.replyAndPlay('Goodbye.');
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.turns(), ['assistant: Goodbye.']);
});

test('a hangup during an agent request ends the call when the agent chooses silence', (t) => {
  const world = createCallWorld();
  world.answer();
  world.ask({ type: 'hangup.requested', immediate: false });
  world.onReply({ type: 'reply.finished' });
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.turns(), []);
});

test('a hangup ends the call at once when the agent is silent', (t) => {
  const world = listening();
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.story(), ['call.answered', 'turn.spoken', 'call.hangup_requested']);
});

test('a hangup waits for the farewell at most for the maximum farewell time', (t) => {
  const world = sayingFarewell();
  world.clock.increment(30_000);
  t.is(world.state(), 'active.ending');
  lineEnds(world);
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed' });
});

test('ignores a second hangup while one is pending', (t) => {
  const world = sayingFarewell();
  world.clock.increment(20_000);
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.talking.hangup-pending');
  t.is(world.story().filter((type) => type === 'call.hangup_requested').length, 1);
  world.clock.increment(10_000);
  t.is(world.state(), 'active.ending');
});

test('an immediate hangup does not wait for the farewell', (t) => {
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

test('an immediate hangup replaces a pending one', (t) => {
  const world = sayingFarewell();
  world.ask({ type: 'hangup.requested', immediate: true });
  t.is(world.state(), 'active.ending');
  t.deepEqual(
    world.facts.filter((fact) => fact.type === 'call.hangup_requested').map(({ immediate }) => immediate),
    [false, true],
  );
});

test('ignores a hangup after the end was decided', (t) => {
  const world = sayingFarewell();
  world.play();
  world.ask({ type: 'hangup.requested', immediate: true });
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.ending');
  t.is(timesHungUp(world), 1);
  t.is(world.story().filter((type) => type === 'call.hangup_requested').length, 1);
});

test('a hangup after a cancelled one waits for the full time again', (t) => {
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

test('attributes the end to the other party if it hangs up during the farewell', (t) => {
  const world = sayingFarewell();
  theyHangUp(world);
  t.like(world.end(), { reason: 'counterparty_hangup', status: 'completed' });
});

test('words of the other party cancel a hangup requested while they were spoken', (t) => {
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

// Cancelled hangup
// Words during the farewell cancel a hangup; a backchannel or a DTMF digit does not.

test('speech during the farewell cancels the hangup and continues the call', (t) => {
  const world = sayingFarewell();
  world.clock.increment(500);
  world.onLine({ type: 'line.speech' });
  t.is(world.state(), 'active.talking.conversing');
  t.deepEqual(world.facts.at(-1), { type: 'call.hangup_cancelled', at: 500 });
  t.is(lastCommand(world), 'stopTalking');
  world.play('Good');
  world.onLine({ type: 'line.heard', text: 'Wait!', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
  world.clock.increment(30_000);
  t.is(world.state(), 'active.talking.conversing');
  t.deepEqual(world.turns(), ['assistant: Good', 'user: Wait!']);
});

test('words during the farewell cancel the hangup even without a speech event before them', (t) => {
  const world = sayingFarewell();
  world.onLine({ type: 'line.heard', text: 'One more thing.', backchannel: false });
  t.is(world.state(), 'active.talking.conversing');
  t.is(lastCommand(world), 'stopTalking');
  t.deepEqual(world.story(), [
    'call.answered',
    'call.hangup_requested',
    'call.hangup_cancelled',
    'turn.spoken',
  ]);
});

test('a backchannel does not cancel the hangup', (t) => {
  const world = sayingFarewell();
  world.onLine({ type: 'line.heard', text: '네', backchannel: true });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.play();
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.turns(), ['user: 네', 'assistant: Goodbye.']);
});

test('answers speech during the farewell of a gateway shutdown, but still ends the call', (t) => {
  const world = createCallWorld();
  world.answer();
  world.replyAndPlay('How are you?');
  world.onLine({ type: 'line.speech' });
  world.ask({ type: 'hangup.requested', immediate: false, isFinal: true });
  world.onLine({ type: 'line.heard', text: 'Fine.', backchannel: false });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.onReply({ type: 'reply.sentence', text: 'Good.' });
  world.onReply({ type: 'reply.finished' });
  world.onLine({ type: 'line.speech' });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.play('');
  world.onLine({ type: 'line.heard', text: 'And you?', backchannel: false });
  world.replyAndPlay('Fine as well.');
  t.is(world.state(), 'active.ending');
  t.false(world.story().includes('call.hangup_cancelled'));
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed' });
});

test('a gateway shutdown makes a pending hangup irrevocable', (t) => {
  const world = sayingFarewell();
  world.ask({ type: 'hangup.requested', immediate: false, isFinal: true });
  world.onLine({ type: 'line.heard', text: 'Wait!', backchannel: false });
  t.is(world.state(), 'active.talking.hangup-pending');
  t.is(world.story().filter((type) => type === 'call.hangup_requested').length, 1);
});

test('a DTMF digit does not cancel the hangup', (t) => {
  const world = sayingFarewell();
  world.onLine({ type: 'line.digit', digit: '#' });
  t.is(world.state(), 'active.talking.hangup-pending');
  t.deepEqual(world.facts.at(-1), { type: 'turn.digit', at: 0, digit: '#' });
});

// First cause
// A call ends once: its first cause is its end reason, whatever follows.

type Cause = readonly [EndReason, (world: World) => void];

const causes: readonly Cause[] = [
  ['agent_hangup', (world) => world.ask({ type: 'hangup.requested', immediate: true })],
  ['max_duration', (world) => world.clock.increment(60_000)],
  ['media_error', (world) => world.onLine({ type: 'line.failed' })],
  ['system_error', (world) => world.ask({ type: 'gateway.closing' })],
  [
    'agent_error',
    (world) => {
      world.onReply({ type: 'reply.failed', failure: 'http_error' });
      world.play();
      world.hear('Hello?');
      world.onReply({ type: 'reply.failed', failure: 'http_error' });
    },
  ],
  ['counterparty_hangup', (world) => theyHangUp(world)],
];

const firstWins = test.macro<[Cause, Cause]>({
  exec(t, [reason, first], [, second]) {
    const world = createCallWorld({
      maxDurationSec: 60,
      silenceTimeoutSec: 300,
      hangUpTimeoutMs: 100_000,
      farewellWaitMs: 300_000,
    });
    world.answer();
    first(world);
    second(world);
    lineEnds(world);
    t.is(world.end()?.reason, reason);
    t.is(world.end()?.status, outcomeOf(reason, true).status);
    t.is(world.story().filter((type) => type === 'call.ended').length, 1);
  },
  title: (_, [first], [second]) => `keeps the end reason of ${first} although ${second} follows`,
});

for (const first of causes)
  for (const second of causes)
    if (first !== second && first[0] !== 'counterparty_hangup' && second[0] !== 'agent_error')
      test(firstWins, first, second);
