/** The rows of deliveries and their chart go the same ways, whoever takes the steps. */
import test from 'ava';
import * as fc from 'fast-check';
import { initialTransition, transition } from 'xstate';
import { deliveryPolicy } from '#config/policy.ts';
import { deliveryMachine, type DeliveryEvent } from '#machines/delivery.ts';
import { afterAttempt } from '#src/events/attempt-delivery.ts';
import { claimDeliveries, releaseDelivery } from '#src/persistence/deliveries.ts';
import type { Database } from '#src/persistence/database.ts';
import { recordDeliveryAttempt } from '#src/persistence/delivery-attempts.ts';
import { replayDelivery } from '#src/persistence/delivery-list.ts';
import { onlyEnded, openWorld } from './event-world.ts';

const times = { ...deliveryPolicy, scheduleSec: [0, 5, 60] };
const leaseMs = 45_000;

type Step = Exclude<DeliveryEvent['type'], 'claimed'> | 'time goes by';

const step = fc.constantFrom<Step>(
  'attempt.delivered',
  'attempt.failed',
  'attempt.failed',
  'attempt.failed',
  'attempt.gone',
  'released',
  'replayed',
  'time goes by',
);

/** Of the only row there is. */
const stateOfRow = async (db: Database, now: number): Promise<string> => {
  const [found] = await db.execute<{ state: string; due: Date; until: Date | null }>(
    'select state, next_attempt_at as due, claimed_until as until from event_delivery',
  );
  if (found === undefined || found.state !== 'pending') return found?.state ?? 'gone';
  if (found.until !== null && found.until.getTime() > now) return 'attempting';
  return found.due.getTime() > now ? 'waiting' : 'pending';
};

const claimAt = (db: Database, now: number) =>
  claimDeliveries(db, {
    node: 'test',
    now: new Date(now),
    until: new Date(now + leaseMs),
    free: 2,
    held: new Map(),
    restrained: new Map(),
    perEndpoint: 1,
  });

test('a row and the chart are in the same state after every step', async (t) => {
  const { db, world } = await openWorld(t);
  await world.endpoint(onlyEnded);
  const { workspaceId } = world;

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      await db.execute('delete from event_delivery');
      await world.call();
      const [row] = await db.execute<{ id: string; due: Date }>(
        'select id, next_attempt_at as due from event_delivery',
      );
      const id = row?.id ?? '';
      let now = row?.due.getTime() ?? 0;
      let [chart] = initialTransition(deliveryMachine, { times, failures: 0 });
      const send = (event: DeliveryEvent): void => {
        [chart] = transition(deliveryMachine, chart, event);
      };

      const rowState = () => stateOfRow(db, now);
      const claim = () => claimAt(db, now);

      const attempt = async (type: Extract<Step, `attempt.${string}`>): Promise<void> => {
        const [claimed] = await claim();
        // Only what is pending can be taken.
        t.is(claimed !== undefined, chart.matches('pending'));
        if (claimed === undefined) return;
        send({ type: 'claimed' });
        t.is(await rowState(), 'attempting');
        const event =
          type === 'attempt.failed'
            ? ({ type, chance: 0, retryAfterMs: null } as const)
            : ({ type } as const);
        const next = afterAttempt({ times, failures: claimed.failedInRound }, event);
        const record = {
          attempt: claimed.attempt,
          at: new Date(now),
          durationMs: 0,
          httpStatus: 200,
          error: null,
        };
        await recordDeliveryAttempt(
          db,
          id,
          record,
          next.state === 'waiting'
            ? { state: 'pending', nextAttemptAt: new Date(now + next.retryMs) }
            : { state: next.state },
        );
        send(event);
      };

      for (const type of steps) {
        if (type === 'time goes by') {
          now += 100_000;
          if (chart.matches('waiting')) [chart] = initialTransition(deliveryMachine, chart.context);
        } else if (type === 'released') {
          if ((await claim()).length > 0) send({ type: 'claimed' });
          await releaseDelivery(db, id);
          send({ type });
        } else if (type === 'replayed') {
          await replayDelivery(db, { deliveryId: id, workspaceId, now: new Date(now) });
          send({ type });
        } else await attempt(type);
        t.is(await rowState(), chart.value, `after ${type} of ${steps.join(', ')}`);
      }
    }),
    { numRuns: 40 },
  );
});
