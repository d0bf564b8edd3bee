import test from 'ava';
import { createPressKeys } from '#src/calls/in-call/press-keys.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';

const setUp = () => {
  const world = createCallWorld();
  const press = createPressKeys({ find: (callId) => (callId === 'a-call' ? world.actor : undefined) });
  return { world, press };
};

test('keys are pressed in a call that was answered', async (t) => {
  const { world, press } = setUp();
  world.onLine({ type: 'line.answered' });
  await press('a-call', '1w2#');
  t.deepEqual(world.commands.at(-1), { type: 'press', keys: '1w2#' });
});

test('nobody would hear the keys in a call that rings, is over or is unknown', async (t) => {
  const { world, press } = setUp();
  await t.throwsAsync(press('a-call', '1'), { code: 'call_not_active' });
  await t.throwsAsync(press('another', '1'), { code: 'call_not_active' });
  world.actor.send({ type: 'cancel.requested' });
  await t.throwsAsync(press('a-call', '1'), { code: 'call_not_active' });
  t.false(world.commands.some(({ type }) => type === 'press'));
});
