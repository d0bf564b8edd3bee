/** Interruptions: who speaks into a reply takes the floor; what was heard until then counts. */
import test from 'ava';
import { answered, history, inbound, isBusy, kickoff } from './stages.ts';

test('speech while the agent thinks aborts the reply', (t) => {
  const world = answered();
  world.onLine({ type: 'line.speech' });
  t.is(world.conversationState(), 'listening.hearing');
  t.is(world.counts.repliesAborted, 1);
  t.true(isBusy(world), 'the other party has the floor');
  world.onLine({ type: 'line.heard', text: 'Hello?', backchannel: false });
  t.deepEqual(history(world), [`user: ${kickoff}`, 'user: Hello?']);
});

test('an interruption stops the voice and keeps what was heard, before the words that cut in', (t) => {
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

test('a sentence that did not sound is not in the transcript, and the turn is not whole', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'Heard.' });
  world.onReply({ type: 'reply.sentence', text: 'Not heard.' });
  world.play();
  world.onLine({ type: 'line.speech' });
  world.play('');
  t.deepEqual(world.turns(), ['assistant: Heard.']);
  t.like(world.facts.at(-1), { whole: false });
});

test('a turn of which a sentence did not sound is not whole, whatever sounded after it', (t) => {
  const world = answered();
  for (const text of ['First.', 'Not heard.', 'Last.']) world.onReply({ type: 'reply.sentence', text });
  world.onReply({ type: 'reply.finished' });
  world.play();
  world.play('');
  world.onLine({ type: 'line.played', utterance: 3, text: 'Last.', whole: true });
  t.deepEqual(world.turns(), ['assistant: First. Last.']);
  t.like(world.facts.at(-1), { whole: false });
});

test('a line that reports what was never said upsets nothing', (t) => {
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

test('a reply of which nothing was heard leaves no turn', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'Not heard.' });
  world.hear('Hello?');
  t.is(world.conversationState(), 'listening.hearing', 'the report of what was stopped is still to come');
  world.play('');
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(world.turns(), ['user: Hello?']);
});

test('words that come before the report of what was stopped still stand after it in the history', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'Let me explain.' });
  world.hear('Stop.');
  world.play('Let me');
  t.deepEqual(history(world), [`user: ${kickoff}`, 'assistant: Let me', 'user: Stop.']);
});

test('words that no speech announced take the floor as well', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'Let me explain.' });
  world.onReply({ type: 'reply.finished' });
  world.onLine({ type: 'line.heard', text: 'Stop.', backchannel: false });
  t.is(world.commands.at(-1)?.type, 'stopTalking');
  world.play('Let');
  t.is(world.conversationState(), 'replying.thinking');
});

test('nothing of an abandoned reply is ever said', (t) => {
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

test('a backchannel is heard but does not take the floor, nor reach the agent', (t) => {
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

test('a greeting can be interrupted and is listened after', (t) => {
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

test('a greeting is also interrupted by words that no speech announced', (t) => {
  const world = answered({ ...inbound, greeting: 'Welcome.' });
  world.onLine({ type: 'line.heard', text: 'Opening hours, please.', backchannel: false });
  t.is(world.conversationState(), 'listening.hearing');
  world.play('');
  t.deepEqual(history(world), ['user: Opening hours, please.']);
});
