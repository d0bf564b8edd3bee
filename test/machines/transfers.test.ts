/** Call chart: transfers and take-over. */
import test from 'ava';
import * as fc from 'fast-check';
import { createActor, fromCallback } from 'xstate';
import type { CallCommand } from '#machines/call-context.ts';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import type { CallFact } from '#machines/facts.ts';
import type { Script } from '#sip/simulator/script.ts';
import type { KeysCommand, LineCommand, LineInput } from '#machines/line.ts';
import type { ReplyInput } from '#machines/reply.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';
import { createNetwork, scriptedNumber } from '#test/sip/simulator/network.ts';
import type { CallResumeState } from '#machines/resume-state.ts';
import type { TransferRequest } from '#machines/transfer.ts';
import { callInput, createCallWorld } from '#test/helpers/call-world.ts';
import { heard, takenOver } from '#test/helpers/taken-over-call.ts';
import { asked, ringing as ringingFor, type World } from './call/asked-transfer.ts';

// Transferring
// A call that is handed to a person, and every way back.

const { transferId, to: transferTarget } = asked;

const ringing = (changes: Partial<TransferRequest> = {}): World => ringingFor(100, changes);

const count = (world: World, type: string): number => world.facts.filter((fact) => fact.type === type).length;

test('a transfer rings the person while the agent stays silent and gets no requests', (t) => {
  const world = ringing();
  t.is(world.state(), 'active.talking.transferring.consulting');
  t.deepEqual(world.commands.at(-1), { type: 'transfer', to: transferTarget, mode: 'cold' });
  t.deepEqual(world.facts.at(-1), {
    type: 'call.transfer_requested',
    transferId: transferId,
    to: transferTarget,
    mode: 'cold',
  });
  const requests = world.requests.length;
  world.onLine({ type: 'line.heard', text: 'I wait.', backchannel: false });
  world.clock.increment(20_000);
  t.is(world.requests.length, requests);
  t.is(world.conversationState(), 'standing-by.present');
});

test('a connected transfer ends the agent; the call ends when either party hangs up', (t) => {
  const world = ringing();
  world.onLine({ type: 'line.transferred' });
  t.is(world.state(), 'active.bridged');
  t.like(world.facts.at(-1), {
    type: 'call.transfer_connected',
    transferId,
    recorded: true,
    maxDurationSec: 3_600,
  });
  const [requests, said] = [world.requests.length, world.said().length];
  world.onLine({ type: 'line.heard', text: 'Hello, who is this?', backchannel: false });
  // The maximum duration of a call with an agent does not limit the talk of two persons.
  world.clock.increment(200_000);
  t.deepEqual([world.requests.length, world.said().length], [requests, said]);
  t.is(world.state(), 'active.bridged');
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(world.end(), { reason: 'transfer_completed', status: 'completed' });
});

test('limits the talk of two persons to one hour by default', (t) => {
  const world = ringing();
  world.onLine({ type: 'line.transferred' });
  world.clock.increment(3_600_000);
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'max_duration', status: 'completed' });
});

for (const cause of ['busy', 'declined', 'invalid_number', 'trunk_error'] as const)
  test(`${cause}: reports the failed transfer to the agent, which continues`, (t) => {
    const world = ringing();
    world.onLine({ type: 'line.transfer_failed', cause });
    t.is(world.state(), 'active.talking.conversing');
    t.like(world.facts.at(-1), {
      type: 'call.transfer_failed',
      transferId: transferId,
      reason: cause,
    });
    t.is(
      world.requests.at(-1)?.messages.at(-1)?.content,
      `[transfer failed: ${cause}] The other party is still on the line. You speak first.\n[to] ${transferTarget}`,
    );
    world.replyAndPlay('Nobody is free now.');
    t.is(world.said().at(-1), 'Nobody is free now.');
  });

test('stops ringing a person who does not answer in time', (t) => {
  const world = ringing();
  world.clock.increment(24_999);
  t.is(world.state(), 'active.talking.transferring.consulting');
  world.clock.increment(1);
  t.deepEqual(world.commands.at(-1), { type: 'cancelTransfer' });
  world.onLine({ type: 'line.transfer_failed', cause: 'cancelled' });
  t.like(world.facts.at(-1), { type: 'call.transfer_failed', reason: 'no_answer' });
});

test('ends a call with on_failure hangup when the transfer fails', (t) => {
  const world = ringing({ onFailure: 'hang_up' });
  world.onLine({ type: 'line.transfer_failed', cause: 'busy' });
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'transfer_failed', status: 'completed' });
});

test('does not count a cancelled transfer as failed, and continues with the agent', (t) => {
  const world = ringing({ onFailure: 'hang_up' });
  world.ask({ type: 'transfer.taken_back' });
  world.onLine({ type: 'line.transfer_failed', cause: 'cancelled' });
  t.is(world.state(), 'active.talking.conversing');
  t.like(world.facts.at(-1), { type: 'call.transfer_returned', transferId: transferId });
  t.is(count(world, 'call.transfer_failed'), 0);
});

test('connects a person who answers while the ringing is being cancelled', (t) => {
  const world = ringing();
  world.ask({ type: 'transfer.taken_back' });
  world.onLine({ type: 'line.transferred' });
  t.is(world.state(), 'active.bridged');
});

test('ends the call when the other party hangs up while the person is ringing', (t) => {
  const world = ringing();
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(world.end(), { reason: 'counterparty_hangup' });
  t.is(count(world, 'call.ended'), 1);
});

test('ends the call when the agent hangs up while the person is ringing', (t) => {
  const world = ringing();
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup' });
});

test('reports the transfer result after hold, when the other party returns', (t) => {
  const world = ringing();
  world.onLine({ type: 'line.held' });
  world.onLine({ type: 'line.transfer_failed', cause: 'busy' });
  t.is(world.conversationState(), 'on-hold');
  const requests = world.requests.length;
  world.onLine({ type: 'line.resumed' });
  t.is(world.requests.length, requests + 1);
});

test('ignores words during a hold while the person is ringing, except those from before it', (t) => {
  const world = ringing();
  world.clock.increment(5_000);
  world.onLine({ type: 'line.held' });
  world.onLine({ type: 'line.heard', text: 'Your call is important to us.', backchannel: false });
  world.onLine({ type: 'line.heard', startedAt: 4_000, text: 'One moment.', backchannel: false });
  t.deepEqual(
    world.turns().filter((turn) => turn.startsWith('user')),
    ['user: One moment.'],
  );
});

test("plays the agent's current sentences to their end and abandons the rest of the reply", (t) => {
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
  test(`resumes the agent's words after a voice pause ${isWhole ? 'after' : 'within'} its reply`, (t) => {
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

test('hides digits while two persons talk, and records both persons again', (t) => {
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
  test(`counts a transfer lost in a take-over as failed: ${resumesAs}`, (t) => {
    const world = createCallWorld({
      takenOver: takenOver({ resumesAs }, { transfer: { state: 'lost', transferId, to: transferTarget } }),
    });
    world.onLine({ type: 'line.adopted' });
    t.is(world.state(), 'active.talking.conversing');
    t.deepEqual(world.facts.slice(0, 2), [
      { type: 'call.taken_over', at: 0, node: 'second', from: 'first' },
      { type: 'call.transfer_failed', transferId: transferId, reason: 'trunk_error' },
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

/** Two persons who had talked for one of ten minutes when their gateway died. */
const connected = {
  state: 'connected',
  transferId,
  to: transferTarget,
  isRecorded: true,
  maxDurationSec: 600,
  talkedMs: 60_000,
} as const;

const bridgedElsewhere = (changes: Partial<CallResumeState> = {}, recording = false): World =>
  createCallWorld({ recording, takenOver: takenOver({}, { transfer: connected, ...changes }) });

test('two persons keep talking after a take-over, and the agent stays silent', (t) => {
  const world = bridgedElsewhere();
  world.onLine({ type: 'line.adopted' });
  t.is(world.state(), 'active.bridged');
  t.deepEqual(world.facts, [{ type: 'call.taken_over', at: 0, node: 'second', from: 'first' }]);
  t.deepEqual(world.commands, []);
  world.onLine({ type: 'line.heard', text: 'Where were we?', backchannel: false });
  world.clock.increment(200_000);
  t.deepEqual([world.requests.length, world.said().length], [0, 0]);
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'transfer_completed', status: 'completed' });
});

test('after a take-over, two persons may talk for their remaining time', (t) => {
  const world = bridgedElsewhere();
  world.clock.increment(1_000);
  world.onLine({ type: 'line.adopted' });
  world.clock.increment(539_999);
  t.is(world.state(), 'active.bridged');
  world.clock.increment(1);
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'max_duration' });
});

test('a hangup of either person before the take-over completes the transfer', (t) => {
  const world = bridgedElsewhere();
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(world.end(), { reason: 'transfer_completed', status: 'completed' });
});

test('ends the call with an error if two persons cannot be taken over', (t) => {
  const world = bridgedElsewhere();
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'system_error', durationIsKnown: false });
});

for (const when of ['before', 'after'] as const)
  test(`a hangup requested ${when} the take-over ends a call in which two persons talk`, (t) => {
    const world = bridgedElsewhere({ hangupIsPending: when === 'before' });
    if (when === 'after') world.ask({ type: 'hangup.requested', immediate: false });
    world.onLine({ type: 'line.adopted' });
    t.is(world.state(), 'active.ending');
    t.deepEqual(world.commands.at(-1), { type: 'hangUp' });
    world.onLine({ type: 'line.ended', by: 'gateway' });
    t.like(world.end(), { reason: 'agent_hangup' });
  });

test('after a take-over, the recording of two persons keeps its pause or stays off', (t) => {
  const recorded = bridgedElsewhere({}, true);
  recorded.onLine({ type: 'line.adopted' });
  t.false(recorded.commands.some(({ type }) => type === 'pauseRecording'));
  const paused = bridgedElsewhere({ recordingIsPaused: true }, true);
  paused.onLine({ type: 'line.adopted' });
  t.deepEqual(paused.commands, [{ type: 'pauseRecording' }]);
  t.is(count(paused, 'recording.paused'), 0);
  const unrecorded = bridgedElsewhere({ transfer: { ...connected, isRecorded: false } }, true);
  unrecorded.onLine({ type: 'line.adopted' });
  t.deepEqual(unrecorded.commands, [{ type: 'pauseRecording' }]);
  t.is(count(unrecorded, 'recording.paused'), 1);
  unrecorded.ask({ type: 'recording.resume_requested' });
  t.is(count(unrecorded, 'recording.resumed'), 0);
});

test('rejects every recording request during a transfer if the number forbids recording it', (t) => {
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

test('limits the talk of two persons to the setting of the number', (t) => {
  const world = ringing({ maxDurationSec: 60 });
  world.onLine({ type: 'line.transferred' });
  world.clock.increment(59_999);
  t.is(world.state(), 'active.bridged');
  world.clock.increment(1);
  t.is(world.state(), 'active.ending');
});

// Warm transfer
// The person hears a briefing before the connection, the other party an announcement before the ringing; and every way
// back.

const { transferId: warmTransferTransferId, to: warmTransferTarget, briefing } = asked;
const inTransfer = 'active.talking.transferring';

const requested = (changes: Partial<TransferRequest> = {}): World =>
  ringingFor(600, { mode: 'warm', ...changes });

/** The person has answered and hears the briefing. */
const briefed = (changes: Partial<TransferRequest> = {}): World => {
  const world = requested(changes);
  world.clock.increment(20_000);
  world.onLine({ type: 'line.transfer_answered' });
  return world;
};

const reasonOf = (world: World): unknown =>
  world.facts.flatMap((fact) => (fact.type === 'call.transfer_failed' ? [fact.reason] : [])).at(-1);

const isBack = (world: World): boolean => world.state() === 'active.talking.conversing';

test('plays the briefing to the person who answered, while the agent is silent', (t) => {
  const world = requested();
  t.deepEqual(world.commands.at(-1), { type: 'transfer', to: warmTransferTarget, mode: 'warm' });
  world.clock.increment(20_000);
  world.onLine({ type: 'line.transfer_answered' });
  t.is(world.state(), `${inTransfer}.briefing`);
  t.deepEqual(world.commands.at(-1), { type: 'brief', text: briefing, acceptKey: null });
  t.like(world.facts.at(-1), { type: 'call.transfer_answered', transferId: warmTransferTransferId });
  const requests = world.requests.length;
  world.onLine({ type: 'line.heard', text: 'I wait.', backchannel: false });
  // The ring time does not limit the briefing.
  world.clock.increment(60_000);
  t.is(world.state(), `${inTransfer}.briefing`);
  t.is(world.requests.length, requests);
});

const summary = {
  type: 'transfer.briefing_written',
  transferId: warmTransferTransferId,
  briefing: 'They want to know where their order is.',
} as const;

for (const sentences of [[], ['One moment.']])
  test(`plays a briefing written ${sentences.length === 0 ? 'while the person rings' : 'before the person rings'}`, (t) => {
    const world = requested({ sentences, acceptKey: '1' });
    world.ask(summary);
    if (sentences.length > 0) world.play();
    world.onLine({ type: 'line.transfer_answered' });
    t.deepEqual(world.commands.at(-1), { type: 'brief', text: summary.briefing, acceptKey: '1' });
  });

test('does not play the briefing of an earlier transfer', (t) => {
  const world = requested();
  world.ask({ ...summary, transferId: 'an-earlier-one' });
  world.onLine({ type: 'line.transfer_answered' });
  t.like(world.commands.at(-1), { text: briefing });
});

test('ignores a briefing that arrives after the connection', (t) => {
  const world = briefed();
  const told = world.commands.length;
  world.ask(summary);
  t.is(world.state(), `${inTransfer}.briefing`);
  world.onLine({ type: 'line.briefed' });
  t.deepEqual(world.commands.slice(told), [{ type: 'connect' }]);
  world.onLine({ type: 'line.transferred' });
  world.ask(summary);
  t.is(world.state(), 'active.bridged');
});

test('connects both persons at the end of the briefing if no digit is required', (t) => {
  const world = briefed();
  world.onLine({ type: 'line.briefed' });
  t.is(world.state(), `${inTransfer}.connecting`);
  t.deepEqual(world.commands.at(-1), { type: 'connect' });
  world.onLine({ type: 'line.transferred' });
  t.is(world.state(), 'active.bridged');
  t.like(world.facts.at(-1), { type: 'call.transfer_connected', transferId: warmTransferTransferId });
});

for (const when of ['before', 'behind'])
  test(`connects both persons when the required digit is pressed ${when} the end of the briefing`, (t) => {
    const world = briefed({ acceptKey: '1' });
    t.deepEqual(world.commands.at(-1), { type: 'brief', text: briefing, acceptKey: '1' });
    if (when === 'behind') {
      world.onLine({ type: 'line.briefed' });
      t.is(world.state(), `${inTransfer}.briefed`);
      world.clock.increment(14_999);
    }
    t.false(world.commands.some(({ type }) => type === 'connect'));
    world.onLine({ type: 'line.accepted' });
    t.deepEqual(world.commands.at(-1), { type: 'connect' });
    world.onLine({ type: 'line.transferred' });
    t.is(world.state(), 'active.bridged');
  });

test('counts a person who does not press the digit in time as not reached', (t) => {
  const world = briefed({ acceptKey: '1' });
  world.onLine({ type: 'line.briefed' });
  world.clock.increment(15_000);
  t.is(world.state(), `${inTransfer}.recalling`);
  t.deepEqual(world.commands.at(-1), { type: 'cancelTransfer' });
  world.onLine({ type: 'line.transfer_failed', cause: 'cancelled' });
  t.true(isBack(world));
  t.is(reasonOf(world), 'not_accepted');
  t.regex(world.requests.at(-1)?.messages.at(-1)?.content ?? '', /^\[transfer failed: not_accepted\]/);
});

test('stops waiting for a line that never reports the end of the briefing', (t) => {
  const world = briefed();
  world.clock.increment(180_000);
  t.deepEqual(world.commands.at(-1), { type: 'cancelTransfer' });
  world.onLine({ type: 'line.transfer_failed', cause: 'cancelled' });
  t.is(reasonOf(world), 'not_accepted');
});

test('ends the call on a line that never reports the connection', (t) => {
  const world = briefed();
  world.onLine({ type: 'line.briefed' });
  world.clock.increment(9_999);
  t.is(world.state(), `${inTransfer}.connecting`);
  world.clock.increment(1);
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.facts.at(-1), { type: 'call.ended', reason: 'media_error' });
});

test('ends the call on a line that never confirms the end of the ringing', (t) => {
  const world = requested();
  world.ask({ type: 'transfer.taken_back' });
  world.clock.increment(44_999);
  t.is(world.state(), `${inTransfer}.recalling`);
  world.clock.increment(1);
  t.is(world.state(), 'active.ending');
});

for (const cause of ['declined', 'trunk_error'] as const)
  for (const onFailure of ['resume', 'hang_up'] as const)
    test(`handles ${cause} during the briefing: ${onFailure}`, (t) => {
      const world = briefed({ onFailure });
      world.onLine({ type: 'line.transfer_failed', cause });
      t.is(reasonOf(world), cause);
      t.is(world.state(), onFailure === 'resume' ? 'active.talking.conversing' : 'active.ending');
    });

for (const { at, enter } of [
  { at: 'briefing', enter: () => briefed({ acceptKey: '1' }) },
  {
    at: 'briefed',
    enter: () => {
      const world = briefed({ acceptKey: '1' });
      world.onLine({ type: 'line.briefed' });
      return world;
    },
  },
]) {
  test(`a transfer cancelled in ${at} releases the person, and the agent continues`, (t) => {
    const world = enter();
    t.is(world.state(), `${inTransfer}.${at}`);
    world.ask({ type: 'transfer.taken_back' });
    t.deepEqual(world.commands.at(-1), { type: 'cancelTransfer' });
    world.onLine({ type: 'line.transfer_failed', cause: 'cancelled' });
    t.true(isBack(world));
    t.like(world.facts.at(-1), { type: 'call.transfer_returned', transferId: warmTransferTransferId });
  });

  test(`a hangup in ${at} by the other party, the agent or a shutdown ends the call`, (t) => {
    const left = enter();
    left.onLine({ type: 'line.ended', by: 'counterparty' });
    t.like(left.end(), { reason: 'counterparty_hangup' });
    const ended = enter();
    ended.ask({ type: 'hangup.requested', immediate: false });
    t.deepEqual(ended.commands.at(-1), { type: 'hangUp' });
    const closing = enter();
    closing.ask({ type: 'gateway.closing' });
    t.deepEqual(closing.commands.at(-1), { type: 'hangUp' });
  });
}

const announced = { mode: 'cold', sentences: ['One moment.', 'I connect you.'] } as const;

test('plays the announcement to the other party before ringing the person', (t) => {
  const world = requested(announced);
  t.is(world.state(), `${inTransfer}.announcing`);
  t.like(world.facts.at(-1), { type: 'call.transfer_requested', announced: true });
  t.deepEqual(world.said().slice(-2), announced.sentences);
  world.onLine({ type: 'line.speech' });
  t.false(world.commands.some(({ type }) => type === 'transfer' || type === 'stopTalking'));
  world.play();
  t.is(world.state(), `${inTransfer}.announcing`);
  world.play();
  t.is(world.state(), `${inTransfer}.consulting`);
  t.deepEqual(world.commands.at(-1), { type: 'transfer', to: warmTransferTarget, mode: 'cold' });
  t.true(world.facts.some(({ type }) => type === 'call.transfer_ringing'));
  t.is(world.turns().at(-1), 'assistant: One moment. I connect you.');
  // The person has rung for less than a second.
  world.clock.increment(24_999);
  t.is(world.state(), `${inTransfer}.consulting`);
});

test('a transfer cancelled during the announcement rings no person', (t) => {
  const world = requested(announced);
  world.ask({ type: 'transfer.taken_back' });
  t.true(isBack(world));
  t.like(world.facts.at(-1), { type: 'call.transfer_returned', transferId: warmTransferTransferId });
  t.false(world.commands.some(({ type }) => type === 'transfer' || type === 'cancelTransfer'));
  world.play();
  world.play();
  t.regex(world.requests.at(-1)?.messages.at(-1)?.content ?? '', /^\[transfer failed: cancelled\]/);
});

test('stops waiting for a line that never reports the end of the announcement', (t) => {
  const world = requested(announced);
  world.clock.increment(120_000);
  t.deepEqual(world.commands.at(-1), { type: 'transfer', to: warmTransferTarget, mode: 'cold' });
});

// On a line
// The charts on a simulated line with simulated people: every person is released, for any order of requests.

/** An agent that answers everything with one sentence. */
const reply = fromCallback<{ type: 'none' }, ReplyInput>(({ sendBack }) => {
  sendBack({ type: 'reply.sentence', text: 'Let me see.' });
  sendBack({ type: 'reply.finished' });
});

const onLine = (script: Script) => {
  const { lines, clock } = createNetwork();
  lines.defineCallee(scriptedNumber, script);
  const facts: CallFact[] = [];
  const errors: unknown[] = [];
  let watched: WatchedLine | undefined;
  const publish = (_: unknown, fact: CallFact): void => void facts.push(fact);
  const line = fromCallback<LineCommand | KeysCommand, LineInput>(({ input, sendBack, receive }) => {
    const opened = openWatched(lines.open, input, sendBack);
    watched = opened;
    receive((command) => {
      switch (command.type) {
        // Sentences of the simulated line are numbered in the same way.
        case 'say':
          return void opened.say(command.text, command.language);
        // Secret digits are masked before they reach a line.
        case 'hideKeys':
        case 'keepKeys':
        case 'forgetKeys':
        case 'showKeys':
          return undefined;
        default:
          return opened.tell(command);
      }
    });
    return () => opened.close();
  });
  const conversation = conversationMachine.provide({ actors: { reply }, actions: { publish } });
  const machine = callMachine.provide({ actors: { line, conversation }, actions: { publish } });
  const actor = createActor(machine, { input: { ...callInput, to: scriptedNumber }, clock });
  actor.subscribe({ error: (error) => errors.push(error) });
  actor.start();
  return { actor, clock, facts, errors, line: () => watched };
};

const person = fc.constantFrom(
  '01000000011',
  '01000000012',
  '01000000013',
  '01000000014',
  '01000000015',
  '0299999999',
);

const act: fc.Arbitrary<CallCommand> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .record({
        to: person,
        mode: fc.constantFrom('cold' as const, 'warm' as const),
        sentences: fc.constantFrom([], ['One moment.']),
        acceptKey: fc.constantFrom(null, '1'),
        ringTimeoutSec: fc.integer({ min: 5, max: 120 }),
        onFailure: fc.constantFrom('resume' as const, 'hang_up' as const),
      })
      .map((changes): CallCommand => ({ ...asked, ...changes })),
  },
  { weight: 3, arbitrary: fc.constant<CallCommand>({ type: 'transfer.taken_back' }) },
  fc.constantFrom<CallCommand>(
    { type: 'hangup.requested', immediate: false },
    { type: 'hangup.requested', immediate: true },
    { type: 'keys.requested', keys: '1' },
    { type: 'say.requested', sentences: ['Hello.'], interrupt: true },
    {
      type: 'collect.requested',
      wanted: { digits: 2, finish: null, timeoutSec: 5, secret: true },
    },
    { type: 'gateway.closing' },
  ),
);

const farEnd: fc.Arbitrary<Script> = fc.array(
  fc.oneof(
    fc.integer({ min: 1, max: 8 }).map((seconds) => ({ wait_sec: seconds })),
    fc.constantFrom<Script[number]>(
      { say: 'I have a question.' },
      { digits: '12' },
      { interrupt: 'Wait!' },
      { hang_up: true },
    ),
  ),
  { maxLength: 8 },
);

test('releases every person and ends the call once, for any order of requests and hang-ups', (t) => {
  const reached = new Set<string>();
  const step = fc.record({ act, afterMs: fc.integer({ min: 0, max: 6_000 }) });
  const holds = (script: Script, steps: { act: CallCommand; afterMs: number }[]): void => {
    const call = onLine(script);
    call.clock.advance(2_000);
    for (const { act: asking, afterMs } of steps) {
      call.actor.send(asking);
      call.clock.advance(afterMs);
      const state = JSON.stringify(call.actor.getSnapshot().value);
      reached.add(state);
      // The line of this test stops ringing immediately.
      if (afterMs > 100 && state.includes('recalling')) throw new Error('the person is rung on');
    }
    call.actor.send({ type: 'hangup.requested', immediate: true });
    for (let ms = 0; ms < 60_000 && call.actor.getSnapshot().status === 'active'; ms += 10)
      call.clock.advance(10);
    const ends = call.facts.filter(({ type }) => type === 'call.ended');
    const story = call.facts.map(({ type }) => type).join(', ');
    const check = (isSo: boolean, rule: string): void => {
      if (!isSo) throw new Error(`${rule}: ${story}`);
    };
    const breaches = (call.line()?.breaches ?? []).join('; ');
    check(call.errors.length === 0, `no call crashes (${String(call.errors[0])})`);
    check(ends.length === 1 && call.facts.at(-1) === ends[0], 'the end is published once, and last');
    check(call.line()?.isOver() === true, 'the line is over');
    check(call.clock.pending() === 0, 'nobody does anything more: no timer of the line or the chart is left');
    check(breaches === '', `the line keeps its contract (${breaches})`);
  };
  t.notThrows(() =>
    fc.assert(fc.property(farEnd, fc.array(step, { maxLength: 12 }), holds), {
      numRuns: 300,
      includeErrorInReport: true,
    }),
  );
  for (const state of ['announcing', 'consulting', 'briefing', 'briefed', 'bridged'])
    t.true(
      [...reached].some((value) => value.includes(state)),
      `no call came to ${state}`,
    );
});

// Taking over
// A call that another process owned: how it starts here, and how it continues.

const worldOf = (...given: Parameters<typeof takenOver>) =>
  createCallWorld({ takenOver: takenOver(...given), maxDurationSec: 100 });

test('sends no command to the line before the take-over is complete, then listens to the other party', (t) => {
  const world = worldOf();
  t.is(world.state(), 'active.taking-over');
  t.true(world.actor.getSnapshot().hasTag('taken-over'));
  t.deepEqual([world.commands, world.facts], [[], []]);
  world.onLine({ type: 'line.adopted' });
  t.is(world.state(), 'active.talking.conversing');
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.facts, [{ type: 'call.taken_over', at: 0, node: 'second', from: 'first' }]);
  world.hear('Are you there?');
  t.deepEqual(world.requests.at(-1), {
    callId: world.actor.getSnapshot().context.callId,
    turn: 4,
    messages: [...heard, { role: 'user', content: 'Are you there?' }],
  });
  world.replyAndPlay('Yes.');
  t.deepEqual(world.turns(), ['user: Are you there?', 'assistant: Yes.']);
});

test('repeats an unheard sentence from its beginning and merges it with the heard part into one turn', (t) => {
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

test('asks within one second, in the language of the call, for words lost in the take-over', (t) => {
  const world = worldOf({ resumesAs: 'words-lost' });
  world.onLine({ type: 'line.adopted' });
  t.is(world.conversationState(), 'listening.catching-up.waiting');
  world.clock.increment(1_000);
  t.deepEqual(world.said(), ['Sorry.']);
  world.play();
  world.hear('I asked where you are.');
  t.is(world.requests.length, 1);
  t.deepEqual(world.turns(), ['assistant: Sorry.', 'user: I asked where you are.']);
});

test('lets a party that still speaks after the take-over finish, and asks if no words arrive', (t) => {
  const world = worldOf({ resumesAs: 'words-lost' });
  world.onLine({ type: 'line.adopted' });
  world.onLine({ type: 'line.speech' });
  world.clock.increment(5_000);
  t.deepEqual(world.said(), []);
  world.onLine({ type: 'line.heard', text: 'my order?', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
  const wordless = worldOf({ resumesAs: 'words-lost' });
  wordless.onLine({ type: 'line.adopted' });
  wordless.onLine({ type: 'line.speech' });
  wordless.clock.increment(10_000);
  t.deepEqual(wordless.said(), ['Sorry.']);
});

test('speaks words requested by API after a take-over without delay', (t) => {
  const world = worldOf({ resumesAs: 'words-lost' });
  world.onLine({ type: 'line.adopted' });
  world.ask({ type: 'say.requested', sentences: ['Here I am.'], interrupt: false });
  t.deepEqual(world.said(), ['Here I am.']);
});

test('requests the reply to an unanswered turn again after the take-over', (t) => {
  const world = worldOf({ messages: heard.slice(0, 1), unanswered: 1 });
  t.is(world.requests.length, 0);
  world.onLine({ type: 'line.adopted' });
  t.is(world.requests.length, 1);
  t.is(world.conversationState(), 'replying.thinking');
});

test('keeps the stored part of a reply cut off by the take-over, and apologises', (t) => {
  const world = worldOf({ resumesAs: 'broken-off', unsaid: ['I have looked at'] });
  world.onLine({ type: 'line.adopted' });
  t.deepEqual(world.said(), ['I have looked at', 'Sorry, go on.']);
  t.like(world.facts.at(-1), { type: 'reply.failed', failure: 'gateway_lost', begun: true });
  t.is(world.requests.length, 0);
});

test('apologises as for a failed reply if no word of it was stored before the take-over', (t) => {
  const world = worldOf({ resumesAs: 'broken-off', failuresInARow: 0 });
  world.onLine({ type: 'line.adopted' });
  t.deepEqual(world.said(), ['Sorry.']);
  const again = worldOf({ resumesAs: 'broken-off', failuresInARow: 1 });
  again.onLine({ type: 'line.adopted' });
  t.deepEqual(again.said(), ['Sorry, and goodbye.']);
});

test('repeats a goodbye after the take-over, then ends the call', (t) => {
  const world = worldOf({ resumesAs: 'parting', unsaid: ['Goodbye.'] });
  world.onLine({ type: 'line.adopted' });
  world.play();
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_error' });
});

for (const resumesAs of ['listening', 'on-hold'] as const)
  test(`requests an owed reply again after the take-over of a call that was ${resumesAs}`, (t) => {
    const messages = [...heard, { role: 'user', content: 'What is the price?' }] as const;
    const world = worldOf({ resumesAs, isReplyOwed: true, messages });
    world.onLine({ type: 'line.adopted' });
    if (resumesAs === 'on-hold') {
      t.is(world.requests.length, 0);
      world.onLine({ type: 'line.resumed' });
    }
    t.is(world.conversationState(), 'replying.thinking');
    t.is(world.requests.at(-1)?.messages.at(-1)?.content, 'What is the price?');
  });

test('waits after the take-over for a party that had put the call on hold', (t) => {
  const world = worldOf({ resumesAs: 'on-hold', unanswered: 1, messages: heard.slice(0, 1) });
  world.onLine({ type: 'line.adopted' });
  t.is(world.conversationState(), 'on-hold');
  t.is(world.requests.length, 0);
  world.onLine({ type: 'line.resumed' });
  t.is(world.requests.length, 1);
});

test('speaks the whole message to an answering machine after the take-over', (t) => {
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

test('leaves the message on an answering machine after the take-over although a hangup is pending', (t) => {
  const world = worldOf({ resumesAs: 'voicemail' }, { answeredBy: 'machine', hangupIsPending: true });
  world.onLine({ type: 'line.adopted' });
  t.is(world.state(), 'active.talking.leaving-message');
  world.onLine({ type: 'line.takes_message' });
  t.deepEqual(world.said(), ['Please call us back.']);
  world.play();
  t.is(world.state(), 'active.ending');
});

test('keeps a pending hangup after the take-over and speaks the farewell first', (t) => {
  const world = worldOf({ resumesAs: 'saying', unsaid: ['Goodbye.'] }, { hangupIsPending: true });
  world.onLine({ type: 'line.adopted' });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.play();
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.deepEqual(world.story(), ['call.taken_over', 'turn.spoken', 'call.ended']);
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed' });
});

test('hangs up a call after the take-over that was being ended, with its first end reason', (t) => {
  const world = worldOf({}, { endReason: 'max_duration' });
  world.onLine({ type: 'line.adopted' });
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.commands, [{ type: 'hangUp' }]);
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'max_duration', status: 'completed' });
});

test('executes a hangup requested during the take-over', (t) => {
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

test('pauses the recording again after the take-over if it was paused before', (t) => {
  const world = worldOf({}, { recordingIsPaused: true });
  world.onLine({ type: 'line.adopted' });
  t.deepEqual(world.commands, [{ type: 'pauseRecording' }]);
});

test('counts the remaining duration from the take-over', (t) => {
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

test('ends a call that cannot be taken over with an error and an unknown end time', (t) => {
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

test('completes a call whose other party hung up before the take-over', (t) => {
  const world = worldOf();
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(world.end(), { reason: 'counterparty_hangup', status: 'completed' });
  t.false('durationIsKnown' in (world.end() ?? {}), 'the line has told when');
});

// Transfer by the far end
// A far end that calls the person itself (REFER), and every way back.

const referring = (changes: Partial<TransferRequest> = {}): World => {
  const world = ringing(changes);
  world.onLine({ type: 'line.referring' });
  return world;
};

test('ends a call with the reason transfer_completed after the far end transferred it', (t) => {
  const world = referring();
  t.is(world.state(), `${inTransfer}.referring`);
  world.onLine({ type: 'line.referred' });
  t.like(world.facts.at(-1), { type: 'call.transfer_connected', transferId });
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.commands.at(-1), { type: 'hangUp' });
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'transfer_completed', status: 'completed' });
});

for (const onFailure of ['resume', 'hang_up'] as const)
  test(`reports that the far end cannot reach the person: ${onFailure}`, (t) => {
    const world = referring({ onFailure });
    const sip = { status: 503, reason: 'Service Unavailable', callId: 'a@b' };
    world.onLine({ type: 'line.transfer_failed', cause: 'trunk_error', sip });
    const failed = world.facts.find(({ type }) => type === 'call.transfer_failed');
    t.like(failed, { transferId, reason: 'trunk_error', sip });
    if (onFailure === 'resume') {
      t.is(world.state(), 'active.talking.conversing');
      t.regex(world.requests.at(-1)?.messages.at(-1)?.content ?? '', /^\[transfer failed: trunk_error\]/);
      return;
    }
    t.is(world.state(), 'active.ending');
    world.onLine({ type: 'line.ended', by: 'gateway' });
    t.like(world.end(), { reason: 'transfer_failed' });
  });

test('rejects the cancellation of a transfer that the far end performs', (t) => {
  const world = referring();
  const commands = world.commands.length;
  world.ask({ type: 'transfer.taken_back' });
  t.is(world.state(), `${inTransfer}.referring`);
  t.is(world.commands.length, commands);
  world.onLine({ type: 'line.referred' });
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'transfer_completed' });
});

test('waits ten seconds longer than the ring time for the result of a far end', (t) => {
  const world = referring();
  world.clock.increment(34_999);
  t.is(world.state(), `${inTransfer}.referring`);
  world.clock.increment(1);
  t.deepEqual(world.commands.at(-1), { type: 'cancelTransfer' });
  world.onLine({ type: 'line.transfer_failed', cause: 'cancelled' });
  t.like(world.facts.at(-1), { type: 'call.transfer_failed', reason: 'no_answer' });
  t.is(world.state(), 'active.talking.conversing');
});

test('rings the person for the full ring time after a far end refused REFER', (t) => {
  const world = referring();
  world.clock.increment(20_000);
  world.onLine({ type: 'line.refer_refused' });
  t.is(world.state(), `${inTransfer}.consulting`);
  t.deepEqual(world.commands.at(-1), { type: 'transfer', to: transferTarget, mode: 'cold' });
  world.clock.increment(24_999);
  t.is(world.state(), `${inTransfer}.consulting`);
  world.ask({ type: 'transfer.taken_back' });
  t.deepEqual(world.commands.at(-1), { type: 'cancelTransfer' });
});

test('attributes the end to the other party if it hangs up while the far end calls the person', (t) => {
  const left = referring();
  left.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(left.end(), { reason: 'counterparty_hangup' });
  const ended = referring();
  ended.ask({ type: 'hangup.requested', immediate: false });
  ended.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(ended.end(), { reason: 'agent_hangup' });
});

// Transfers requested by the other party

const askedFor = '0212345678';

test('checks a transfer requested by the other party like one requested by the agent', (t) => {
  const world = createCallWorld();
  world.answer();
  world.replyAndPlay('Hello.');
  world.onLine({ type: 'line.refer_received', to: askedFor });
  t.like(world.wantedTransfers, [
    { to: askedFor, mode: 'cold', say: null, onFailure: 'resume', forOtherParty: true },
  ]);
  t.is(world.state(), 'active.talking.conversing');
  t.is(world.commands.at(-1)?.type, 'say');
  world.ask({ ...asked, to: askedFor });
  t.deepEqual(world.commands.at(-1), { type: 'transfer', to: askedFor, mode: 'cold' });
});

test('declines a forbidden transfer requested by the other party without notifying the agent', (t) => {
  const world = createCallWorld();
  world.answer();
  world.replyAndPlay('Hello.');
  const requests = world.requests.length;
  world.onLine({ type: 'line.refer_received', to: askedFor });
  world.refuseTransfer(askedFor, 'not_allowed', { forOtherParty: true });
  t.deepEqual(world.commands.at(-1), { type: 'refuseRefer' });
  t.is(world.requests.length, requests);
  t.is(world.state(), 'active.talking.conversing');
  // A rejection of the agent's own transfer is reported to the agent.
  world.refuseTransfer(askedFor);
  t.regex(world.requests.at(-1)?.messages.at(-1)?.content ?? '', /^\[transfer failed: not_allowed\]/);
});

for (const [where, enter] of [
  ['while a person is ringing', () => ringing()],
  ['while the far end calls the person', () => referring()],
  [
    'while two persons talk',
    () => {
      const world = ringing();
      world.onLine({ type: 'line.transferred' });
      return world;
    },
  ],
  [
    'while the farewell is played',
    () => {
      const world = createCallWorld();
      world.answer();
      world.onReply({ type: 'reply.sentence', text: 'Goodbye.' });
      world.ask({ type: 'hangup.requested', immediate: false });
      return world;
    },
  ],
] as const)
  test(`declines a transfer requested by the other party ${where}`, (t) => {
    const world = enter();
    const state = world.state();
    world.onLine({ type: 'line.refer_received', to: askedFor });
    t.deepEqual(world.commands.at(-1), { type: 'refuseRefer' });
    t.deepEqual(world.wantedTransfers, []);
    t.is(world.state(), state);
  });
