/** At the onset of a voice the agent pauses; what comes of the voice decides how it goes on. */
import test from 'ava';
import { stopping } from '#test/helpers/usual-barge-in.ts';
import { answered, brokenOff, history, inbound, isBusy, kickoff, type World } from './stages.ts';

/** What the line was told of the voice of the agent. */
const told = (world: World): string[] =>
  world.commands.map(({ type }) => type).filter((type) => type.endsWith('Talking'));

const speaking = (): World => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'A long story.' });
  return world;
};

test('at the onset of a voice the agent pauses, and goes on when it was nothing', (t) => {
  const world = speaking();
  world.onLine({ type: 'line.onset' });
  t.is(world.conversationState(), 'replying.paused');
  t.true(isBusy(world));
  t.is(world.counts.repliesAborted, 0);
  world.clock.increment(300);
  world.onLine({ type: 'line.no_speech' });
  t.is(world.conversationState(), 'replying.speaking');
  t.deepEqual(told(world), ['pauseTalking', 'resumeTalking']);
  t.deepEqual(world.facts.slice(-2), [
    { type: 'agent.paused', at: 0 },
    { type: 'agent.resumed', at: 300 },
  ]);
  world.onReply({ type: 'reply.finished' });
  world.play();
  t.deepEqual(world.turns(), ['assistant: A long story.']);
});

test('what a reply tells after its end is nothing, and leaves no line mute', (t) => {
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
    t.is(told(world).at(-1), 'resumeTalking');
    t.deepEqual(world.said(), ['A long story.']);
    t.false(world.story().includes('reply.failed'));
  }
});

test('what comes of the reply in a pause is said behind it', (t) => {
  const world = speaking();
  world.onLine({ type: 'line.onset' });
  world.onReply({ type: 'reply.sentence', text: 'Its end.' });
  t.deepEqual(world.said(), ['A long story.', 'Its end.']);
  world.onReply({ type: 'reply.finished' });
  t.is(world.conversationState(), 'saying.paused');
  world.onLine({ type: 'line.no_speech' });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(told(world), ['pauseTalking', 'pauseTalking', 'resumeTalking']);
  world.play();
  world.play();
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.turns(), ['assistant: A long story. Its end.']);
});

test('words make it an interruption: what was heard before the pause counts', (t) => {
  for (const event of [
    { type: 'line.speech' },
    { type: 'line.heard', text: 'Stop.', backchannel: false },
  ] as const) {
    const world = speaking();
    world.onLine({ type: 'line.onset' });
    world.onLine(event);
    t.is(world.conversationState(), 'listening.hearing');
    t.deepEqual(told(world), ['pauseTalking', 'stopTalking']);
    t.is(world.counts.repliesAborted, 1);
    world.play('A long');
    if (event.type === 'line.speech') world.onLine({ type: 'line.heard', text: 'Stop.', backchannel: false });
    t.deepEqual(history(world), [`user: ${kickoff}`, 'assistant: A long', 'user: Stop.']);
    t.false(world.story().includes('agent.resumed'));
  }
});

test('a backchannel in a pause is written down, and takes no floor', (t) => {
  const world = speaking();
  world.onReply({ type: 'reply.finished' });
  world.onLine({ type: 'line.onset' });
  world.onLine({ type: 'line.heard', text: 'uh-huh', backchannel: true });
  t.is(world.conversationState(), 'saying.paused');
  world.onLine({ type: 'line.no_speech' });
  world.play();
  t.deepEqual(world.turns(), ['user: uh-huh', 'assistant: A long story.']);
});

test('a pause of which nothing comes is over after a while', (t) => {
  for (const isWhole of [false, true]) {
    const world = speaking();
    if (isWhole) world.onReply({ type: 'reply.finished' });
    world.onLine({ type: 'line.onset' });
    world.clock.increment(9_999);
    t.is(world.conversationState(), isWhole ? 'saying.paused' : 'replying.paused');
    world.clock.increment(1);
    t.is(world.conversationState(), isWhole ? 'saying.sounding' : 'replying.speaking');
    t.is(told(world).at(-1), 'resumeTalking');
    t.is(world.story().at(-1), 'agent.resumed');
  }
});

test('an utterance whose last sound was out when the voice began is over in the pause', (t) => {
  const whole = speaking();
  whole.onReply({ type: 'reply.finished' });
  whole.onLine({ type: 'line.onset' });
  whole.play();
  t.is(whole.conversationState(), 'listening.silent');
  t.is(told(whole).at(-1), 'resumeTalking', 'what is said next is not to be held up');

  const other = speaking();
  other.onLine({ type: 'line.onset' });
  other.play();
  t.is(other.conversationState(), 'replying.paused');
  other.onReply({ type: 'reply.finished' });
  t.is(other.conversationState(), 'listening.silent');
  t.is(told(other).at(-1), 'resumeTalking');
});

test('a reply that fails in a pause is excused behind what had come of it', (t) => {
  const world = speaking();
  world.onLine({ type: 'line.onset' });
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'saying.sounding');
  t.deepEqual(world.said(), ['A long story.', brokenOff]);
  t.is(told(world).at(-1), 'resumeTalking');
});

test('a greeting pauses, too', (t) => {
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
  t.deepEqual(told(world), [
    'pauseTalking',
    'resumeTalking',
    'pauseTalking',
    'resumeTalking',
    'pauseTalking',
    'resumeTalking',
  ]);
});

test('a hang-up waits for a farewell that pauses; speech into it cancels it', (t) => {
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

test('hold, a machine and the end of the call end a pause', (t) => {
  const held = speaking();
  held.onLine({ type: 'line.onset' });
  held.onLine({ type: 'line.held' });
  t.is(held.conversationState(), 'on-hold');
  t.is(told(held).at(-1), 'stopTalking');

  const machine = answered({ voicemail: 'leave_message' });
  machine.onReply({ type: 'reply.sentence', text: 'A long story.' });
  machine.onLine({ type: 'line.onset' });
  machine.onLine({ type: 'line.answered_by', by: 'machine' });
  t.is(machine.conversationState(), 'voicemail');
  t.is(told(machine).at(-1), 'stopTalking');

  const gone = speaking();
  gone.onLine({ type: 'line.onset' });
  gone.play('A long');
  gone.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(gone.end(), { reason: 'counterparty_hangup', status: 'completed' });
  t.deepEqual(gone.turns(), ['assistant: A long']);
});

test('while the agent thinks or listens an onset is nothing yet', (t) => {
  const world = answered();
  world.onLine({ type: 'line.onset' });
  world.onLine({ type: 'line.no_speech' });
  t.is(world.conversationState(), 'replying.thinking');
  world.replyAndPlay('Hello.');
  world.onLine({ type: 'line.onset' });
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(told(world), []);
});

test('an agent that may not be interrupted finishes, and answers all that it has heard', (t) => {
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
  t.deepEqual(told(world), []);
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

test('a greeting that may not be interrupted is finished', (t) => {
  const world = answered({ ...inbound, greeting: 'Welcome.', bargeIn: { ...stopping, mode: 'off' } });
  world.hear('Hello?');
  t.is(world.conversationState(), 'saying.sounding');
  world.play();
  t.deepEqual(history(world), ['assistant: Welcome.', 'user: Hello?']);
});
