/** A call that another process held: how it begins here, and how it goes on. */
import test from 'ava';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { heard, takenOver } from '#test/helpers/taken-over-call.ts';

const worldOf = (...given: Parameters<typeof takenOver>) =>
  createCallWorld({ takenOver: takenOver(...given), maxDurationSec: 100 });

test('the line is told nothing until it is adopted, and then the other party is listened to', (t) => {
  const world = worldOf();
  t.is(world.state(), 'active.taking-over');
  t.true(world.actor.getSnapshot().hasTag('taken-over'));
  t.deepEqual([world.commands, world.facts], [[], []]);
  world.onLine({ type: 'line.adopted' });
  t.is(world.state(), 'active.talking.conversing');
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.facts, [{ type: 'call.taken_over', at: 0, node: 'second' }]);
  world.hear('Are you there?');
  t.deepEqual(world.requests.at(-1), {
    callId: world.actor.getSnapshot().context.callId,
    turn: 4,
    messages: [...heard, { role: 'user', content: 'Are you there?' }],
  });
  world.replyAndPlay('Yes.');
  t.deepEqual(world.turns(), ['user: Are you there?', 'assistant: Yes.']);
});

test('what was not heard whole is said again from its sentence, and makes one turn with what was heard', (t) => {
  const spoken = { startedAt: 1, endedAt: 2, text: 'One.', whole: true };
  const world = worldOf({ resumesAs: 'saying', unsaid: ['Two.', 'Three.'], spoken });
  world.onLine({ type: 'line.adopted' });
  t.deepEqual(world.said(), ['Two.', 'Three.']);
  t.deepEqual(
    world.commands.map((command) => command.type === 'say' && command.utterance),
    [8, 9],
  );
  world.play();
  world.play();
  t.deepEqual(world.turns(), ['assistant: One. Two. Three.']);
  t.is(world.conversationState(), 'listening.silent');
});

test('what was not answered is answered: the reply is asked for once more', (t) => {
  const world = worldOf({ messages: heard.slice(0, 1), unanswered: 1 });
  t.is(world.requests.length, 0);
  world.onLine({ type: 'line.adopted' });
  t.is(world.requests.length, 1);
  t.is(world.conversationState(), 'replying.thinking');
});

test('a reply that came no further than its first words is said as far as it came, with an excuse', (t) => {
  const world = worldOf({ resumesAs: 'broken-off', unsaid: ['I have looked at'] });
  world.onLine({ type: 'line.adopted' });
  t.deepEqual(world.said(), ['I have looked at', 'Sorry, go on.']);
  t.like(world.facts.at(-1), { type: 'reply.failed', failure: 'gateway_lost', begun: true });
  t.is(world.requests.length, 0);
});

test('one of which nothing had come is excused like any other that failed', (t) => {
  const world = worldOf({ resumesAs: 'broken-off', failuresInARow: 0 });
  world.onLine({ type: 'line.adopted' });
  t.deepEqual(world.said(), ['Sorry.']);
  const again = worldOf({ resumesAs: 'broken-off', failuresInARow: 1 });
  again.onLine({ type: 'line.adopted' });
  t.deepEqual(again.said(), ['Sorry, and goodbye.']);
});

test('a goodbye is said again, and ends the call', (t) => {
  const world = worldOf({ resumesAs: 'parting', unsaid: ['Goodbye.'] });
  world.onLine({ type: 'line.adopted' });
  world.play();
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_error' });
});

test('who had put the call on hold is waited for', (t) => {
  const world = worldOf({ resumesAs: 'on-hold', unanswered: 1, messages: heard.slice(0, 1) });
  world.onLine({ type: 'line.adopted' });
  t.is(world.conversationState(), 'on-hold');
  t.is(world.requests.length, 0);
  world.onLine({ type: 'line.resumed' });
  t.is(world.requests.length, 1);
});

test('a message on a machine is left whole', (t) => {
  for (const unsaid of [[], ['Please call us back.']]) {
    const world = worldOf({ resumesAs: 'voicemail', unsaid }, { answeredBy: 'machine' });
    world.onLine({ type: 'line.adopted' });
    t.is(world.state(), 'active.talking.leaving-message');
    if (unsaid.length === 0) {
      t.is(world.voicemailState(), 'awaiting-beep');
      world.onLine({ type: 'line.takes_message' });
    }
    t.deepEqual(world.said(), ['Please call us back.']);
    world.play();
    t.is(world.state(), 'active.ending');
  }
});

test('a pending hangup is still pending, and the farewell is heard first', (t) => {
  const world = worldOf({ resumesAs: 'saying', unsaid: ['Goodbye.'] }, { hangupIsPending: true });
  world.onLine({ type: 'line.adopted' });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.play();
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.deepEqual(world.story(), ['call.taken_over', 'turn.spoken', 'call.ended']);
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed' });
});

test('a call that was being ended is hung up for its first cause', (t) => {
  const world = worldOf({}, { endReason: 'max_duration' });
  world.onLine({ type: 'line.adopted' });
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.commands, [{ type: 'hangUp' }]);
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'max_duration', status: 'completed' });
});

test('a hangup that is asked for meanwhile is not lost', (t) => {
  const pending = worldOf();
  pending.ask({ type: 'hangup.requested', immediate: false });
  t.is(pending.state(), 'active.taking-over');
  pending.onLine({ type: 'line.adopted' });
  t.is(pending.state(), 'active.ending', 'nothing is left to be heard');
  const immediate = worldOf({ resumesAs: 'saying', unsaid: ['A long story.'] });
  immediate.ask({ type: 'hangup.requested', immediate: true });
  immediate.onLine({ type: 'line.adopted' });
  t.is(immediate.state(), 'active.ending');
  t.deepEqual(immediate.said(), []);
});

test('a recording that was paused is paused again', (t) => {
  const world = worldOf({}, { recordingIsPaused: true });
  world.onLine({ type: 'line.adopted' });
  t.deepEqual(world.commands, [{ type: 'pauseRecording' }]);
});

test('the duration that remains counts from the adoption', (t) => {
  const world = worldOf();
  world.clock.increment(3_000);
  world.onLine({ type: 'line.adopted' });
  world.clock.increment(29_999);
  world.hear('Hm.');
  world.clock.increment(70_000);
  t.not(world.state(), 'active.ending');
  world.clock.increment(1);
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'max_duration' });
});

test('what cannot be adopted is ended by a fault, and nobody knows when it really ended', (t) => {
  const unadopted = worldOf();
  unadopted.onLine({ type: 'line.ended', by: 'gateway' });
  const silent = worldOf();
  silent.clock.increment(5_000);
  t.deepEqual(silent.commands, [{ type: 'hangUp' }]);
  silent.clock.increment(10_000);
  for (const world of [unadopted, silent]) {
    t.deepEqual(world.story(), ['call.ended']);
    t.like(world.end(), { reason: 'system_error', status: 'failed', durationIsKnown: false });
  }
});

test('who has hung up meanwhile has ended the call', (t) => {
  const world = worldOf();
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(world.end(), { reason: 'counterparty_hangup', status: 'completed' });
  t.false('durationIsKnown' in (world.end() ?? {}), 'the line has told when');
});
