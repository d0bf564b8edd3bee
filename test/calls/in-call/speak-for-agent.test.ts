import test from 'ava';
import { pressKeys, say } from '#src/calls/in-call/speak-for-agent.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { takenOver } from '#test/helpers/taken-over-call.ts';

const answered = (options: Parameters<typeof createCallWorld>[0] = {}) => {
  const world = createCallWorld(options);
  world.onLine({ type: 'line.answered' });
  return world;
};

const words = { sentences: ['One moment.'], interrupt: false };

test('keys are pressed in a call that was answered', (t) => {
  const world = answered();
  pressKeys(world.actor, '1w2#');
  t.deepEqual(world.commands.at(-1), { type: 'press', keys: '1w2#' });
});

test('nobody would hear the keys or the words in a call that rings or is being ended', (t) => {
  const ringing = createCallWorld();
  const ending = answered();
  ending.ask({ type: 'hangup.requested', immediate: true });
  for (const { actor, commands } of [ringing, ending]) {
    const before = commands.length;
    t.throws(() => pressKeys(actor, '1'), { code: 'call_not_active' });
    t.throws(() => say(actor, words), { code: 'call_not_active' });
    t.is(commands.length, before);
  }
});

test('a machine that gets its message hears nothing else', (t) => {
  const world = answered({ voicemail: 'leave_message' });
  world.onLine({ type: 'line.answered_by', by: 'machine' });
  t.is(world.state(), 'active.talking.leaving-message');
  t.throws(() => say(world.actor, words), { code: 'call_not_active' });
  t.throws(() => pressKeys(world.actor, '1'), { code: 'call_not_active' });
});

test('a call that is being taken over is asked once more, when its line is there', (t) => {
  const world = createCallWorld({ takenOver: takenOver() });
  t.throws(() => say(world.actor, words), { code: 'room_unknown' });
  world.onLine({ type: 'line.adopted' });
  say(world.actor, words);
  t.deepEqual(world.said(), words.sentences);
});
