/** Conversation chart: turns, controls, digits and failures. */
import test from 'ava';
import * as fc from 'fast-check';
import { type KeysWanted, noKeysYet } from '#machines/collected-keys.ts';
import type { Control } from '#machines/control.ts';
import type { ReplyFailure } from '#machines/reply.ts';
import { callInput, createCallWorld } from '#test/helpers/call-world.ts';
import { takenOver } from '#test/helpers/taken-over-call.ts';
import { asked as allowed, wanted } from './call/asked-transfer.ts';
import {
  answered,
  apology,
  asked,
  brokenOff,
  failedGoodbye,
  failedOpening,
  history,
  inbound,
  isBusy,
  kickoff,
  listening,
  type World,
} from './conversation/stages.ts';

// Turns
// The opening of a conversation, and the turns that follow.

test('begins an outbound conversation with the kickoff as request for the first reply', (t) => {
  const world = answered();
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(world.requests, [
    { callId: callInput.callId, turn: 1, messages: [{ role: 'user', content: kickoff ?? '' }] },
  ]);
  t.true(isBusy(world));
});

test('omits the kickoff from the transcript', (t) => {
  const world = listening();
  t.deepEqual(world.turns(), ['assistant: Good morning.']);
});

test('speaks the greeting of an inbound conversation first, without an agent request', (t) => {
  const world = answered({ ...inbound, greeting: 'Hello, how can I help?' });
  t.is(world.conversationState(), 'saying.sounding');
  t.true(isBusy(world));
  t.deepEqual(world.said(), ['Hello, how can I help?']);
  t.deepEqual(world.requests, []);
  world.play();
  t.is(world.conversationState(), 'listening.silent');
  t.false(isBusy(world));
  world.hear('A question.');
  t.deepEqual(history(world), ['assistant: Hello, how can I help?', 'user: A question.']);
});

test('waits for the caller in an inbound conversation without a greeting', (t) => {
  const world = answered({ ...inbound, greeting: null });
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.said(), []);
  world.hear('Hello?');
  t.deepEqual(history(world), ['user: Hello?']);
});

test('speaks a reply sentence by sentence and listens after the last one was played', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'One.' });
  t.is(world.conversationState(), 'replying.speaking');
  world.onReply({ type: 'reply.sentence', text: 'Two.' });
  world.onReply({ type: 'reply.finished' });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(
    world.commands.map((command) => (command.type === 'say' ? command.utterance : command.type)),
    [1, 2],
  );
  world.play();
  t.is(world.conversationState(), 'saying.sounding');
  t.true(isBusy(world));
  world.play();
  t.is(world.conversationState(), 'listening.silent');
  t.false(isBusy(world));
});

test('writes a reply as one turn, from the start of its first word to the end of its last', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'One.' });
  world.onReply({ type: 'reply.sentence', text: 'Two.' });
  world.onReply({ type: 'reply.finished' });
  world.clock.increment(1_000);
  world.onLine({ type: 'line.played', startedAt: 200, utterance: 1, text: 'One.', whole: true });
  world.clock.increment(1_000);
  world.onLine({ type: 'line.played', startedAt: 1_100, utterance: 2, text: 'Two.', whole: true });
  t.deepEqual(world.facts.at(-1), {
    type: 'turn.spoken',
    at: 200,
    endedAt: 2_000,
    role: 'assistant',
    text: 'One. Two.',
    whole: true,
  });
});

test('ends the turn of a reply with its last word if the end of the stream arrives after its playback', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'One.' });
  world.play();
  t.is(world.conversationState(), 'replying.speaking');
  t.deepEqual(world.turns(), []);
  world.onReply({ type: 'reply.finished' });
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.turns(), ['assistant: One.']);
});

test('writes words of the other party as a turn and requests the next reply with the whole history', (t) => {
  const world = listening();
  world.clock.increment(2_000);
  world.onLine({ type: 'line.speech' });
  t.is(world.conversationState(), 'listening.hearing');
  world.clock.increment(1_000);
  world.onLine({ type: 'line.heard', startedAt: 1_900, text: 'Who is this?', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(world.facts.at(-1), {
    type: 'turn.spoken',
    at: 1_900,
    endedAt: 3_000,
    role: 'user',
    text: 'Who is this?',
    whole: true,
  });
  t.is(world.requests.at(-1)?.turn, 2);
  t.deepEqual(history(world), [`user: ${kickoff}`, 'assistant: Good morning.', 'user: Who is this?']);
});

test('treats a backchannel as an answer when the agent is silent', (t) => {
  const world = listening();
  world.onLine({ type: 'line.heard', text: '네', backchannel: true });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).at(-1), 'user: 네');
});

test('treats an empty reply as silence that the agent chose', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.finished' });
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.said(), []);
  world.hear('Hello?');
  t.deepEqual(history(world), [`user: ${kickoff}`, 'user: Hello?']);
});

test('writes a DTMF digit as a fact, but not as a turn', (t) => {
  const world = listening();
  world.onLine({ type: 'line.digit', digit: '5' });
  t.deepEqual(world.facts.at(-1), { type: 'turn.digit', at: 0, digit: '5' });
  t.is(world.conversationState(), 'listening.silent');
  t.is(world.requests.length, 1);
});

// Program words
// Words requested by API are spoken instead of the agent's as soon as no one else speaks.

const say = (world: World, text: string, interrupt = false): void =>
  world.ask({ type: 'say.requested', sentences: [text], interrupt });

test('speaks words requested by API at once during silence, as a turn of the agent', (t) => {
  const world = listening();
  say(world, 'One moment, please.');
  t.is(world.conversationState(), 'saying.sounding');
  t.true(isBusy(world));
  t.is(world.said().at(-1), 'One moment, please.');
  t.deepEqual(world.facts.at(-1), { type: 'say.requested', text: 'One moment, please.', interrupt: false });
  world.play();
  t.is(world.conversationState(), 'listening.silent');
  t.is(world.turns().at(-1), 'assistant: One moment, please.');
  t.is(world.requests.length, 1);
  world.hear('Well?');
  t.deepEqual(history(world).slice(-2), ['assistant: One moment, please.', 'user: Well?']);
});

test('speaks words requested by API after the current reply, as a separate turn', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  say(world, 'One moment, please.');
  say(world, 'I am asking.');
  t.deepEqual(world.said().slice(-1), ['It costs ten thousand won.']);
  world.onReply({ type: 'reply.finished' });
  t.is(world.said().length, 2);
  world.play();
  t.deepEqual(world.said().slice(-2), ['One moment, please.', 'I am asking.']);
  world.play();
  world.play();
  t.deepEqual(world.turns().slice(-2), [
    'assistant: It costs ten thousand won.',
    'assistant: One moment, please. I am asking.',
  ]);
  t.is(world.conversationState(), 'listening.silent');
});

test("speaks words requested by API after the other party's speech and its answer", (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  say(world, 'One moment, please.', true);
  t.is(world.conversationState(), 'listening.hearing');
  world.onLine({ type: 'line.heard', text: 'What is the price?', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
  world.onReply({ type: 'reply.sentence', text: 'Ten thousand won.' });
  world.onReply({ type: 'reply.finished' });
  world.play();
  t.is(world.said().at(-1), 'One moment, please.');
});

test("speaks words requested by API when the other party's speech had no words", (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  say(world, 'One moment, please.');
  world.clock.increment(30_000);
  t.is(world.said().at(-1), 'One moment, please.');
});

test('an interrupting API request replaces the current reply, of which the heard part is stored', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  const aborted = world.counts.repliesAborted;
  say(world, 'Stop.', true);
  t.is(world.counts.repliesAborted, aborted + 1);
  t.is(world.commands.at(-1)?.type, 'stopTalking');
  t.is(world.conversationState(), 'listening.settling');
  t.true(isBusy(world));
  world.play('It costs');
  t.is(world.said().at(-1), 'Stop.');
  world.play();
  t.deepEqual(world.turns().slice(-2), ['assistant: It costs', 'assistant: Stop.']);
  t.is(world.conversationState(), 'listening.silent');
});

test('answers a question after words requested by API that replaced its unheard answer', (t) => {
  const world = asked();
  say(world, 'One moment, please.', true);
  t.is(world.said().at(-1), 'One moment, please.');
  world.play();
  t.is(world.conversationState(), 'replying.thinking');
  // The last message is the one to be answered.
  t.deepEqual(history(world).slice(-2), ['assistant: One moment, please.', 'user: A question.']);
});

test('stops words requested by API when the other party speaks', (t) => {
  const world = listening();
  say(world, 'One moment, please.');
  world.hear('No!');
  t.true(world.commands.some(({ type }) => type === 'stopTalking'));
  world.play('One');
  t.is(world.conversationState(), 'replying.thinking');
  t.is(world.turns().at(-1), 'assistant: One');
});

test('answers speech first that begins before words requested by API are played', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  say(world, 'Stop.', true);
  world.onLine({ type: 'line.speech' });
  world.play('It costs');
  t.is(world.conversationState(), 'listening.hearing');
  t.false(world.said().includes('Stop.'));
});

test('holds words requested by API while the call is on hold', (t) => {
  const world = listening();
  world.onLine({ type: 'line.held' });
  say(world, 'One moment, please.', true);
  t.is(world.conversationState(), 'on-hold');
  world.onLine({ type: 'line.resumed' });
  t.is(world.said().at(-1), 'One moment, please.');
});

test('delays a hangup requested after words by API until the words were heard', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  say(world, 'Goodbye.', true);
  world.ask({ type: 'hangup.requested', immediate: false });
  world.play('It costs');
  t.is(world.state(), 'active.talking.hangup-pending');
  world.play();
  t.is(world.state(), 'active.ending');
  t.is(world.turns().at(-1), 'assistant: Goodbye.');
});

test('restarts the silence timer after words requested by API', (t) => {
  const world = listening();
  world.clock.increment(29_000);
  say(world, 'Are you there?');
  world.play();
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
});

// Collecting
// DTMF digits of the other party that reach the agent as one turn.

const collectingWanted: KeysWanted = { digits: 4, finish: null, timeoutSec: 10, secret: false };

const collect = (world: World, changes: Partial<KeysWanted> = {}): void =>
  world.ask({ type: 'collect.requested', wanted: { ...collectingWanted, ...changes } });

const pressCollecting = (world: World, digits: string): void => {
  for (const digit of digits) world.onLine({ type: 'line.digit', digit });
};

test('writes the requested number of digits as one turn of the other party and requests a reply', (t) => {
  const world = listening();
  collect(world);
  t.is(world.conversationState(), 'listening.collecting');
  t.true(isBusy(world));
  pressCollecting(world, '123');
  t.is(world.conversationState(), 'listening.collecting');
  world.clock.increment(5);
  pressCollecting(world, '4');
  t.is(world.conversationState(), 'replying.thinking');
  t.is(history(world).at(-1), 'user: [keys] 1234');
  t.like(world.facts.at(-1), { type: 'turn.spoken', role: 'user', text: '[keys] 1234' });
  const turn = world.facts.at(-1);
  t.is(turn?.type === 'turn.spoken' && turn.endedAt - turn.at, 5);
  world.replyAndPlay('Thank you.');
  t.is(world.conversationState(), 'listening.silent');
});

test('omits the finish digit from the collected digits', (t) => {
  const world = listening();
  collect(world, { digits: null, finish: '#' });
  pressCollecting(world, '12#');
  t.is(history(world).at(-1), 'user: [keys] 12');
});

test('completes a collection when no further digit arrives in time', (t) => {
  const world = listening();
  collect(world);
  world.clock.increment(9_999);
  pressCollecting(world, '1');
  world.clock.increment(9_999);
  t.is(world.conversationState(), 'listening.collecting');
  world.clock.increment(1);
  t.is(history(world).at(-1), 'user: [keys] 1');
});

test('reports to the agent that no digit was pressed', (t) => {
  const world = listening();
  collect(world);
  const facts = world.facts.length;
  world.clock.increment(10_000);
  t.is(history(world).at(-1), 'user: [keys]');
  t.is(world.conversationState(), 'replying.thinking');
  t.is(world.facts.length, facts);
});

test('sends no silence reprompt while digits are collected', (t) => {
  const world = listening({ silenceTimeoutSec: 5 });
  collect(world, { timeoutSec: 60 });
  world.clock.increment(59_000);
  t.is(world.conversationState(), 'listening.collecting');
});

test("collects digits pressed during the agent's speech, and answers them after it", (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'Four digits, please.' });
  collect(world);
  pressCollecting(world, '1234');
  t.is(world.conversationState(), 'replying.speaking');
  world.onReply({ type: 'reply.finished' });
  world.play();
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).slice(-2), ['assistant: Four digits, please.', 'user: [keys] 1234']);
});

test('answers words during digit collection and continues the collection', (t) => {
  const world = listening();
  collect(world);
  pressCollecting(world, '1');
  world.hear('Where is it?');
  t.is(history(world).at(-1), 'user: Where is it?');
  world.replyAndPlay('On the back.');
  t.is(world.conversationState(), 'listening.collecting');
  pressCollecting(world, '234');
  t.is(history(world).at(-1), 'user: [keys] 1234');
});

test('replaces a digit request by a new one', (t) => {
  const world = listening();
  collect(world);
  pressCollecting(world, '12');
  collect(world, { digits: 1 });
  pressCollecting(world, '9');
  t.is(history(world).at(-1), 'user: [keys] 9');
});

test('executes a control of a reply after the words before it', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'Four digits, please.' });
  world.onReply({ type: 'reply.control', control: { act: 'collect_keys', wanted: collectingWanted } });
  world.onReply({ type: 'reply.finished' });
  t.false(world.story().includes('collect.requested'));
  world.play();
  t.is(world.conversationState(), 'listening.collecting');
  t.true(world.story().includes('collect.requested'));
});

test('delays a requested hangup until the digits are collected', (t) => {
  const world = listening();
  collect(world);
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.talking.hangup-pending');
  pressCollecting(world, '1234');
  t.is(world.state(), 'active.talking.hangup-pending');
  world.replyAndPlay('Goodbye.');
  t.is(world.state(), 'active.ending');
});

test('masks secret digits on the line and pauses the recording while they are collected', (t) => {
  const world = listening({ recording: true });
  const before = world.commands.length;
  collect(world, { digits: null, finish: '#', secret: true });
  pressCollecting(world, '••••#');
  t.deepEqual(world.commands.slice(before), [
    { type: 'hideKeys', finish: '#' },
    { type: 'pauseRecording' },
    { type: 'keepKeys' },
    { type: 'resumeRecording' },
  ]);
  t.is(history(world).at(-1), 'user: [keys] ••••');
  t.is(world.turns().at(-1), 'user: [keys] ••••');
  t.false(world.actor.getSnapshot().context.recordingIsPaused);
});

test('keeps a recording paused after secret digits if it was paused before', (t) => {
  const world = listening({ recording: true });
  world.ask({ type: 'recording.pause_requested' });
  collect(world, { digits: 1, secret: true });
  pressCollecting(world, '•');
  t.true(world.actor.getSnapshot().context.recordingIsPaused);
});

test('keeps a recording paused after secret digits if a program pauses it meanwhile', (t) => {
  const world = listening({ recording: true });
  collect(world, { digits: 1, secret: true });
  world.ask({ type: 'recording.pause_requested' });
  pressCollecting(world, '•');
  t.true(world.actor.getSnapshot().context.recordingIsPaused);
  t.is(world.commands.filter(({ type }) => type === 'resumeRecording').length, 0);
  world.ask({ type: 'recording.resume_requested' });
  t.false(world.actor.getSnapshot().context.recordingIsPaused);
});

test('continues collecting digits after a take-over and masks them again', (t) => {
  const collected = {
    wanted: { ...collectingWanted, secret: true },
    keys: '',
    areAll: false,
    startedAt: null,
    endedAt: null,
  };
  const world = createCallWorld({
    recording: true,
    takenOver: takenOver({ collected }, { recordingIsPaused: true, pausedForSecret: true }),
  });
  world.onLine({ type: 'line.adopted' });
  t.is(world.conversationState(), 'listening.collecting');
  t.deepEqual(world.commands, [{ type: 'pauseRecording' }, { type: 'hideKeys', finish: null }]);
  pressCollecting(world, '••••');
  t.is(history(world).at(-1), 'user: [keys] ••••');
  t.false(world.actor.getSnapshot().context.recordingIsPaused);
});

test('masks digits after a take-over if the last requested ones were secret', (t) => {
  const world = createCallWorld({ takenOver: takenOver({}, { keysAreHidden: true }) });
  world.onLine({ type: 'line.adopted' });
  t.deepEqual(world.commands, [{ type: 'forgetKeys' }]);
  collect(world, { digits: 1 });
  t.deepEqual(world.commands.at(-1), { type: 'showKeys' });
});

test('keeps a recording paused after a take-over if it was paused before secret digits', (t) => {
  const collected = noKeysYet({ ...collectingWanted, secret: true });
  const world = createCallWorld({
    recording: true,
    takenOver: takenOver({ collected }, { recordingIsPaused: true }),
  });
  world.onLine({ type: 'line.adopted' });
  pressCollecting(world, '••••');
  t.true(world.actor.getSnapshot().context.recordingIsPaused);
});

test('ends the masking at a request for non-secret digits', (t) => {
  const world = listening();
  const before = world.commands.length;
  collect(world, { secret: true });
  pressCollecting(world, '••');
  collect(world, { digits: 1 });
  pressCollecting(world, '9');
  t.deepEqual(world.commands.slice(before), [{ type: 'hideKeys', finish: null }, { type: 'showKeys' }]);
  t.is(history(world).at(-1), 'user: [keys] 9');
});

const askInSecret = (world: World): void => {
  world.onReply({ type: 'reply.sentence', text: 'Your number, please.' });
  world.onReply({
    type: 'reply.control',
    control: { act: 'collect_keys', wanted: { ...collectingWanted, secret: true } },
  });
  world.onReply({ type: 'reply.finished' });
};

test('masks secret digits during the question, and collects only digits after the question', (t) => {
  const world = asked({ recording: true });
  const before = world.commands.length;
  askInSecret(world);
  pressCollecting(world, '••');
  world.play();
  pressCollecting(world, '••••');
  t.deepEqual(
    world.commands.slice(before).filter(({ type }) => type !== 'say'),
    [
      { type: 'hideKeys', finish: null },
      { type: 'pauseRecording' },
      { type: 'hideKeys', finish: null },
      { type: 'keepKeys' },
      { type: 'resumeRecording' },
    ],
  );
  t.is(history(world).at(-1), 'user: [keys] ••••');
});

test('cancels the collection of secret digits and resumes the recording when speech interrupts the question', (t) => {
  const world = asked({ recording: true });
  askInSecret(world);
  t.true(world.actor.getSnapshot().context.recordingIsPaused);
  world.onLine({ type: 'line.speech' });
  world.play('Your');
  t.is(world.commands.at(-2)?.type, 'forgetKeys');
  t.false(world.actor.getSnapshot().context.recordingIsPaused);
  t.is(world.actor.getSnapshot().context.keys.secret, null);
});

// Controls
// A control of a reply is executed when the words before it were heard, and only then.

const hangUp: Control = { act: 'hang_up' };
const pressControls = (keys: string): Control => ({ act: 'press_keys', keys });

const write = (world: World, ...reply: (string | Control)[]): void => {
  for (const part of reply)
    world.onReply(
      typeof part === 'string'
        ? { type: 'reply.sentence', text: part }
        : { type: 'reply.control', control: part },
    );
};
const finish = (world: World): void => world.onReply({ type: 'reply.finished' });

const pressed = (world: World): string[] =>
  world.commands.flatMap((command) => (command.type === 'press' ? [command.keys] : []));

test('a hangup control after a farewell waits until the farewell was heard, like a hangup by API', (t) => {
  const world = asked();
  write(world, 'Thank you.', 'Goodbye.', hangUp);
  finish(world);
  world.play();
  t.false(world.story().includes('call.hangup_requested'));
  t.is(world.state(), 'active.talking.conversing');
  world.play();
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.story().slice(-2), ['turn.spoken', 'call.hangup_requested']);
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup', status: 'completed' });
});

test('a hangup control before the farewell stays pending while the farewell is spoken', (t) => {
  const world = asked();
  write(world, hangUp);
  t.is(world.state(), 'active.talking.hangup-pending');
  t.true(isBusy(world));
  write(world, 'Goodbye.');
  finish(world);
  t.is(world.state(), 'active.talking.hangup-pending');
  world.play();
  t.is(world.state(), 'active.ending');
});

test('speech during the farewell cancels a hangup control, like a hangup by API', (t) => {
  const world = asked();
  write(world, hangUp, 'Goodbye.');
  finish(world);
  world.hear('Wait!');
  t.is(world.state(), 'active.talking.conversing');
});

test('executes controls in the order of the reply', (t) => {
  const world = asked();
  write(world, pressControls('1'), 'One.', pressControls('2'), pressControls('3'), 'Two.');
  t.deepEqual(pressed(world), ['1']);
  world.play();
  t.deepEqual(pressed(world), ['1', '2', '3']);
  write(world, pressControls('4'));
  t.deepEqual(pressed(world), ['1', '2', '3']);
  finish(world);
  world.play();
  t.deepEqual(pressed(world), ['1', '2', '3', '4']);
});

test('skips controls after an interrupted sentence', (t) => {
  const world = asked();
  write(world, 'One.', pressControls('1'), 'Two.', pressControls('2'), 'Three.', hangUp);
  finish(world);
  world.play();
  world.onLine({ type: 'line.speech' });
  world.play('T');
  world.play('');
  world.onLine({ type: 'line.heard', text: 'No.', backchannel: false });
  t.deepEqual(pressed(world), ['1']);
  world.replyAndPlay('As you like.');
  t.deepEqual(pressed(world), ['1']);
  t.is(world.state(), 'active.talking.conversing');
});

test('executes each control once after everything before it was played, and none after an interruption, for any order of events', (t) => {
  const step = fc.constantFrom('sentence', 'control', 'play');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 24 }), fc.boolean(), (steps, isInterrupted) => {
      const world = asked();
      /** Pending controls, each with the number of sentences before it that were not played yet. */
      let waiting: { keys: string; behind: number }[] = [];
      let unplayed = 0;
      const expected: string[] = [];
      const playOne = (): void => {
        unplayed -= 1;
        waiting = waiting.map(({ keys, behind }) => ({ keys, behind: behind - 1 }));
        expected.push(...waiting.filter(({ behind }) => behind === 0).map(({ keys }) => keys));
        waiting = waiting.filter(({ behind }) => behind > 0);
        world.play();
      };
      for (const [index, what] of steps.entries()) {
        const keys = String(index).padStart(2, '0');
        if (what === 'sentence') {
          write(world, `Sentence ${keys}.`);
          unplayed += 1;
        } else if (what === 'control') {
          write(world, pressControls(keys));
          if (unplayed === 0) expected.push(keys);
          else waiting.push({ keys, behind: unplayed });
        } else if (unplayed > 0) playOne();
        t.deepEqual(pressed(world), expected);
      }
      finish(world);
      if (isInterrupted && unplayed > 0) {
        world.onLine({ type: 'line.speech' });
        for (; unplayed > 0; unplayed -= 1) world.play('');
        world.onLine({ type: 'line.heard', text: 'No.', backchannel: false });
        world.replyAndPlay('As you like.');
      }
      while (unplayed > 0) playOne();
      t.deepEqual(pressed(world), expected);
    }),
  );
});

test('delays controls at a voice onset without words, but drops none', (t) => {
  const world = asked();
  write(world, 'Goodbye.', hangUp);
  finish(world);
  world.onLine({ type: 'line.onset' });
  t.is(world.state(), 'active.talking.conversing');
  world.onLine({ type: 'line.no_speech' });
  world.play();
  t.is(world.state(), 'active.ending');
});

test('treats a sentence that cannot be synthesized as played, so that later controls are executed', (t) => {
  const world = asked();
  write(world, '…', pressControls('1'));
  world.onLine({ type: 'line.played', utterance: 2, text: '', whole: true, startedAt: 0 });
  t.deepEqual(pressed(world), ['1']);
});

test('keeps the effect of a control before the failure of its reply', (t) => {
  const world = asked();
  write(world, 'One moment.', pressControls('1'));
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.play();
  t.deepEqual(pressed(world), ['1']);
});

test('ignores controls of an abandoned reply', (t) => {
  const world = asked();
  const late = world.currentReply();
  world.onLine({ type: 'line.speech' });
  late({ type: 'reply.control', control: hangUp });
  t.is(world.state(), 'active.talking.conversing');
  t.false(world.story().includes('call.hangup_requested'));
});

test('skips the remaining controls on hold and on an answering machine', (t) => {
  const held = asked();
  write(held, 'Goodbye.', hangUp);
  held.onLine({ type: 'line.held' });
  held.play('');
  held.onLine({ type: 'line.resumed' });
  t.is(held.state(), 'active.talking.conversing');

  const machine = answered({ voicemail: 'leave_message' });
  write(machine, 'Hello.', pressControls('1'));
  machine.onLine({ type: 'line.answered_by', by: 'machine' });
  machine.play('');
  t.deepEqual(pressed(machine), []);
});

// Transfer control
// A transfer that the agent writes in its reply: when it is requested, and how the reply continues after a rejection.

const { to } = allowed;
const transfer: Control = { act: 'transfer', transfer: wanted };

const refusedTurn = (reason: string): string =>
  `user: [transfer failed: ${reason}] The other party is still on the line. You speak first.\n[to] ${to}`;

test('requests a transfer after the words before it were heard, and calls the target only if permitted', (t) => {
  const world = asked();
  write(world, 'One moment.', 'I connect you.', transfer);
  finish(world);
  world.play();
  t.deepEqual(world.wantedTransfers, []);
  world.play();
  t.deepEqual(world.wantedTransfers, [wanted]);
  t.is(world.state(), 'active.talking.conversing');
  t.false(world.commands.some(({ type }) => type === 'transfer'));
  world.ask({ ...allowed, mode: 'warm' });
  t.is(world.state(), 'active.talking.transferring.consulting');
  t.deepEqual(world.commands.at(-1), { type: 'transfer', to, mode: 'warm' });
});

test('skips a transfer after words that were not heard', (t) => {
  const world = asked();
  write(world, 'One moment.', transfer);
  finish(world);
  world.onLine({ type: 'line.speech' });
  world.play('One');
  world.onLine({ type: 'line.heard', text: 'No.', backchannel: false });
  world.replyAndPlay('As you like.');
  t.deepEqual(world.wantedTransfers, []);

  const held = asked();
  write(held, 'One moment.', transfer);
  held.onLine({ type: 'line.held' });
  held.play('');
  held.onLine({ type: 'line.resumed' });
  t.deepEqual(held.wantedTransfers, []);
});

test('reports a rejected transfer to the agent after all words of its reply were spoken', (t) => {
  const world = asked();
  write(world, transfer, 'One moment.');
  world.refuseTransfer(to);
  const [requests, aborted] = [world.requests.length, world.counts.repliesAborted];
  write(world, 'I connect you.');
  t.deepEqual(world.said().slice(-2), ['One moment.', 'I connect you.']);
  t.is(world.counts.repliesAborted, aborted);
  finish(world);
  world.play();
  t.is(world.requests.length, requests);
  world.play();
  t.is(world.requests.length, requests + 1);
  t.deepEqual(history(world).slice(-2), [
    'assistant: One moment. I connect you.',
    refusedTurn('not_allowed'),
  ]);
  world.replyAndPlay('I cannot connect you.');
  t.is(world.said().at(-1), 'I cannot connect you.');
  t.is(world.state(), 'active.talking.conversing');
  t.false(world.story().some((type) => type.startsWith('call.transfer')));
});

test('requests the next reply at once when a transfer is rejected after the whole reply', (t) => {
  const world = asked();
  write(world, 'One moment.', transfer);
  finish(world);
  world.play();
  const requests = world.requests.length;
  world.refuseTransfer(to, 'invalid_number');
  t.is(world.requests.length, requests + 1);
  t.is(history(world).at(-1), refusedTurn('invalid_number'));
});

test('reports a transfer rejected during hold when the other party returns', (t) => {
  const world = asked();
  write(world, transfer);
  finish(world);
  world.onLine({ type: 'line.held' });
  const requests = world.requests.length;
  world.refuseTransfer(to);
  t.is(world.requests.length, requests);
  world.onLine({ type: 'line.resumed' });
  t.is(world.requests.length, requests + 1);
});

test('ignores a transfer rejection if the call is ending or a person is ringing', (t) => {
  const ending = asked();
  write(ending, transfer, { act: 'hang_up' }, 'Goodbye.');
  finish(ending);
  ending.refuseTransfer(to);
  ending.play();
  t.is(ending.state(), 'active.ending');

  const ringing = asked();
  write(ringing, transfer);
  finish(ringing);
  ringing.ask(allowed);
  ringing.refuseTransfer(to, 'unavailable');
  t.is(ringing.state(), 'active.talking.transferring.consulting');
  ringing.onLine({ type: 'line.transfer_failed', cause: 'busy' });
  t.is(history(ringing).filter((message) => message.includes('[transfer failed')).length, 1);
});

test('stops an agent that answers each rejection with another transfer', (t) => {
  const world = asked();
  const writeTransfer = (): void => {
    write(world, transfer);
    finish(world);
  };
  for (let times = 1; times <= 3; times += 1) {
    writeTransfer();
    t.is(world.wantedTransfers.length, times);
    world.refuseTransfer(to);
  }
  writeTransfer();
  t.is(world.wantedTransfers.length, 3);
  t.is(world.conversationState(), 'listening.silent');
  world.hear('Hello?');
  writeTransfer();
  t.is(world.wantedTransfers.length, 4);
});

test('accepts a transfer as the first reply', (t) => {
  const world = listening({ direction: 'inbound', kickoff: null, greeting: 'Good morning.' });
  world.hear('A person, please.');
  write(world, transfer);
  t.deepEqual(world.wantedTransfers, [wanted]);
});

// Failures
// A failed reply is never followed by silence: apologies, introductions and goodbyes.

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
  test(`apologises for a reply that fails with ${failure} and continues the call`, (t) => {
    const world = asked();
    world.onReply({ type: 'reply.failed', failure, detail: 'status 500' });
    t.is(world.conversationState(), 'saying.sounding');
    t.deepEqual(world.said(), ['Good morning.', apology]);
    t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 2, failure, detail: 'status 500' });
    world.play();
    t.is(world.conversationState(), 'listening.silent');
    t.deepEqual(world.turns().at(-1), `assistant: ${apology}`);
  });

test('a failure without a detail omits it from the fact', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.failed', failure: 'invalid_reply' });
  t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 2, failure: 'invalid_reply' });
});

test('keeps the spoken part of a reply that fails midway and apologises for it', (t) => {
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

test('apologises for a reply that breaks off after all of its text was heard', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'I will look' });
  world.play();
  world.onReply({ type: 'reply.failed', failure: 'reply_cut_off' });
  t.deepEqual(world.said().slice(1), ['I will look', brokenOff]);
  t.is(world.conversationState(), 'saying.sounding');
});

test('introduces the call, says goodbye and hangs up after a failed kickoff', (t) => {
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

test('introduces an outbound call after a failure if the callee has only said hello', (t) => {
  const world = answered();
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.deepEqual(world.said(), [failedOpening]);
});

test('lets the other party answer a kickoff that breaks off after its first words', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'Good morning, I call about' });
  world.onReply({ type: 'reply.failed', failure: 'reply_cut_off' });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(world.said(), ['Good morning, I call about', brokenOff]);
});

test('apologises for the first failure of an inbound call without an introduction', (t) => {
  const world = answered({ ...inbound, greeting: null });
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(world.said(), [apology]);
});

/** The agent has failed once and was requested again. */
const failedOnce = (): World => {
  const world = asked();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.play();
  world.hear('Hello?');
  return world;
};

test('says goodbye at the second consecutive failure and ends the call after it was heard', (t) => {
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

test('plays the words before the second failure, then the goodbye', (t) => {
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

test('records words during the goodbye without answering them', (t) => {
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

test('waits only a limited time if the line never reports the goodbye as played', (t) => {
  const world = failedOnce();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.clock.increment(119_999);
  t.is(world.conversationState(), 'parting');
  world.clock.increment(1);
  t.is(world.actor.getSnapshot().context.endReason, 'agent_error');
});

test('does not count an interrupted reply between two failures as a success', (t) => {
  const world = failedOnce();
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'parting');
});

test('resets the failure count at a success', (t) => {
  const world = failedOnce();
  world.replyAndPlay('Here I am.');
  world.hear('And now?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(world.said().slice(1), [apology, 'Here I am.', apology]);
});

test('counts a chosen silence between two failures as a success', (t) => {
  const world = failedOnce();
  world.onReply({ type: 'reply.finished' });
  world.hear('And now?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'saying.sounding');
});

test('apologises for a crashed reply as for a failed one', (t) => {
  const world = asked({}, { replyCrashes: (turn) => turn === 2 });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 2, failure: 'agent_crashed' });
  world.play();
  world.hear('Hello?');
  world.replyAndPlay('Here I am.');
  t.deepEqual(world.turns().slice(2), [`assistant: ${apology}`, 'user: Hello?', 'assistant: Here I am.']);
});

test('ends the conversation at the second consecutive crash', (t) => {
  const world = asked({}, { replyCrashes: (turn) => turn > 1 });
  world.play();
  world.hear('Hello?');
  t.is(world.conversationState(), 'parting');
  t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 3, failure: 'agent_crashed' });
  world.play();
  t.is(world.actor.getSnapshot().context.endReason, 'agent_error');
});

test('stops an apology when the other party speaks', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.onLine({ type: 'line.speech' });
  world.play('');
  world.onLine({ type: 'line.heard', text: 'Hello?', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).slice(-2), ['user: A question.', 'user: Hello?']);
});
