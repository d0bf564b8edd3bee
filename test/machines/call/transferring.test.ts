/** A call that is handed to a person, and every way back. */
import test from 'ava';
import type { TransferRequest } from '#machines/transfer.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { takenOver } from '#test/helpers/taken-over-call.ts';
import { asked, ringing as ringingFor, type World } from './asked-transfer.ts';

const { transferId, to } = asked;

const ringing = (changes: Partial<TransferRequest> = {}): World => ringingFor(100, changes);

const count = (world: World, type: string): number => world.facts.filter((fact) => fact.type === type).length;

test('somebody is rung, and the agent is silent and asked nothing', (t) => {
  const world = ringing();
  t.is(world.state(), 'active.talking.transferring.consulting');
  t.deepEqual(world.commands.at(-1), { type: 'transfer', to, mode: 'cold' });
  t.deepEqual(world.facts.at(-1), { type: 'call.transfer_requested', transferId, to, mode: 'cold' });
  const requests = world.requests.length;
  world.onLine({ type: 'line.heard', text: 'I wait.', backchannel: false });
  world.clock.increment(20_000);
  t.is(world.requests.length, requests);
  t.is(world.conversationState(), 'standing-by.present');
});

test('once connected the agent is out, and the call ends when either hangs up', (t) => {
  const world = ringing();
  world.onLine({ type: 'line.transferred' });
  t.is(world.state(), 'active.bridged');
  t.like(world.facts.at(-1), { type: 'call.transfer_connected', transferId });
  const [requests, said] = [world.requests.length, world.said().length];
  world.onLine({ type: 'line.heard', text: 'Hello, who is this?', backchannel: false });
  // The duration of a talk with an agent does not bound this one.
  world.clock.increment(200_000);
  t.deepEqual([world.requests.length, world.said().length], [requests, said]);
  t.is(world.state(), 'active.bridged');
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(world.end(), { reason: 'transfer_completed', status: 'completed' });
});

test('two persons talk for an hour at most', (t) => {
  const world = ringing();
  world.onLine({ type: 'line.transferred' });
  world.clock.increment(3_600_000);
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'max_duration', status: 'completed' });
});

for (const cause of ['busy', 'declined', 'invalid_number', 'trunk_error'] as const)
  test(`${cause}: the agent is told, and goes on`, (t) => {
    const world = ringing();
    world.onLine({ type: 'line.transfer_failed', cause });
    t.is(world.state(), 'active.talking.conversing');
    t.like(world.facts.at(-1), { type: 'call.transfer_failed', transferId, reason: cause });
    t.is(
      world.requests.at(-1)?.messages.at(-1)?.content,
      `[transfer failed: ${cause}] The other party is still on the line. You speak first.\n[to] ${to}`,
    );
    world.replyAndPlay('Nobody is free now.');
    t.is(world.said().at(-1), 'Nobody is free now.');
  });

test('who does not answer in time is rung no longer', (t) => {
  const world = ringing();
  world.clock.increment(24_999);
  t.is(world.state(), 'active.talking.transferring.consulting');
  world.clock.increment(1);
  t.deepEqual(world.commands.at(-1), { type: 'cancelTransfer' });
  world.onLine({ type: 'line.transfer_failed', cause: 'cancelled' });
  t.like(world.facts.at(-1), { type: 'call.transfer_failed', reason: 'no_answer' });
});

test('a call that is not to go on without a transfer ends', (t) => {
  const world = ringing({ onFailure: 'hang_up' });
  world.onLine({ type: 'line.transfer_failed', cause: 'busy' });
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'transfer_failed', status: 'completed' });
});

test('a transfer that is taken back has not failed, and the agent goes on', (t) => {
  const world = ringing({ onFailure: 'hang_up' });
  world.ask({ type: 'transfer.taken_back' });
  world.onLine({ type: 'line.transfer_failed', cause: 'cancelled' });
  t.is(world.state(), 'active.talking.conversing');
  t.like(world.facts.at(-1), { type: 'call.transfer_returned', transferId });
  t.is(count(world, 'call.transfer_failed'), 0);
});

test('who answers while they are being given up is connected', (t) => {
  const world = ringing();
  world.ask({ type: 'transfer.taken_back' });
  world.onLine({ type: 'line.transferred' });
  t.is(world.state(), 'active.bridged');
});

test('the other party that hangs up meanwhile ends the call', (t) => {
  const world = ringing();
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(world.end(), { reason: 'counterparty_hangup' });
  t.is(count(world, 'call.ended'), 1);
});

test('an agent that hangs up meanwhile ends the call', (t) => {
  const world = ringing();
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup' });
});

test('who has put the call on hold is told when they are back', (t) => {
  const world = ringing();
  world.onLine({ type: 'line.held' });
  world.onLine({ type: 'line.transfer_failed', cause: 'busy' });
  t.is(world.conversationState(), 'on-hold');
  const requests = world.requests.length;
  world.onLine({ type: 'line.resumed' });
  t.is(world.requests.length, requests + 1);
});

test('what the agent was saying is heard to its end, and its reply is abandoned', (t) => {
  const world = createCallWorld();
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'I connect you.' });
  world.ask(asked);
  t.not(world.commands.at(-1)?.type, 'stopTalking');
  t.false(world.commands.some(({ type }) => type === 'stopTalking'));
  world.play();
  t.is(world.turns().at(-1), 'assistant: I connect you.');
});

for (const isWhole of [false, true])
  test(`what the agent was saying goes on where a voice had it pause, ${isWhole ? 'behind' : 'within'} its reply`, (t) => {
    const world = createCallWorld();
    world.answer();
    world.onReply({ type: 'reply.sentence', text: 'I connect you.' });
    if (isWhole) world.onReply({ type: 'reply.finished' });
    world.onLine({ type: 'line.onset' });
    t.true(world.conversationState().endsWith('.paused'));
    world.ask(asked);
    t.is(world.conversationState(), 'standing-by.present');
    t.is(world.commands.findLast(({ type }) => type.endsWith('Talking'))?.type, 'resumeTalking');
    t.is(count(world, 'agent.paused'), count(world, 'agent.resumed'));
  });

test("what is pressed between two persons is nobody else's, and they are recorded again", (t) => {
  const world = createCallWorld({ recording: true });
  world.answer();
  world.replyAndPlay('Hello.');
  const wanted = { digits: 4, finish: null, timeoutSec: 10, secret: true };
  world.ask({ type: 'collect.requested', wanted });
  t.is(world.facts.at(-1)?.type, 'recording.paused');
  world.ask(asked);
  world.onLine({ type: 'line.transferred' });
  t.is(world.facts.at(-1)?.type, 'recording.resumed');
  world.onLine({ type: 'line.digit', digit: '7' });
  t.is(count(world, 'turn.digit'), 0);
});

for (const resumesAs of ['listening', 'on-hold'] as const)
  test(`a transfer that was lost with its gateway has failed: ${resumesAs}`, (t) => {
    const world = createCallWorld({
      takenOver: takenOver({ resumesAs }, { lostTransfer: { transferId, to } }),
    });
    world.onLine({ type: 'line.adopted' });
    t.is(world.state(), 'active.talking.conversing');
    t.deepEqual(world.facts.slice(0, 2), [
      { type: 'call.taken_over', at: 0, node: 'second' },
      { type: 'call.transfer_failed', transferId, reason: 'trunk_error' },
    ]);
    if (resumesAs === 'on-hold') {
      t.is(world.requests.length, 0);
      world.onLine({ type: 'line.resumed' });
    }
    t.regex(world.requests.at(-1)?.messages.at(-1)?.content ?? '', /^\[transfer failed: trunk_error\]/);
    world.replyAndPlay('I lost them.');
    world.ask(asked);
    t.is(world.state(), 'active.talking.transferring.consulting');
  });

test('two persons of whom the number wants no recording are not recorded, whoever asks', (t) => {
  const world = createCallWorld({ recording: true });
  world.answer();
  world.replyAndPlay('Hello.');
  world.ask({ ...asked, isRecorded: false });
  t.is(count(world, 'recording.paused'), 0);
  world.onLine({ type: 'line.transferred' });
  t.is(world.facts.at(-1)?.type, 'recording.paused');
  t.deepEqual(world.commands.at(-1), { type: 'pauseRecording' });
  world.ask({ type: 'recording.resume_requested' });
  t.is(count(world, 'recording.resumed'), 0);
});

test('they talk for as long as the number allows', (t) => {
  const world = ringing({ maxDurationSec: 60 });
  world.onLine({ type: 'line.transferred' });
  world.clock.increment(59_999);
  t.is(world.state(), 'active.bridged');
  world.clock.increment(1);
  t.is(world.state(), 'active.ending');
});
