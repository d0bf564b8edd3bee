/** An outbound call that a machine answers. */
import test from 'ava';
import type { VoicemailPolicy } from '#machines/call-context.ts';
import { callInput, createCallWorld } from '#test/helpers/call-world.ts';

type World = ReturnType<typeof createCallWorld>;

const { voicemailMessage } = callInput;

/** The agent says its first sentence to whoever has answered. */
const talking = (voicemail: VoicemailPolicy, changes: Parameters<typeof createCallWorld>[0] = {}): World => {
  const world = createCallWorld({ voicemail, ...changes });
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Good morning. Am I speaking to Kim?' });
  return world;
};

/** A machine is told and the agent's sentence was cut. */
const atMachine = (changes: Parameters<typeof createCallWorld>[0] = {}): World => {
  const world = talking('leave_message', changes);
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  world.play('Good morning.');
  return world;
};

const lastCommand = (world: World): string | undefined => world.commands.at(-1)?.type;

const factsOf = (world: World): unknown[] =>
  world.facts.flatMap((fact) => (fact.type === 'call.answered_by' ? [fact.by] : []));

test('who answered is published once, and with "talk" nothing else changes', (t) => {
  for (const by of ['human', 'machine'] as const) {
    const world = talking('talk');
    const { commands } = world;
    const before = [...commands];
    world.clock.increment(1_500);
    world.onLine({ type: 'line.answered_by', by });
    world.onLine({ type: 'line.answered_by', by: 'machine' });
    world.onLine({ type: 'line.takes_message' });
    t.deepEqual(world.facts.slice(1), [{ type: 'call.answered_by', at: 1_500, by }]);
    t.is(world.state(), 'active.talking.conversing');
    t.is(world.conversationState(), 'replying.speaking');
    t.deepEqual(commands, before);
  }
});

test('a person changes nothing, whatever the number does with machines', (t) => {
  for (const policy of ['hang_up', 'leave_message'] as const) {
    const world = talking(policy);
    world.onLine({ type: 'line.answered_by', by: 'human' });
    world.onLine({ type: 'line.answered_by', by: 'machine' });
    t.is(world.state(), 'active.talking.conversing');
    t.deepEqual(factsOf(world), ['human']);
  }
});

test('a caller is never taken for a machine', (t) => {
  const world = talking('hang_up', { direction: 'inbound' });
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  t.is(world.state(), 'active.talking.conversing');
  t.deepEqual(factsOf(world), []);
});

test('with "hang_up" the call ends at once, by the agent', (t) => {
  const world = talking('hang_up');
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  t.is(world.state(), 'active.ending');
  t.is(lastCommand(world), 'hangUp');
  world.play('Good');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed' });
  t.deepEqual(world.story(), ['call.answered', 'call.answered_by', 'turn.spoken', 'call.ended']);
});

test('a machine into the farewell is hung up on, too', (t) => {
  const world = talking('hang_up');
  world.ask({ type: 'hangup.requested', immediate: false });
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  t.is(world.state(), 'active.ending');
});

test('a call that is ending does not ask who answered', (t) => {
  const world = talking('leave_message');
  world.ask({ type: 'hangup.requested', immediate: true });
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  t.is(world.state(), 'active.ending');
  t.deepEqual(factsOf(world), []);
});

test('with "leave_message" the agent falls silent, and nothing is said before the beep', (t) => {
  const world = atMachine();
  t.is(world.state(), 'active.talking.leaving-message');
  t.is(world.conversationState(), 'voicemail');
  t.is(world.voicemailState(), 'awaiting-beep');
  t.is(world.counts.repliesAborted, 1);
  t.is(lastCommand(world), 'stopTalking');
  world.onReply({ type: 'reply.sentence', text: 'Too late.' });
  world.hear('Please leave a message after the tone.');
  world.clock.increment(59_000);
  t.deepEqual(world.said(), ['Good morning. Am I speaking to Kim?']);
  t.deepEqual(world.turns(), ['assistant: Good morning.', 'user: Please leave a message after the tone.']);
  t.is(world.requests.length, 1, 'the machine gets no reply');
});

test('after the beep the message is said whole, then the call ends by the agent', (t) => {
  const world = atMachine();
  world.onLine({ type: 'line.takes_message' });
  t.is(world.voicemailState(), 'leaving-message');
  t.is(world.said().at(-1), voicemailMessage);
  world.hear('Beep.');
  t.is(world.state(), 'active.talking.leaving-message', 'it is not interrupted');
  world.play();
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed' });
  t.deepEqual(world.turns(), ['assistant: Good morning.', 'user: Beep.', `assistant: ${voicemailMessage}`]);
});

test('another beep begins the message anew', (t) => {
  const world = atMachine();
  world.onLine({ type: 'line.takes_message' });
  world.onLine({ type: 'line.takes_message' });
  t.is(lastCommand(world), 'say');
  t.deepEqual(world.said().slice(-2), [voicemailMessage, voicemailMessage]);
  world.play('Please');
  t.is(world.state(), 'active.talking.leaving-message', 'what was cut is not left');
  world.play();
  t.is(world.state(), 'active.ending');
});

test('a machine that never beeps is left the message all the same', (t) => {
  const world = atMachine();
  world.clock.increment(60_000);
  t.is(world.said().at(-1), voicemailMessage);
});

test('an agent that asked to hang up has its message left first', (t) => {
  const world = talking('leave_message');
  world.ask({ type: 'hangup.requested', immediate: false });
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  world.play('Good');
  t.is(world.state(), 'active.talking.leaving-message');
  world.clock.increment(30_000);
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.talking.leaving-message');
  world.ask({ type: 'hangup.requested', immediate: true });
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup' });
});

test('a machine that hangs up has ended the call, with what was heard of the message', (t) => {
  const world = atMachine();
  world.onLine({ type: 'line.takes_message' });
  world.play('Please call');
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(world.end(), { reason: 'counterparty_hangup', status: 'completed' });
  t.is(world.turns().at(-1), 'assistant: Please call');
});

test('the maximum duration holds at a machine, too', (t) => {
  const world = atMachine({ maxDurationSec: 20 });
  world.clock.increment(20_000);
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'max_duration' });
});
