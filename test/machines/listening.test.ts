/** Conversation chart: silence, pauses, interruptions, hold and language. */
import test from 'ava';
import type { Control } from '#machines/control.ts';
import { phrases } from '#src/domain/phrases.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { takenOver } from '#test/helpers/taken-over-call.ts';
import { stopping } from '#test/helpers/usual-barge-in.ts';
import {
  answered,
  asked,
  brokenOff,
  history,
  inbound,
  isBusy,
  kickoff,
  listening,
  reprompt,
  type World,
} from './conversation/stages.ts';

// Silence: the reprompt, events that reset it, and a conversation that closes.

test('speaks one reprompt after the silence time-out', (t) => {
  const world = listening();
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
  world.clock.increment(1);
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(world.said(), ['Good morning.', reprompt]);
  t.is(world.requests.length, 1);
});

test('silence after the reprompt ends the conversation', (t) => {
  const world = listening();
  world.clock.increment(30_000);
  world.clock.increment(2_000);
  world.play();
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
  world.clock.increment(1);
  t.is(world.conversationState(), 'closing');
  t.deepEqual(world.said(), ['Good morning.', reprompt]);
  t.is(world.actor.getSnapshot().context.endReason, 'silence_timeout');
});

test("counts silence from the end of the agent's speech", (t) => {
  const world = answered();
  world.clock.increment(40_000);
  world.onReply({ type: 'reply.sentence', text: 'A very long sentence.' });
  world.clock.increment(40_000);
  world.onReply({ type: 'reply.finished' });
  world.play();
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
});

test('resets the silence timer and the reprompt at words', (t) => {
  const world = listening();
  world.clock.increment(30_000);
  world.play();
  world.clock.increment(29_000);
  world.hear('I am here.');
  world.replyAndPlay('Good.');
  world.clock.increment(30_000);
  t.is(world.conversationState(), 'saying.sounding', 'asked once more, because there were words between');
  t.deepEqual(world.said(), ['Good morning.', reprompt, 'Good.', reprompt]);
});

test('does not reset the silence timer at noise without words', (t) => {
  const world = listening();
  for (const second of [10_000, 10_000, 10_000]) {
    world.onLine({ type: 'line.digit', digit: '1' });
    world.clock.increment(second);
  }
  t.is(world.conversationState(), 'saying.sounding');
});

test('does not reprompt a party that speaks for longer than the silence time-out', (t) => {
  const world = listening({ silenceTimeoutSec: 5 });
  world.onLine({ type: 'line.speech' });
  world.clock.increment(20_000);
  t.is(world.conversationState(), 'listening.hearing');
  t.deepEqual(world.said(), ['Good morning.']);
  world.onLine({ type: 'line.heard', startedAt: 0, text: 'A long complaint.', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
});

test('keeps listening to a party that continues speaking', (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  world.clock.increment(29_000);
  world.onLine({ type: 'line.speech' });
  world.clock.increment(29_000);
  t.is(world.conversationState(), 'listening.hearing');
});

test('counts speech without recognized words as silence after a time-out', (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  world.clock.increment(30_000);
  t.is(world.conversationState(), 'listening.silent');
  world.clock.increment(30_000);
  t.is(world.conversationState(), 'saying.sounding');
});

test('does not count a reprompt as a success of the agent', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.play();
  world.clock.increment(30_000);
  world.play();
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'parting');
});

test('a closing conversation aborts its reply, requests no other and records the heard part', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'One.' });
  world.onReply({ type: 'reply.sentence', text: 'Two.' });
  world.ask({ type: 'gateway.closing' });
  t.is(world.conversationState(), 'closing');
  t.is(world.counts.repliesAborted, 1);
  world.play();
  t.deepEqual(world.turns(), [], 'the second sentence is not reported yet');
  world.play('Tw');
  world.hear('Hello?');
  world.clock.increment(1_000);
  t.deepEqual(world.turns(), ['assistant: One. Tw']);
  t.is(world.requests.length, 1);
});

test('adds no turn if the conversation closes while the other party speaks', (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  world.ask({ type: 'gateway.closing' });
  t.is(world.conversationState(), 'closing');
  t.deepEqual(world.turns(), ['assistant: Good morning.']);
});

// Pause
// The agent pauses at a voice onset; the words that follow decide how it continues.

/** Commands to the line about playback. */
const pauseTold = (world: World): string[] =>
  world.commands.map(({ type }) => type).filter((type) => type.endsWith('Talking'));

const speaking = (): World => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'A long story.' });
  return world;
};

test("pauses the agent's speech at a voice onset and resumes it if no words follow", (t) => {
  const world = speaking();
  world.onLine({ type: 'line.onset' });
  t.is(world.conversationState(), 'replying.paused');
  t.true(isBusy(world));
  t.is(world.counts.repliesAborted, 0);
  world.clock.increment(300);
  world.onLine({ type: 'line.no_speech' });
  t.is(world.conversationState(), 'replying.speaking');
  t.deepEqual(pauseTold(world), ['pauseTalking', 'resumeTalking']);
  t.deepEqual(world.facts.slice(-2), [
    { type: 'agent.paused', at: 0 },
    { type: 'agent.resumed', at: 300 },
  ]);
  world.onReply({ type: 'reply.finished' });
  world.play();
  t.deepEqual(world.turns(), ['assistant: A long story.']);
});

test('ignores reply events after the end of a reply and resumes the paused line', (t) => {
  for (const late of [
    { type: 'reply.sentence', text: 'And more.' },
    { type: 'reply.finished' },
    { type: 'reply.failed', failure: 'agent_crashed' },
  ] as const) {
    const world = speaking();
    world.onLine({ type: 'line.onset' });
    world.onReply({ type: 'reply.finished' });
    world.onReply(late);
    t.is(world.conversationState(), 'saying.paused');
    world.onLine({ type: 'line.no_speech' });
    t.is(pauseTold(world).at(-1), 'resumeTalking');
    t.deepEqual(world.said(), ['A long story.']);
    t.false(world.story().includes('reply.failed'));
  }
});

test('speaks text that arrives during a pause after the paused sentence', (t) => {
  const world = speaking();
  world.onLine({ type: 'line.onset' });
  world.onReply({ type: 'reply.sentence', text: 'Its end.' });
  t.deepEqual(world.said(), ['A long story.', 'Its end.']);
  world.onReply({ type: 'reply.finished' });
  t.is(world.conversationState(), 'saying.paused');
  world.onLine({ type: 'line.no_speech' });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(pauseTold(world), ['pauseTalking', 'pauseTalking', 'resumeTalking']);
  world.play();
  world.play();
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.turns(), ['assistant: A long story. Its end.']);
});

test('words turn a pause into an interruption, and the part heard before the pause is stored', (t) => {
  for (const event of [
    { type: 'line.speech' },
    { type: 'line.heard', text: 'Stop.', backchannel: false },
  ] as const) {
    const world = speaking();
    world.onLine({ type: 'line.onset' });
    world.onLine(event);
    t.is(world.conversationState(), 'listening.hearing');
    t.deepEqual(pauseTold(world), ['pauseTalking', 'stopTalking']);
    t.is(world.counts.repliesAborted, 1);
    world.play('A long');
    if (event.type === 'line.speech') world.onLine({ type: 'line.heard', text: 'Stop.', backchannel: false });
    t.deepEqual(history(world), [`user: ${kickoff}`, 'assistant: A long', 'user: Stop.']);
    t.false(world.story().includes('agent.resumed'));
  }
});

test('records a backchannel during a pause and resumes', (t) => {
  const world = speaking();
  world.onReply({ type: 'reply.finished' });
  world.onLine({ type: 'line.onset' });
  world.onLine({ type: 'line.heard', text: 'uh-huh', backchannel: true });
  t.is(world.conversationState(), 'saying.paused');
  world.onLine({ type: 'line.no_speech' });
  world.play();
  t.deepEqual(world.turns(), ['user: uh-huh', 'assistant: A long story.']);
});

test('resumes after a time-out of a pause without words', (t) => {
  for (const isWhole of [false, true]) {
    const world = speaking();
    if (isWhole) world.onReply({ type: 'reply.finished' });
    world.onLine({ type: 'line.onset' });
    world.clock.increment(9_999);
    t.is(world.conversationState(), isWhole ? 'saying.paused' : 'replying.paused');
    world.clock.increment(1);
    t.is(world.conversationState(), isWhole ? 'saying.sounding' : 'replying.speaking');
    t.is(pauseTold(world).at(-1), 'resumeTalking');
    t.is(world.story().at(-1), 'agent.resumed');
  }
});

test('ends a sentence during the pause if its last sample was played at the voice onset', (t) => {
  const whole = speaking();
  whole.onReply({ type: 'reply.finished' });
  whole.onLine({ type: 'line.onset' });
  whole.play();
  t.is(whole.conversationState(), 'listening.silent');
  t.is(pauseTold(whole).at(-1), 'resumeTalking', 'what is said next is not to be held up');

  const other = speaking();
  other.onLine({ type: 'line.onset' });
  other.play();
  t.is(other.conversationState(), 'replying.paused');
  other.onReply({ type: 'reply.finished' });
  t.is(other.conversationState(), 'listening.silent');
  t.is(pauseTold(other).at(-1), 'resumeTalking');
});

test('apologises for a reply that fails during a pause, after its words', (t) => {
  const world = speaking();
  world.onLine({ type: 'line.onset' });
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(world.said(), ['A long story.', brokenOff]);
  t.is(pauseTold(world).at(-1), 'resumeTalking');
});

test('pauses a greeting at a voice onset', (t) => {
  const world = answered({ ...inbound, greeting: 'Welcome.' });
  world.onLine({ type: 'line.onset' });
  t.is(world.conversationState(), 'saying.paused');
  world.onLine({ type: 'line.no_speech' });
  t.is(world.conversationState(), 'saying.sounding');
  world.onLine({ type: 'line.onset' });
  world.clock.increment(10_000);
  t.is(world.conversationState(), 'saying.sounding');
  world.onLine({ type: 'line.onset' });
  world.play();
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(pauseTold(world), [
    'pauseTalking',
    'resumeTalking',
    'pauseTalking',
    'resumeTalking',
    'pauseTalking',
    'resumeTalking',
  ]);
});

test('a hangup waits for a paused farewell, and speech during the pause cancels the hangup', (t) => {
  const world = speaking();
  world.onReply({ type: 'reply.finished' });
  world.ask({ type: 'hangup.requested', immediate: false });
  world.onLine({ type: 'line.onset' });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.onLine({ type: 'line.no_speech' });
  world.onLine({ type: 'line.onset' });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.onLine({ type: 'line.speech' });
  t.is(world.state(), 'active.talking.conversing');

  const other = speaking();
  other.onReply({ type: 'reply.finished' });
  other.ask({ type: 'hangup.requested', immediate: false });
  other.onLine({ type: 'line.onset' });
  other.onLine({ type: 'line.no_speech' });
  other.play();
  t.is(other.state(), 'active.ending');
});

test('hold, an answering machine and the end of the call end a pause', (t) => {
  const held = speaking();
  held.onLine({ type: 'line.onset' });
  held.onLine({ type: 'line.held' });
  t.is(held.conversationState(), 'on-hold');
  t.is(pauseTold(held).at(-1), 'stopTalking');

  const machine = answered({ voicemail: 'leave_message' });
  machine.onReply({ type: 'reply.sentence', text: 'A long story.' });
  machine.onLine({ type: 'line.onset' });
  machine.onLine({ type: 'line.answered_by', by: 'machine' });
  t.is(machine.conversationState(), 'voicemail');
  t.is(pauseTold(machine).at(-1), 'stopTalking');

  const gone = speaking();
  gone.onLine({ type: 'line.onset' });
  gone.play('A long');
  gone.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(gone.end(), { reason: 'counterparty_hangup', status: 'completed' });
  t.deepEqual(gone.turns(), ['assistant: A long']);
});

test('ignores a voice onset while the agent is silent', (t) => {
  const world = answered();
  world.onLine({ type: 'line.onset' });
  world.onLine({ type: 'line.no_speech' });
  t.is(world.conversationState(), 'replying.thinking');
  world.replyAndPlay('Hello.');
  world.onLine({ type: 'line.onset' });
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(pauseTold(world), []);
});

test('finishes speech that may not be interrupted, then answers all words heard meanwhile', (t) => {
  const world = answered({ bargeIn: { ...stopping, mode: 'off' } });
  world.onReply({ type: 'reply.sentence', text: 'The terms.' });
  world.hear('Wait.');
  world.onReply({ type: 'reply.sentence', text: 'All of them.' });
  t.is(world.counts.repliesAborted, 0);
  world.onReply({ type: 'reply.finished' });
  world.hear('One question.');
  t.is(world.conversationState(), 'saying.sounding');
  world.play();
  world.play();
  t.deepEqual(pauseTold(world), []);
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world), [
    `user: ${kickoff}`,
    'assistant: The terms. All of them.',
    'user: Wait.',
    'user: One question.',
  ]);
  world.hear('Are you there?');
  t.is(world.conversationState(), 'replying.thinking', 'nothing was being said');
  t.is(world.requests.length, 3);
});

test('answers words that were heard during a farewell that may not be interrupted, before it hangs up', (t) => {
  const world = answered({ bargeIn: { ...stopping, mode: 'off' } });
  world.onReply({ type: 'reply.sentence', text: 'Goodbye.' });
  world.onReply({ type: 'reply.control', control: { act: 'hang_up' } });
  world.onReply({ type: 'reply.finished' });
  world.hear('Wait, one more question.');
  world.play();
  t.is(world.conversationState(), 'replying.thinking');
  t.is(world.state(), 'active.talking.hangup-pending');
  world.replyAndPlay('Of course.');
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.turns(), [
    'user: Wait, one more question.',
    'assistant: Goodbye.',
    'assistant: Of course.',
  ]);
});

test('finishes a greeting that may not be interrupted', (t) => {
  const world = answered({ ...inbound, greeting: 'Welcome.', bargeIn: { ...stopping, mode: 'off' } });
  world.hear('Hello?');
  t.is(world.conversationState(), 'saying.sounding');
  world.play();
  t.deepEqual(history(world), ['assistant: Welcome.', 'user: Hello?']);
});

// Interruption
// Speech during a reply interrupts it; the part heard so far is stored.

test('aborts the pending reply at speech of the other party', (t) => {
  const world = answered();
  world.onLine({ type: 'line.speech' });
  t.is(world.conversationState(), 'listening.hearing');
  t.is(world.counts.repliesAborted, 1);
  t.true(isBusy(world), 'the other party has the floor');
  world.onLine({ type: 'line.heard', text: 'Hello?', backchannel: false });
  t.deepEqual(history(world), [`user: ${kickoff}`, 'user: Hello?']);
});

test('requests a reply again that a voice without words has aborted', (t) => {
  const world = listening();
  world.hear('What is the price?');
  world.onLine({ type: 'line.speech' });
  t.is(world.conversationState(), 'listening.hearing');
  world.onLine({ type: 'line.no_words' });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).slice(-1), ['user: What is the price?']);
  // The same without a report of the line.
  world.onLine({ type: 'line.speech' });
  world.clock.increment(30_000);
  t.is(world.conversationState(), 'replying.thinking');
  t.is(world.requests.length, 4);
});

for (const isWhole of [false, true])
  for (const [what, begins, ends] of [
    ['a hold', 'line.held', 'line.resumed'],
    ['a voice without words', 'line.speech', 'line.no_words'],
  ] as const)
    test(`requests ${isWhole ? 'a whole' : 'an unfinished'} reply again that ${what} has stopped before its first word`, (t) => {
      const world = listening();
      world.hear('What is the price?');
      world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
      if (isWhole) world.onReply({ type: 'reply.finished' });
      world.onLine({ type: begins });
      t.is(world.commands.at(-1)?.type, 'stopTalking');
      world.play('');
      t.is(world.requests.length, 2);
      world.onLine({ type: ends });
      t.is(world.conversationState(), 'replying.thinking');
      t.deepEqual(history(world).slice(-1), ['user: What is the price?']);
      world.replyAndPlay('It costs ten thousand won.');
      t.is(world.conversationState(), 'listening.silent');
      t.deepEqual(world.turns().slice(-2), [
        'user: What is the price?',
        'assistant: It costs ten thousand won.',
      ]);
      world.onLine({ type: begins });
      world.onLine({ type: ends });
      t.is(world.requests.length, 3);
    });

test('waits for the line to report whether a stopped reply was heard', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  world.onLine({ type: 'line.held' });
  world.onLine({ type: 'line.resumed' });
  t.is(world.conversationState(), 'listening.settling');
  world.play('It costs');
  t.is(world.conversationState(), 'listening.silent');

  const unheard = asked();
  unheard.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  unheard.onLine({ type: 'line.held' });
  unheard.onLine({ type: 'line.resumed' });
  unheard.play('');
  t.is(unheard.conversationState(), 'replying.thinking');
});

test('requests a reply once if its synthesis fails', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  world.onReply({ type: 'reply.finished' });
  world.onLine({ type: 'line.played', utterance: 2, text: '', whole: true });
  t.is(world.conversationState(), 'listening.silent');
  t.is(world.requests.length, 2);
});

test('answers a question again together with words from before the hold that stopped the reply', (t) => {
  const world = listening();
  world.clock.increment(5_000);
  world.hear('What is the price?');
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  world.onLine({ type: 'line.held' });
  world.play('');
  world.onLine({ type: 'line.heard', startedAt: 4_000, text: 'For two.', backchannel: false });
  world.onLine({ type: 'line.resumed' });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).slice(-2), ['user: What is the price?', 'user: For two.']);
});

test('requests a reply again after a hold that follows a voice without words', (t) => {
  const world = asked();
  world.onLine({ type: 'line.speech' });
  world.onLine({ type: 'line.held' });
  world.onLine({ type: 'line.resumed' });
  t.is(world.conversationState(), 'replying.thinking');
});

test('requests no reply again after a voice without words if the agent had chosen silence', (t) => {
  const world = listening();
  world.hear('One moment, please.');
  world.onReply({ type: 'reply.finished' });
  world.onLine({ type: 'line.speech' });
  world.onLine({ type: 'line.no_words' });
  t.is(world.conversationState(), 'listening.silent');
  world.hear('Go on.');
  world.onReply({ type: 'reply.sentence', text: 'The price is ten thousand won.' });
  world.onLine({ type: 'line.speech' });
  world.play('The price');
  world.onLine({ type: 'line.no_words' });
  t.is(world.conversationState(), 'listening.silent', 'a part of the reply was heard');
});

test('an interruption stops playback and records the heard part before the interrupting words', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'The first sentence.' });
  world.onReply({ type: 'reply.sentence', text: 'The second sentence.' });
  world.play();
  world.onLine({ type: 'line.speech' });
  t.is(world.commands.at(-1)?.type, 'stopTalking');
  t.is(world.counts.repliesAborted, 1);
  world.play('The second');
  world.onLine({ type: 'line.heard', text: 'Stop.', backchannel: false });
  t.deepEqual(world.turns(), ['assistant: The first sentence. The second', 'user: Stop.']);
  t.like(
    world.facts.find(({ type }) => type === 'turn.spoken'),
    { whole: false },
  );
  t.deepEqual(history(world), [
    `user: ${kickoff}`,
    'assistant: The first sentence. The second',
    'user: Stop.',
  ]);
});

test('omits an unplayed sentence from the transcript and marks the turn as incomplete', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'Heard.' });
  world.onReply({ type: 'reply.sentence', text: 'Not heard.' });
  world.play();
  world.onLine({ type: 'line.speech' });
  world.play('');
  t.deepEqual(world.turns(), ['assistant: Heard.']);
  t.like(world.facts.at(-1), { whole: false });
});

test('marks a turn with an unplayed sentence as incomplete even if later sentences were played', (t) => {
  const world = answered();
  for (const text of ['First.', 'Not heard.', 'Last.']) world.onReply({ type: 'reply.sentence', text });
  world.onReply({ type: 'reply.finished' });
  world.play();
  world.play('');
  world.onLine({ type: 'line.played', utterance: 3, text: 'Last.', whole: true });
  t.deepEqual(world.turns(), ['assistant: First. Last.']);
  t.like(world.facts.at(-1), { whole: false });
});

test('ignores a line report about a sentence that was never spoken', (t) => {
  const world = answered();
  world.replyAndPlay('Hello.');
  world.onLine({ type: 'line.played', utterance: 99, text: '', whole: true });
  world.hear('Hi.');
  world.onReply({ type: 'reply.sentence', text: 'How are you?' });
  world.onReply({ type: 'reply.finished' });
  t.is(world.conversationState(), 'saying.sounding', 'it is still to be heard');
  world.onLine({ type: 'line.played', utterance: 2, text: 'How are you?', whole: true });
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.turns(), ['assistant: Hello.', 'user: Hi.', 'assistant: How are you?']);
});

test('writes no turn for a reply of which no part was heard', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'Not heard.' });
  world.hear('Hello?');
  t.is(world.conversationState(), 'listening.hearing', 'the report of what was stopped is still to come');
  world.play('');
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(world.turns(), ['user: Hello?']);
});

test('places words before the report of the stopped sentence after it in the history', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'Let me explain.' });
  world.hear('Stop.');
  world.play('Let me');
  t.deepEqual(history(world), [`user: ${kickoff}`, 'assistant: Let me', 'user: Stop.']);
});

test('words interrupt the agent even without a speech event before them', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'Let me explain.' });
  world.onReply({ type: 'reply.finished' });
  world.onLine({ type: 'line.heard', text: 'Stop.', backchannel: false });
  t.is(world.commands.at(-1)?.type, 'stopTalking');
  world.play('Let');
  t.is(world.conversationState(), 'replying.thinking');
});

test('never speaks the rest of an abandoned reply', (t) => {
  const world = answered();
  const abandoned = world.currentReply();
  abandoned({ type: 'reply.sentence', text: 'One.' });
  world.onLine({ type: 'line.speech' });
  abandoned({ type: 'reply.sentence', text: 'Two.' });
  world.play('');
  world.onLine({ type: 'line.heard', text: 'Stop.', backchannel: false });
  abandoned({ type: 'reply.sentence', text: 'Three.' });
  abandoned({ type: 'reply.finished' });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(world.said(), ['One.']);
});

test('records a backchannel without interrupting and without sending it to the agent', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'A long story.' });
  world.onLine({ type: 'line.heard', text: 'uh-huh', backchannel: true });
  t.is(world.conversationState(), 'replying.speaking');
  world.onReply({ type: 'reply.finished' });
  world.onLine({ type: 'line.heard', text: 'uh-huh', backchannel: true });
  t.is(world.conversationState(), 'saying.sounding');
  world.play();
  t.false(world.commands.some(({ type }) => type === 'stopTalking'));
  t.deepEqual(world.turns(), ['user: uh-huh', 'user: uh-huh', 'assistant: A long story.']);
  world.hear('I see.');
  t.deepEqual(history(world), [`user: ${kickoff}`, 'assistant: A long story.', 'user: I see.']);
});

test('stops a greeting when the caller speaks, and hears the caller', (t) => {
  const world = answered({ ...inbound, greeting: 'Welcome to the company with the long name.' });
  world.onLine({ type: 'line.heard', text: '네', backchannel: true });
  t.is(world.conversationState(), 'saying.sounding');
  world.onLine({ type: 'line.speech' });
  t.is(world.conversationState(), 'listening.hearing');
  t.is(world.commands.at(-1)?.type, 'stopTalking');
  world.play('Welcome');
  world.onLine({ type: 'line.heard', text: 'Opening hours, please.', backchannel: false });
  t.deepEqual(history(world), ['assistant: Welcome', 'user: Opening hours, please.']);
});

test('words interrupt a greeting even without a speech event before them', (t) => {
  const world = answered({ ...inbound, greeting: 'Welcome.' });
  world.onLine({ type: 'line.heard', text: 'Opening hours, please.', backchannel: false });
  t.is(world.conversationState(), 'listening.hearing');
  world.play('');
  t.deepEqual(history(world), ['user: Opening hours, please.']);
});

// Hold
// While the call is on hold the agent waits.

test('ignores words during hold and waits for any length of time', (t) => {
  const world = listening();
  world.onLine({ type: 'line.held' });
  t.deepEqual(world.facts.at(-1), { type: 'call.held', at: 0 });
  t.is(world.conversationState(), 'on-hold');
  world.hear('Your call is important to us.');
  world.clock.increment(500_000);
  t.is(world.conversationState(), 'on-hold');
  t.is(world.requests.length, 1);
  world.onLine({ type: 'line.resumed' });
  t.deepEqual(world.facts.at(-1), { type: 'call.resumed', at: 500_000 });
  t.is(world.conversationState(), 'listening.silent');
  world.hear('I am back.');
  t.deepEqual(history(world).slice(-1), ['user: I am back.']);
});

test('answers words from before a hold when the call is resumed', (t) => {
  const world = listening();
  world.clock.increment(5_000);
  world.onLine({ type: 'line.speech' });
  world.onLine({ type: 'line.held' });
  world.clock.increment(500);
  world.onLine({ type: 'line.heard', startedAt: 4_000, text: 'What is the price?', backchannel: false });
  world.onLine({ type: 'line.heard', text: 'Your call is important to us.', backchannel: false });
  t.is(world.turns().at(-1), 'user: What is the price?');
  t.is(world.conversationState(), 'on-hold');
  t.is(world.requests.length, 1);
  world.onLine({ type: 'line.resumed' });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).slice(-1), ['user: What is the price?']);
});

test('stores a backchannel from before a hold without answering it', (t) => {
  const world = listening();
  world.hear('What is the price?');
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  world.onReply({ type: 'reply.finished' });
  world.clock.increment(5_000);
  world.onLine({ type: 'line.held' });
  world.play('It costs');
  world.onLine({ type: 'line.heard', startedAt: 4_000, text: 'Uh-huh.', backchannel: true });
  t.is(world.turns().at(-1), 'user: Uh-huh.');
  world.onLine({ type: 'line.resumed' });
  t.is(world.conversationState(), 'listening.silent');
});

test('restarts the silence timer when a call is resumed from hold', (t) => {
  const world = listening();
  world.clock.increment(29_000);
  world.onLine({ type: 'line.held' });
  world.clock.increment(60_000);
  world.onLine({ type: 'line.resumed' });
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
  world.clock.increment(1);
  t.is(world.conversationState(), 'saying.sounding');
});

test('requests a reply again after hold if none of it was heard before', (t) => {
  const world = listening();
  world.hear('What is the price?');
  world.onLine({ type: 'line.held' });
  t.is(world.counts.repliesAborted, 2);
  world.onLine({ type: 'line.resumed' });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).slice(-1), ['user: What is the price?']);
});

test('keeps the heard part of a reply that a hold cuts short', (t) => {
  const world = listening();
  world.hear('What is the price?');
  world.onReply({ type: 'reply.sentence', text: 'It costs ten thousand won.' });
  world.onLine({ type: 'line.held' });
  t.is(world.commands.at(-1)?.type, 'stopTalking');
  world.play('It costs');
  t.is(world.turns().at(-1), 'assistant: It costs');
  world.onLine({ type: 'line.resumed' });
  t.is(world.conversationState(), 'listening.silent');
});

test('ends a held call when the other party hangs up, or after the maximum hold time', (t) => {
  const world = listening();
  world.onLine({ type: 'line.held' });
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(world.end(), { reason: 'counterparty_hangup', status: 'completed' });
  const other = listening();
  other.onLine({ type: 'line.held' });
  other.clock.increment(3_600_000);
  t.is(other.commands.at(-1)?.type, 'hangUp');
});

// Language
// A language control in the agent's reply: when it applies to recognition and to synthesis.

const change = (language: string): Control => ({ act: 'change_language', language });

const write = (world: World, ...reply: (string | Control)[]): void => {
  for (const part of reply)
    world.onReply(
      typeof part === 'string'
        ? { type: 'reply.sentence', text: part }
        : { type: 'reply.control', control: part },
    );
};

/** Language commands and sentences that the line received. */
const languageTold = (world: World): string[] =>
  world.commands.flatMap((command) => {
    if (command.type === 'changeLanguage') return [`change to ${command.language}`];
    return command.type === 'say' ? [`${command.text} (${command.language ?? 'as it is'})`] : [];
  });

const changed = (world: World): string[] =>
  world.facts.flatMap((fact) => (fact.type === 'language.changed' ? [fact.language] : []));

test('a language control applies to recognition after the words before it were heard, and to synthesis of the words after it', (t) => {
  const world = asked();
  const before = languageTold(world).length;
  write(world, 'One moment.', change('ko'), '안녕하세요.');
  world.onReply({ type: 'reply.finished' });
  t.deepEqual(languageTold(world).slice(before), ['One moment. (as it is)', '안녕하세요. (ko)']);
  t.deepEqual(changed(world), []);
  world.play();
  t.deepEqual(languageTold(world).slice(before + 2), ['change to ko']);
  t.deepEqual(changed(world), ['ko']);
  world.play();
  world.hear('네.');
  write(world, '네.');
  t.deepEqual(languageTold(world).slice(before + 3), ['네. (as it is)']);
});

test('a language control at the beginning of a reply applies at once', (t) => {
  const world = asked();
  write(world, change('ja'), change('ko'), '안녕하세요.');
  t.deepEqual(languageTold(world).slice(-3), ['change to ja', 'change to ko', '안녕하세요. (as it is)']);
  t.deepEqual(changed(world), ['ja', 'ko']);
});

test('drops the language control of an interrupted reply', (t) => {
  const world = asked();
  write(world, 'One moment.', change('ko'), '안녕하세요.');
  world.onLine({ type: 'line.speech' });
  world.play('One');
  world.play('');
  world.onLine({ type: 'line.heard', text: 'No.', backchannel: false });
  t.deepEqual(changed(world), []);
  world.replyAndPlay('As you like.');
  t.is(languageTold(world).at(-1), 'As you like. (as it is)');
});

test('speaks gateway sentences in the new language, or in the old one if they do not exist in it', (t) => {
  const inKorean = asked({ phrasesIn: phrases });
  write(inKorean, 'One moment.', change('ko'));
  inKorean.onReply({ type: 'reply.failed', failure: 'connection_failed' });
  t.is(languageTold(inKorean).at(-1), `${phrases.ko.brokenOff} (ko)`);
  inKorean.play();
  inKorean.play();
  inKorean.clock.increment(30_000);
  t.is(languageTold(inKorean).at(-1), `${phrases.ko.reprompt} (as it is)`);

  const inNone = asked({ phrasesIn: {} });
  write(inNone, 'Eins.', change('de'));
  inNone.onReply({ type: 'reply.finished' });
  inNone.play();
  inNone.clock.increment(30_000);
  t.is(languageTold(inNone).at(-1), `${reprompt} (as it is)`);
});

test('keeps the language and the pending language control after a take-over', (t) => {
  const left = takenOver({
    resumesAs: 'saying',
    language: 'ja',
    unsaid: ['はい。', '안녕하세요.'],
    controls: [{ behind: 1, control: change('ko') }],
  });
  const world = createCallWorld({ takenOver: left });
  world.onLine({ type: 'line.adopted' });
  t.deepEqual(languageTold(world), ['change to ja', 'はい。 (as it is)', '안녕하세요. (ko)']);
  world.play();
  t.is(languageTold(world).at(-1), 'change to ko');
});
