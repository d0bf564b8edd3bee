/** The opening of a conversation, and one turn after another. */
import test from 'ava';
import { callInput } from '#test/helpers/call-world.ts';
import { answered, history, inbound, isBusy, kickoff, listening } from './stages.ts';

test('an outbound conversation begins with the kickoff as the first reply', (t) => {
  const world = answered();
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(world.requests, [
    { callId: callInput.callId, turn: 1, messages: [{ role: 'user', content: kickoff ?? '' }] },
  ]);
  t.true(isBusy(world));
});

test('the kickoff is no turn of the transcript', (t) => {
  const world = listening();
  t.deepEqual(world.turns(), ['assistant: Good morning.']);
});

test('an inbound conversation with a greeting says it first and asks no agent for it', (t) => {
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

test('an inbound conversation without a greeting waits for the caller', (t) => {
  const world = answered({ ...inbound, greeting: null });
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.said(), []);
  world.hear('Hello?');
  t.deepEqual(history(world), ['user: Hello?']);
});

test('a reply is said sentence by sentence and listened after when all of it was played', (t) => {
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

test('a reply is one turn, from when its first word sounded to when its last did', (t) => {
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

test('a reply of which everything was played before it was complete ends with its last word', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'One.' });
  world.play();
  t.is(world.conversationState(), 'replying.speaking');
  t.deepEqual(world.turns(), []);
  world.onReply({ type: 'reply.finished' });
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.turns(), ['assistant: One.']);
});

test('what the other party says is a turn, and asks for the next reply with the whole history', (t) => {
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

test('a short word is an answer when the agent is quiet, although it would be a backchannel otherwise', (t) => {
  const world = listening();
  world.onLine({ type: 'line.heard', text: '네', backchannel: true });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).at(-1), 'user: 네');
});

test('an empty reply is the agent choosing silence', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.finished' });
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.said(), []);
  world.hear('Hello?');
  t.deepEqual(history(world), [`user: ${kickoff}`, 'user: Hello?']);
});

test('a pressed key is a fact and no turn', (t) => {
  const world = listening();
  world.onLine({ type: 'line.digit', digit: '5' });
  t.deepEqual(world.facts.at(-1), { type: 'turn.digit', at: 0, digit: '5' });
  t.is(world.conversationState(), 'listening.silent');
  t.is(world.requests.length, 1);
});
