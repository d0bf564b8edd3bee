import test from 'ava';
import type { ReplyFailure } from '#machines/reply.ts';
import { callInput, createCallWorld } from '#test/helpers/call-world.ts';

type World = ReturnType<typeof createCallWorld>;

const { kickoff, apology, brokenOff, failedOpening, failedGoodbye, reprompt } = callInput;

/** An outbound call that was just answered: the agent thinks about its first words. */
const answered = (...parameters: Parameters<typeof createCallWorld>): World => {
  const world = createCallWorld(...parameters);
  world.answer();
  return world;
};

/** The agent has said its first sentence; the floor is free. */
const listening = (...parameters: Parameters<typeof createCallWorld>): World => {
  const world = answered(...parameters);
  world.replyAndPlay('Good morning.');
  return world;
};

/** The other party has asked something, and the agent thinks about it: its second reply. */
const asked = (...parameters: Parameters<typeof createCallWorld>): World => {
  const world = listening(...parameters);
  world.hear('A question.');
  return world;
};

const inbound = { direction: 'inbound', kickoff: null } as const;

/** The last messages that the agent was given, as `role: words`. */
const history = (world: World): string[] =>
  (world.requests.at(-1)?.messages ?? []).map(({ role, content }) => `${role}: ${content}`);

const isBusy = (world: World): boolean => world.actor.getSnapshot().context.agentIsBusy;

// opening

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
  t.is(world.conversationState(), 'prompting');
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

// a turn

test('a reply is said sentence by sentence and listened after when all of it was played', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'One.' });
  t.is(world.conversationState(), 'replying.speaking');
  world.onReply({ type: 'reply.sentence', text: 'Two.' });
  world.onReply({ type: 'reply.finished' });
  t.is(world.conversationState(), 'replying.finishing');
  t.deepEqual(
    world.commands.map((command) => (command.type === 'say' ? command.utterance : command.type)),
    [1, 2],
  );
  world.play();
  t.is(world.conversationState(), 'replying.finishing');
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

// hold

test('on hold the agent waits, however long, and what comes is neither heard nor answered', (t) => {
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

test('the time of silence begins anew when a call is taken back from hold', (t) => {
  const world = listening();
  world.clock.increment(29_000);
  world.onLine({ type: 'line.held' });
  world.clock.increment(60_000);
  world.onLine({ type: 'line.resumed' });
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
  world.clock.increment(1);
  t.is(world.conversationState(), 'prompting');
});

test('a reply of which nobody has heard a word before the hold is asked for once more behind it', (t) => {
  const world = listening();
  world.hear('What is the price?');
  world.onLine({ type: 'line.held' });
  t.is(world.counts.repliesAborted, 2);
  world.onLine({ type: 'line.resumed' });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).slice(-1), ['user: What is the price?']);
});

test('a reply that a hold cuts short counts as far as it was heard', (t) => {
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

test('a call on hold ends when its other party hangs up, and after its longest time', (t) => {
  const world = listening();
  world.onLine({ type: 'line.held' });
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  t.like(world.end(), { reason: 'counterparty_hangup', status: 'completed' });
  const other = listening();
  other.onLine({ type: 'line.held' });
  other.clock.increment(3_600_000);
  t.is(other.commands.at(-1)?.type, 'hangUp');
});

// interruption

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
  t.is(world.conversationState(), 'replying.finishing', 'it is still to be heard');
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
  t.is(world.conversationState(), 'replying.finishing');
  world.play();
  t.false(world.commands.some(({ type }) => type === 'stopTalking'));
  t.deepEqual(world.turns(), ['user: uh-huh', 'user: uh-huh', 'assistant: A long story.']);
  world.hear('I see.');
  t.deepEqual(history(world), [`user: ${kickoff}`, 'assistant: A long story.', 'user: I see.']);
});

test('a greeting can be interrupted and is listened after', (t) => {
  const world = answered({ ...inbound, greeting: 'Welcome to the company with the long name.' });
  world.onLine({ type: 'line.heard', text: '네', backchannel: true });
  t.is(world.conversationState(), 'prompting');
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

// failures

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
  test(`a reply that failed with ${failure} is apologised for, and the call goes on`, (t) => {
    const world = asked();
    world.onReply({ type: 'reply.failed', failure, detail: 'status 500' });
    t.is(world.conversationState(), 'prompting');
    t.deepEqual(world.said(), ['Good morning.', apology]);
    t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 2, failure, detail: 'status 500' });
    world.play();
    t.is(world.conversationState(), 'listening.silent');
    t.deepEqual(world.turns().at(-1), `assistant: ${apology}`);
  });

test('a failure without a detail has none in its fact', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.failed', failure: 'invalid_reply' });
  t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 2, failure: 'invalid_reply' });
});

test('a reply that fails in the middle keeps what was said of it, and is excused as one that broke off', (t) => {
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
  t.is(world.conversationState(), 'prompting');
  world.play();
  t.is(world.conversationState(), 'listening.silent');
  t.deepEqual(world.turns().at(-1), `assistant: I will look it up. ${brokenOff}`);
});

test('a reply of which everything was heard before it broke off is excused in the same way', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'I will look' });
  world.play();
  world.onReply({ type: 'reply.failed', failure: 'reply_cut_off' });
  t.deepEqual(world.said().slice(1), ['I will look', brokenOff]);
  t.is(world.conversationState(), 'prompting');
});

test('a failed kickoff introduces the call and says goodbye before it ends', (t) => {
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

test('whoever has only said hello to an outbound call is introduced to it as well', (t) => {
  const world = answered();
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.deepEqual(world.said(), [failedOpening]);
});

test('a kickoff that breaks off after its first words is no failed opening: the other party may go on', (t) => {
  const world = answered();
  world.onReply({ type: 'reply.sentence', text: 'Good morning, I call about' });
  world.onReply({ type: 'reply.failed', failure: 'reply_cut_off' });
  t.is(world.conversationState(), 'prompting');
  t.deepEqual(world.said(), ['Good morning, I call about', brokenOff]);
});

test('a caller needs no introduction: the first failure of an inbound call is apologised for', (t) => {
  const world = answered({ ...inbound, greeting: null });
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'prompting');
  t.deepEqual(world.said(), [apology]);
});

/** The agent has failed once, and was asked again. */
const failedOnce = (): World => {
  const world = asked();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.play();
  world.hear('Hello?');
  return world;
};

test('the second failure in a row says goodbye, and the call ends when it was heard', (t) => {
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

test('what came before the second failure is heard to its end, and the goodbye behind it', (t) => {
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

test('words into the goodbye are written down and change nothing', (t) => {
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

test('a line that never reports the goodbye is not waited for without end', (t) => {
  const world = failedOnce();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.clock.increment(119_999);
  t.is(world.conversationState(), 'parting');
  world.clock.increment(1);
  t.is(world.actor.getSnapshot().context.endReason, 'agent_error');
});

test('an interrupted reply between two failures is no success', (t) => {
  const world = failedOnce();
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'parting');
});

test('a success between two failures forgives the first', (t) => {
  const world = failedOnce();
  world.replyAndPlay('Here I am.');
  world.hear('And now?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'prompting');
  t.deepEqual(world.said().slice(1), [apology, 'Here I am.', apology]);
});

test('a chosen silence between two failures is a success too', (t) => {
  const world = failedOnce();
  world.onReply({ type: 'reply.finished' });
  world.hear('And now?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'prompting');
});

test('a reply that crashes is apologised for like one that failed', (t) => {
  const world = asked({}, { replyCrashes: (turn) => turn === 2 });
  t.is(world.conversationState(), 'prompting');
  t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 2, failure: 'agent_crashed' });
  world.play();
  world.hear('Hello?');
  world.replyAndPlay('Here I am.');
  t.deepEqual(world.turns().slice(2), [`assistant: ${apology}`, 'user: Hello?', 'assistant: Here I am.']);
});

test('a second crash in a row ends the conversation', (t) => {
  const world = asked({}, { replyCrashes: (turn) => turn > 1 });
  world.play();
  world.hear('Hello?');
  t.is(world.conversationState(), 'parting');
  t.deepEqual(world.facts.at(-1), { type: 'reply.failed', turn: 3, failure: 'agent_crashed' });
  world.play();
  t.is(world.actor.getSnapshot().context.endReason, 'agent_error');
});

test('an apology can be interrupted', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.onLine({ type: 'line.speech' });
  world.play('');
  world.onLine({ type: 'line.heard', text: 'Hello?', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).slice(-2), ['user: A question.', 'user: Hello?']);
});

// silence

test('after the silence time-out the other party is asked once', (t) => {
  const world = listening();
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
  world.clock.increment(1);
  t.is(world.conversationState(), 'prompting');
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

test('the silence counts from the end of what the agent said', (t) => {
  const world = answered();
  world.clock.increment(40_000);
  world.onReply({ type: 'reply.sentence', text: 'A very long sentence.' });
  world.clock.increment(40_000);
  world.onReply({ type: 'reply.finished' });
  world.play();
  world.clock.increment(29_999);
  t.is(world.conversationState(), 'listening.silent');
});

test('words reset the silence and the reprompt', (t) => {
  const world = listening();
  world.clock.increment(30_000);
  world.play();
  world.clock.increment(29_000);
  world.hear('I am here.');
  world.replyAndPlay('Good.');
  world.clock.increment(30_000);
  t.is(world.conversationState(), 'prompting', 'asked once more, because there were words between');
  t.deepEqual(world.said(), ['Good morning.', reprompt, 'Good.', reprompt]);
});

test('noise says nothing, so it does not break the silence', (t) => {
  const world = listening();
  for (const second of [10_000, 10_000, 10_000]) {
    world.onLine({ type: 'line.digit', digit: '1' });
    world.clock.increment(second);
  }
  t.is(world.conversationState(), 'prompting');
});

test('somebody who speaks longer than the silence time-out is not talked over', (t) => {
  const world = listening({ silenceTimeoutSec: 5 });
  world.onLine({ type: 'line.speech' });
  world.clock.increment(20_000);
  t.is(world.conversationState(), 'listening.hearing');
  t.deepEqual(world.said(), ['Good morning.']);
  world.onLine({ type: 'line.heard', startedAt: 0, text: 'A long complaint.', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
});

test('somebody who goes on speaking is still listened to', (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  world.clock.increment(29_000);
  world.onLine({ type: 'line.speech' });
  world.clock.increment(29_000);
  t.is(world.conversationState(), 'listening.hearing');
});

test('speech of which no words come is silence after a while', (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  world.clock.increment(30_000);
  t.is(world.conversationState(), 'listening.silent');
  world.clock.increment(30_000);
  t.is(world.conversationState(), 'prompting');
});

test('a reprompt is no success of the agent', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.play();
  world.clock.increment(30_000);
  world.play();
  world.hear('Hello?');
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  t.is(world.conversationState(), 'parting');
});

// closing

test('a closing conversation aborts its reply, asks for no other and writes down what was heard', (t) => {
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

test('a conversation that closes while the other party speaks has nothing to add', (t) => {
  const world = listening();
  world.onLine({ type: 'line.speech' });
  world.ask({ type: 'gateway.closing' });
  t.is(world.conversationState(), 'closing');
  t.deepEqual(world.turns(), ['assistant: Good morning.']);
});
