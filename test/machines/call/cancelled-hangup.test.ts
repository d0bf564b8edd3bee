/** A hangup is cancelled by words into the farewell, and not by a murmur or a key. */
import test from 'ava';
import { lastCommand, sayingFarewell } from './stages.ts';

test('real speech into the farewell cancels the hangup and the call goes on', (t) => {
  const world = sayingFarewell();
  world.clock.increment(500);
  world.onLine({ type: 'line.speech' });
  t.is(world.state(), 'active.talking.conversing');
  t.deepEqual(world.facts.at(-1), { type: 'call.hangup_cancelled', at: 500 });
  t.is(lastCommand(world), 'stopTalking');
  world.play('Good');
  world.onLine({ type: 'line.heard', text: 'Wait!', backchannel: false });
  t.is(world.conversationState(), 'replying.thinking');
  world.clock.increment(30_000);
  t.is(world.state(), 'active.talking.conversing');
  t.deepEqual(world.turns(), ['assistant: Good', 'user: Wait!']);
});

test('words that no speech announced cancel the hangup as well', (t) => {
  const world = sayingFarewell();
  world.onLine({ type: 'line.heard', text: 'One more thing.', backchannel: false });
  t.is(world.state(), 'active.talking.conversing');
  t.is(lastCommand(world), 'stopTalking');
  t.deepEqual(world.story(), [
    'call.answered',
    'call.hangup_requested',
    'call.hangup_cancelled',
    'turn.spoken',
  ]);
});

test('a backchannel does not cancel the hangup', (t) => {
  const world = sayingFarewell();
  world.onLine({ type: 'line.heard', text: '네', backchannel: true });
  t.is(world.state(), 'active.talking.hangup-pending');
  world.play();
  t.is(world.state(), 'active.ending');
  t.deepEqual(world.turns(), ['user: 네', 'assistant: Goodbye.']);
});

test('a pressed key does not cancel the hangup', (t) => {
  const world = sayingFarewell();
  world.onLine({ type: 'line.digit', digit: '#' });
  t.is(world.state(), 'active.talking.hangup-pending');
  t.deepEqual(world.facts.at(-1), { type: 'turn.digit', at: 0, digit: '#' });
});
