/** Facts of a call about its trunk and its sound. */
import test from 'ava';
import { someRoute, someSound } from '#test/helpers/some-sound.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { listening } from './stages.ts';

test('by which trunk it goes is published with the answer, how it sounded with the end', (t) => {
  const world = createCallWorld();
  world.onLine({ type: 'line.answered', route: someRoute });
  world.ask({ type: 'hangup.requested', immediate: true });
  world.onLine({ type: 'line.ended', by: 'gateway', route: someRoute, sound: someSound });
  t.like(world.facts[0], { type: 'call.answered', route: someRoute });
  t.like(world.end(), { type: 'call.ended', route: someRoute, sound: someSound });
});

test('a line that knows nothing of trunks and packets leaves both out', (t) => {
  const world = listening();
  world.onLine({ type: 'line.ended', by: 'counterparty' });
  const end = world.end();
  t.truthy(end);
  t.false(Object.hasOwn(end ?? {}, 'route'));
  t.false(Object.hasOwn(end ?? {}, 'sound'));
});

test('sound that goes one way alone is published while the call goes on, and while it ends', (t) => {
  const world = listening();
  world.onLine({ type: 'line.one_way', missing: 'nothing_received' });
  t.like(world.facts.at(-1), { type: 'sound.one_way', missing: 'nothing_received' });
  t.is(world.state(), 'active.talking.conversing');
  world.ask({ type: 'hangup.requested', immediate: true });
  world.onLine({ type: 'line.one_way', missing: 'nothing_delivered' });
  t.like(world.facts.at(-1), { type: 'sound.one_way', missing: 'nothing_delivered' });
});
