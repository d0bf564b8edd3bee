import test from 'ava';
import * as fc from 'fast-check';
import { createActor, SimulatedClock } from 'xstate';
import { deliveryPolicy } from '#config/policy.ts';
import { deliveryMachine, type DeliveryEvent, type DeliveryTimes } from '#machines/delivery.ts';

const failed = (retryAfterMs: number | null = null, chance = 0): DeliveryEvent => ({
  type: 'attempt.failed',
  chance,
  retryAfterMs,
});

const begin = (times: DeliveryTimes = deliveryPolicy, failures = 0) => {
  const clock = new SimulatedClock();
  let disabled = 0;
  const machine = deliveryMachine.provide({ actions: { disableEndpoint: () => void (disabled += 1) } });
  const actor = createActor(machine, { input: { times, failures }, clock });
  actor.start();
  return {
    disabled: () => disabled,
    state: () => actor.getSnapshot().value,
    send: (...events: DeliveryEvent[]) => events.forEach((event) => actor.send(event)),
    /** How long it waits, to the millisecond. */
    waits(): number {
      const { retryMs } = actor.getSnapshot().context;
      clock.increment(Math.max(0, retryMs - 1));
      if (retryMs > 0 && actor.getSnapshot().value !== 'waiting') throw new Error('It did not wait so long');
      clock.increment(1);
      if (actor.getSnapshot().value !== 'pending') throw new Error('It waited longer');
      return retryMs;
    },
  };
};

test('it is sent when somebody takes it, and delivered when the endpoint accepts it', (t) => {
  const { send, state } = begin();
  t.is(state(), 'pending');
  send({ type: 'attempt.delivered' });
  t.is(state(), 'pending', 'nobody has made an attempt');
  send({ type: 'claimed' });
  t.is(state(), 'attempting');
  send({ type: 'attempt.delivered' });
  t.is(state(), 'delivered');
});

test('without jitter the attempts come after 0 s, 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h and 14 h, then it is dead', (t) => {
  const { send, state, waits } = begin();
  const minute = 60_000;
  const waited: number[] = [];
  for (;;) {
    send({ type: 'claimed' }, failed());
    if (state() !== 'waiting') break;
    waited.push(waits());
    t.is(state(), 'pending');
  }
  t.is(state(), 'dead');
  t.deepEqual(waited, [
    5_000,
    minute,
    5 * minute,
    30 * minute,
    120 * minute,
    300 * minute,
    600 * minute,
    840 * minute,
  ]);
});

test('an endpoint that asks for time gets it, but not more than the longest, and never less than the schedule has', (t) => {
  const wait = (retryAfterMs: number): number => {
    const { send, waits } = begin();
    send({ type: 'claimed' }, failed(retryAfterMs));
    return waits();
  };
  t.is(wait(90_000), 90_000);
  t.is(wait(1_000), 5_000);
  t.is(wait(Infinity), deliveryPolicy.longestRetryAfterSec * 1_000);
});

test('jitter only lengthens a wait, by at most its share', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 1_000 }), { minLength: 2, maxLength: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.nat({ max: 12 }),
      (scheduleSec, jitter, chance, failures) => {
        const { send, state, waits } = begin({ scheduleSec, jitter, longestRetryAfterSec: 60 }, failures);
        send({ type: 'claimed' }, failed(null, chance));
        const plain = scheduleSec[failures + 1];
        if (plain === undefined) {
          t.is(state(), 'dead');
          return;
        }
        const waited = waits();
        t.true(waited >= plain * 1_000 && waited <= Math.ceil(plain * 1_000 * (1 + jitter)));
      },
    ),
    { numRuns: 50 },
  );
});

test('an endpoint that is gone is disabled, and its event dies with the first attempt', (t) => {
  const { send, state, disabled } = begin();
  send({ type: 'claimed' }, { type: 'attempt.gone' });
  t.is(state(), 'dead');
  t.is(disabled(), 1);
});

test('what nobody has heard of is tried again and does not count', (t) => {
  const { send, state } = begin({ ...deliveryPolicy, scheduleSec: [0, 0] });
  send({ type: 'claimed' }, { type: 'released' });
  t.is(state(), 'pending');
  send({ type: 'claimed' }, failed());
  t.is(state(), 'waiting');
});

test('a replay begins the round anew wherever it stands, but for an attempt that is under way', (t) => {
  const times = { ...deliveryPolicy, scheduleSec: [0, 5] };
  const ways: DeliveryEvent[][] = [
    [{ type: 'claimed' }, { type: 'attempt.delivered' }],
    [{ type: 'claimed' }, { type: 'attempt.gone' }],
    [{ type: 'claimed' }, failed()],
  ];
  for (const way of ways) {
    const { send, state } = begin(times);
    send(...way, { type: 'replayed' });
    t.is(state(), 'pending');
    send({ type: 'claimed' }, failed());
    t.is(state(), 'waiting', 'its schedule is new');
  }
  const { send, state } = begin(times);
  send({ type: 'claimed' }, { type: 'replayed' });
  t.is(state(), 'attempting');
});
