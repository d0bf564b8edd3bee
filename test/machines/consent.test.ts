/** A call whose other party is told something before anything else, and may have to agree. */
import test from 'ava';
import type { CallInput } from '#machines/call-context.ts';
import type { ConsentRequirement } from '#machines/consent.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { takenOver } from '#test/helpers/taken-over-call.ts';

type World = ReturnType<typeof createCallWorld>;

const announcement = 'This call is recorded. Do you agree?';

const answered = (requirement: ConsentRequirement, changes: Partial<CallInput> = {}): World => {
  const world = createCallWorld({
    recording: true,
    consent: { announcement, requirement, language: 'en' },
    ...changes,
  });
  world.answer();
  return world;
};

/** The announcement was heard, and an answer is awaited. */
const announced = (...given: Parameters<typeof answered>): World => {
  const world = answered(...given);
  world.play();
  return world;
};

const consents = (world: World) =>
  world.facts.flatMap((fact) => (fact.type === 'call.consent' ? [{ given: fact.given, how: fact.how }] : []));

const recordingIsOn = (world: World): boolean =>
  world.commands.findLast(({ type }) => type.endsWith('Recording'))?.type !== 'pauseRecording';

test('who is told is told first, before anything is recorded and the agent is asked', (t) => {
  const world = answered('none');
  t.is(world.state(), 'active.talking.consenting');
  t.deepEqual(world.said(), [announcement]);
  t.deepEqual([world.requests.length, recordingIsOn(world)], [0, false]);
  world.play();
  t.is(world.state(), 'active.talking.conversing');
  t.deepEqual(consents(world), [{ given: true, how: 'announcement' }]);
  t.deepEqual([world.requests.length, recordingIsOn(world)], [1, true]);
  t.deepEqual(world.story(), [
    'call.answered',
    'recording.paused',
    'turn.spoken',
    'call.consent',
    'recording.resumed',
  ]);
});

test('the agent hears nothing of it', (t) => {
  const world = announced('speech');
  world.hear('Yes, that is fine.');
  t.deepEqual(world.turns(), [`assistant: ${announcement}`, 'user: Yes, that is fine.']);
  t.deepEqual(world.requests[0]?.messages, [{ role: 'user', content: '[outbound call connected]' }]);
  t.is(world.requests[0]?.turn, 1);
});

test('who has called is greeted afterwards', (t) => {
  const world = announced('none', { direction: 'inbound', kickoff: null, greeting: 'Welcome.' });
  t.deepEqual(world.said(), [announcement, 'Welcome.']);
});

test('words before the end of the announcement are no answer, and do not interrupt it', (t) => {
  const world = answered('speech');
  world.hear('Yes.');
  t.is(world.commands.filter(({ type }) => type === 'stopTalking').length, 0);
  world.play();
  t.is(world.requests.length, 0);
  world.hear('Yes.');
  t.is(world.requests.length, 1);
});

test('who says no is said goodbye, and the call ends', (t) => {
  const world = announced('speech');
  world.hear('No, thank you.');
  t.is(world.said().at(-1), 'Without that, goodbye.');
  t.deepEqual(consents(world), [{ given: false, how: 'speech' }]);
  t.is(world.state(), 'active.talking.consenting');
  world.play();
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'consent_refused', status: 'completed' });
  t.deepEqual([world.requests.length, recordingIsOn(world)], [0, false]);
});

test('an unclear answer is asked about once more, and a second one is none', (t) => {
  const world = announced('speech');
  world.hear('Who is this?');
  t.deepEqual(world.said(), [announcement, announcement]);
  world.play();
  world.hear('What?');
  t.deepEqual(consents(world), [{ given: false, how: 'speech' }]);
});

test('silence is asked into once more, and is no yes', (t) => {
  for (const requirement of ['speech', 'key'] as const) {
    const world = announced(requirement);
    world.clock.increment(10_000);
    t.deepEqual(world.said(), [announcement, announcement]);
    world.play();
    world.clock.increment(10_000);
    t.deepEqual(consents(world), [{ given: false, how: 'silence' }]);
  }
});

test('who begins to speak in time is heard', (t) => {
  const world = announced('speech');
  world.clock.increment(9_000);
  world.onLine({ type: 'line.speech' });
  world.clock.increment(9_000);
  world.onLine({ type: 'line.heard', text: 'Yes', backchannel: true });
  t.deepEqual(consents(world), [{ given: true, how: 'speech' }]);
});

test('the key 1 agrees, any other one does not, and words are no key', (t) => {
  const agreed = announced('key');
  agreed.hear('Yes.');
  t.deepEqual(consents(agreed), []);
  agreed.onLine({ type: 'line.digit', digit: '1' });
  t.deepEqual(consents(agreed), [{ given: true, how: 'key' }]);
  const refused = announced('key');
  refused.onLine({ type: 'line.digit', digit: '2' });
  t.deepEqual(consents(refused), [{ given: false, how: 'key' }]);
});

test('nothing is done for the agent or a program before', (t) => {
  const world = announced('speech');
  const before = world.commands.length;
  world.ask({ type: 'say.requested', sentences: ['Hello.'], interrupt: true });
  world.ask({ type: 'keys.requested', keys: '1' });
  world.ask({ type: 'recording.resume_requested' });
  world.ask({
    type: 'collect.requested',
    wanted: { digits: 4, finish: null, timeoutSec: 10, secret: true },
  });
  t.is(world.commands.length, before);
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.ending');
  world.onLine({ type: 'line.ended', by: 'gateway' });
  t.like(world.end(), { reason: 'agent_hangup' });
});

test('who puts the call on hold meanwhile is told anew', (t) => {
  const world = announced('speech');
  world.onLine({ type: 'line.held' });
  world.clock.increment(60_000);
  t.deepEqual(world.said(), [announcement]);
  world.onLine({ type: 'line.resumed' });
  t.deepEqual(world.said(), [announcement, announcement]);
});

test('a machine that has answered is left its message, unrecorded', (t) => {
  const world = answered('speech', { voicemail: 'leave_message' });
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  world.play('This call');
  t.is(world.conversationState(), 'voicemail');
  world.ask({ type: 'recording.resume_requested' });
  t.false(recordingIsOn(world));
});

test('a call that is taken over before it was answered is asked anew', (t) => {
  const world = createCallWorld({
    recording: true,
    consent: { announcement, requirement: 'speech', language: 'en' },
    takenOver: takenOver(
      { resumesAs: 'consenting', messages: [] },
      { recordingIsPaused: true, consentIsAwaited: true },
    ),
  });
  world.onLine({ type: 'line.adopted' });
  t.is(world.state(), 'active.talking.consenting');
  t.deepEqual(world.said(), [announcement]);
  t.false(recordingIsOn(world));
  world.play();
  world.hear('Yes.');
  t.true(recordingIsOn(world));
  t.is(world.requests[0]?.messages.length, 1);
});

test('where it was to be hung up as well, it ends', (t) => {
  const world = createCallWorld({
    consent: { announcement, requirement: 'speech', language: 'en' },
    takenOver: takenOver(
      { resumesAs: 'consenting', messages: [] },
      { hangupIsPending: true, consentIsAwaited: true },
    ),
  });
  world.onLine({ type: 'line.adopted' });
  t.is(world.state(), 'active.ending');
});
