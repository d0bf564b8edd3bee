/** A call ends once: its first cause is its reason, whatever follows. */
import test from 'ava';
import { outcomeOf, type EndReason } from '#machines/outcome.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';
import { lineEnds, theyHangUp, type World } from './stages.ts';

type Cause = readonly [EndReason, (world: World) => void];

const causes: readonly Cause[] = [
  ['agent_hangup', (world) => world.ask({ type: 'hangup.requested', immediate: true })],
  ['max_duration', (world) => world.clock.increment(60_000)],
  ['media_error', (world) => world.onLine({ type: 'line.failed' })],
  ['system_error', (world) => world.ask({ type: 'gateway.closing' })],
  [
    'agent_error',
    (world) => {
      world.onReply({ type: 'reply.failed', failure: 'http_error' });
      world.play();
      world.hear('Hello?');
      world.onReply({ type: 'reply.failed', failure: 'http_error' });
    },
  ],
  ['counterparty_hangup', (world) => theyHangUp(world)],
];

const firstWins = test.macro<[Cause, Cause]>({
  exec(t, [reason, first], [, second]) {
    const world = createCallWorld({
      maxDurationSec: 60,
      silenceTimeoutSec: 300,
      hangUpTimeoutMs: 100_000,
      farewellWaitMs: 300_000,
    });
    world.answer();
    first(world);
    second(world);
    lineEnds(world);
    t.is(world.end()?.reason, reason);
    t.is(world.end()?.status, outcomeOf(reason, true).status);
    t.is(world.story().filter((type) => type === 'call.ended').length, 1);
  },
  title: (_, [first], [second]) => `${first} came first, so ${second} is not why the call ended`,
});

for (const first of causes)
  for (const second of causes)
    if (first !== second && first[0] !== 'counterparty_hangup' && second[0] !== 'agent_error')
      test(firstWins, first, second);
