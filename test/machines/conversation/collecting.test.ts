/** Keys of the other party that come to the agent as one turn. */
import test from 'ava';
import { noKeysYet, type KeysWanted } from '#machines/collected-keys.ts';
import { takenOver } from '#test/helpers/taken-over-call.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { asked, history, isBusy, listening, type World } from './stages.ts';

const wanted: KeysWanted = { digits: 4, finish: null, timeoutSec: 10, secret: false };

const collect = (world: World, changes: Partial<KeysWanted> = {}): void =>
  world.ask({ type: 'collect.requested', wanted: { ...wanted, ...changes } });

const press = (world: World, digits: string): void => {
  for (const digit of digits) world.onLine({ type: 'line.digit', digit });
};

test('so many keys as are wanted are a turn of the other party, and the agent answers it', (t) => {
  const world = listening();
  collect(world);
  t.is(world.conversationState(), 'listening.collecting');
  t.true(isBusy(world));
  press(world, '123');
  t.is(world.conversationState(), 'listening.collecting');
  world.clock.increment(5);
  press(world, '4');
  t.is(world.conversationState(), 'replying.thinking');
  t.is(history(world).at(-1), 'user: [keys] 1234');
  t.like(world.facts.at(-1), { type: 'turn.spoken', role: 'user', text: '[keys] 1234' });
  const turn = world.facts.at(-1);
  t.is(turn?.type === 'turn.spoken' && turn.endedAt - turn.at, 5);
  world.replyAndPlay('Thank you.');
  t.is(world.conversationState(), 'listening.silent');
});

test('the key that finishes is none of them', (t) => {
  const world = listening();
  collect(world, { digits: null, finish: '#' });
  press(world, '12#');
  t.is(history(world).at(-1), 'user: [keys] 12');
});

test('when none comes for a while, those that came are all', (t) => {
  const world = listening();
  collect(world);
  world.clock.increment(9_999);
  press(world, '1');
  world.clock.increment(9_999);
  t.is(world.conversationState(), 'listening.collecting');
  world.clock.increment(1);
  t.is(history(world).at(-1), 'user: [keys] 1');
});

test('the agent is told when none was pressed', (t) => {
  const world = listening();
  collect(world);
  const facts = world.facts.length;
  world.clock.increment(10_000);
  t.is(history(world).at(-1), 'user: [keys]');
  t.is(world.conversationState(), 'replying.thinking');
  t.is(world.facts.length, facts);
});

test('nobody is asked whether somebody is there while keys are waited for', (t) => {
  const world = listening({ silenceTimeoutSec: 5 });
  collect(world, { timeoutSec: 60 });
  world.clock.increment(59_000);
  t.is(world.conversationState(), 'listening.collecting');
});

test('keys that come while the agent speaks count, and are heard when it is done', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'Four digits, please.' });
  collect(world);
  press(world, '1234');
  t.is(world.conversationState(), 'replying.speaking');
  world.onReply({ type: 'reply.finished' });
  world.play();
  t.is(world.conversationState(), 'replying.thinking');
  t.deepEqual(history(world).slice(-2), ['assistant: Four digits, please.', 'user: [keys] 1234']);
});

test('who speaks instead is answered, and the keys are waited for still', (t) => {
  const world = listening();
  collect(world);
  press(world, '1');
  world.hear('Where is it?');
  t.is(history(world).at(-1), 'user: Where is it?');
  world.replyAndPlay('On the back.');
  t.is(world.conversationState(), 'listening.collecting');
  press(world, '234');
  t.is(history(world).at(-1), 'user: [keys] 1234');
});

test('another request takes the place of the one before', (t) => {
  const world = listening();
  collect(world);
  press(world, '12');
  collect(world, { digits: 1 });
  press(world, '9');
  t.is(history(world).at(-1), 'user: [keys] 9');
});

test('a control of a reply waits for what stands before it', (t) => {
  const world = asked();
  world.onReply({ type: 'reply.sentence', text: 'Four digits, please.' });
  world.onReply({ type: 'reply.control', control: { act: 'collect_keys', wanted } });
  world.onReply({ type: 'reply.finished' });
  t.false(world.story().includes('collect.requested'));
  world.play();
  t.is(world.conversationState(), 'listening.collecting');
  t.true(world.story().includes('collect.requested'));
});

test('a hang-up that was asked for waits until the keys came', (t) => {
  const world = listening();
  collect(world);
  world.ask({ type: 'hangup.requested', immediate: false });
  t.is(world.state(), 'active.talking.hangup-pending');
  press(world, '1234');
  t.is(world.state(), 'active.talking.hangup-pending');
  world.replyAndPlay('Goodbye.');
  t.is(world.state(), 'active.ending');
});

test('secret keys are hidden by the line while they come, and the recording pauses for them', (t) => {
  const world = listening({ recording: true });
  const before = world.commands.length;
  collect(world, { digits: null, finish: '#', secret: true });
  press(world, '••••#');
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

test('a recording that was paused before stays so', (t) => {
  const world = listening({ recording: true });
  world.ask({ type: 'recording.pause_requested' });
  collect(world, { digits: 1, secret: true });
  press(world, '•');
  t.true(world.actor.getSnapshot().context.recordingIsPaused);
});

test('a call that is taken over goes on waiting, and hides the keys again', (t) => {
  const collected = {
    wanted: { ...wanted, secret: true },
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
  press(world, '••••');
  t.is(history(world).at(-1), 'user: [keys] ••••');
  t.false(world.actor.getSnapshot().context.recordingIsPaused);
});

test('a recording that was paused before stays so at the next gateway, too', (t) => {
  const collected = noKeysYet({ ...wanted, secret: true });
  const world = createCallWorld({
    recording: true,
    takenOver: takenOver({ collected }, { recordingIsPaused: true }),
  });
  world.onLine({ type: 'line.adopted' });
  press(world, '••••');
  t.true(world.actor.getSnapshot().context.recordingIsPaused);
});

test('secret keys that nobody waits for any more are forgotten', (t) => {
  const world = listening();
  const before = world.commands.length;
  collect(world, { secret: true });
  press(world, '••');
  collect(world, { digits: 1 });
  press(world, '9');
  t.deepEqual(world.commands.slice(before), [{ type: 'hideKeys', finish: null }, { type: 'forgetKeys' }]);
  t.is(history(world).at(-1), 'user: [keys] 9');
});

const askInSecret = (world: World): void => {
  world.onReply({ type: 'reply.sentence', text: 'Your number, please.' });
  world.onReply({
    type: 'reply.control',
    control: { act: 'collect_keys', wanted: { ...wanted, secret: true } },
  });
  world.onReply({ type: 'reply.finished' });
};

test('secret keys are hidden while the agent still asks for them, and only those behind it are a turn', (t) => {
  const world = asked({ recording: true });
  const before = world.commands.length;
  askInSecret(world);
  press(world, '••');
  world.play();
  press(world, '••••');
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

test('who interrupts the question is asked for no secret, and the recording goes on', (t) => {
  const world = asked({ recording: true });
  askInSecret(world);
  t.true(world.actor.getSnapshot().context.recordingIsPaused);
  world.onLine({ type: 'line.speech' });
  world.play('Your');
  t.is(world.commands.at(-2)?.type, 'forgetKeys');
  t.false(world.actor.getSnapshot().context.recordingIsPaused);
  t.is(world.actor.getSnapshot().context.secretKeys, null);
});
