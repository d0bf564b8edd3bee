/** Controls of a reply act when what stands before them was heard, and never else. */
import test from 'ava';
import type { Control } from '#machines/control.ts';
import { answered, asked, isBusy, type World } from './stages.ts';

const hangUp: Control = { act: 'hang_up' };
const press = (keys: string): Control => ({ act: 'press_keys', keys });

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

test('a hang-up behind a farewell waits until it was heard, and is the request of the API', (t) => {
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

test('a hang-up before the farewell is pending while it is said', (t) => {
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

test('who speaks into the farewell keeps the call, as with a hang-up of the API', (t) => {
  const world = asked();
  write(world, hangUp, 'Goodbye.');
  finish(world);
  world.hear('Wait!');
  t.is(world.state(), 'active.talking.conversing');
});

test('each acts in its place', (t) => {
  const world = asked();
  write(world, press('1'), 'One.', press('2'), press('3'), 'Two.');
  t.deepEqual(pressed(world), ['1']);
  world.play();
  t.deepEqual(pressed(world), ['1', '2', '3']);
  write(world, press('4'));
  t.deepEqual(pressed(world), ['1', '2', '3']);
  finish(world);
  world.play();
  t.deepEqual(pressed(world), ['1', '2', '3', '4']);
});

test('behind an interrupted sentence nothing is done any more', (t) => {
  const world = asked();
  write(world, 'One.', press('1'), 'Two.', press('2'), 'Three.', hangUp);
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

test('an onset that was nothing delays what follows, and loses nothing', (t) => {
  const world = asked();
  write(world, 'Goodbye.', hangUp);
  finish(world);
  world.onLine({ type: 'line.onset' });
  t.is(world.state(), 'active.talking.conversing');
  world.onLine({ type: 'line.no_speech' });
  world.play();
  t.is(world.state(), 'active.ending');
});

test('what cannot be synthesized has run its course, and what follows it is done', (t) => {
  const world = asked();
  write(world, '…', press('1'));
  world.onLine({ type: 'line.played', utterance: 2, text: '', whole: true, startedAt: 0 });
  t.deepEqual(pressed(world), ['1']);
});

test('a reply that fails behind a control has done it', (t) => {
  const world = asked();
  write(world, 'One moment.', press('1'));
  world.onReply({ type: 'reply.failed', failure: 'http_error' });
  world.play();
  t.deepEqual(pressed(world), ['1']);
});

test('a reply that nobody wants any more does nothing', (t) => {
  const world = asked();
  const late = world.currentReply();
  world.onLine({ type: 'line.speech' });
  late({ type: 'reply.control', control: hangUp });
  t.is(world.state(), 'active.talking.conversing');
  t.false(world.story().includes('call.hangup_requested'));
});

test('on hold, and on an answering machine, what was to follow is not done', (t) => {
  const held = asked();
  write(held, 'Goodbye.', hangUp);
  held.onLine({ type: 'line.held' });
  held.play('');
  held.onLine({ type: 'line.resumed' });
  t.is(held.state(), 'active.talking.conversing');

  const machine = answered({ voicemail: 'leave_message' });
  write(machine, 'Hello.', press('1'));
  machine.onLine({ type: 'line.answered_by', by: 'machine' });
  machine.play('');
  t.deepEqual(pressed(machine), []);
});
