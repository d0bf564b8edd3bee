/**
 * The life of one delivery: an event on its way to one endpoint.
 *
 * A delivery may take days and outlives every process, so it has no actor: a database row holds its state, and after
 * each attempt this chart computes the next state (XState's `transition`). In the row, `pending` and `waiting` are one
 * state, distinguished by the due time; `attempting` is a claimed row.
 *
 * Only an attempt evaluates the chart for a single row. Claiming, releasing and replaying are statements over many
 * rows, which select rows by state and cannot evaluate the chart for each: `claimed`, `released` and `replayed` specify
 * these statements, and test/events/deliveries.test.ts compares each of them with the chart, step by step against the
 * database.
 */
import { assign, setup } from 'xstate';

export type DeliveryTimes = Readonly<{
  /**
   * Delays before the attempts of a round, in seconds. The first entry belongs to the first attempt; the number of
   * entries is the number of attempts.
   */
  scheduleSec: readonly number[];
  /** Share by which each delay is extended at most, so that retries are spread out. */
  jitter: number;
  /** Maximum for an endpoint's `Retry-After`; larger values are reduced to this one. */
  longestRetryAfterSec: number;
}>;

export type DeliveryInput = {
  times: DeliveryTimes;
  /** Number of failed attempts of this round. */
  failures: number;
};

type DeliveryContext = DeliveryInput & {
  /** Delay between the last failed attempt and the next one. */
  retryMs: number;
};

export type DeliveryEvent =
  /** The delivery is due, and a gateway has claimed it for an attempt. */
  | { type: 'claimed' }
  /** The gateway that claimed the delivery did not report a result in time, or could not make the attempt. */
  | { type: 'released' }
  | { type: 'attempt.delivered' }
  /**
   * The attempt failed. `chance` is from 0 (inclusive) to 1 (exclusive). `retryAfterMs` is the delay that the endpoint
   * requested, or `null`.
   */
  | { type: 'attempt.failed'; chance: number; retryAfterMs: number | null }
  /** The endpoint unsubscribed. */
  | { type: 'attempt.gone' }
  /** An admin requests a retry or an immediate attempt. */
  | { type: 'replayed' };

type Failure = Pick<Extract<DeliveryEvent, { type: 'attempt.failed' }>, 'chance' | 'retryAfterMs'>;

export const deliveryMachine = setup({
  types: {
    input: {} as DeliveryInput,
    context: {} as DeliveryContext,
    events: {} as DeliveryEvent,
  },
  delays: {
    retryDue: ({ context }) => context.retryMs,
  },
  guards: {
    wasLast: ({ context: { failures, times } }) => failures + 1 >= times.scheduleSec.length,
  },
  actions: {
    noteFailure: assign(({ context: { failures, times } }, { chance, retryAfterMs }: Failure) => {
      const scheduledMs = (times.scheduleSec[failures + 1] ?? 0) * 1_000 * (1 + times.jitter * chance);
      const wantedMs = Math.min(retryAfterMs ?? 0, times.longestRetryAfterSec * 1_000);
      return { failures: failures + 1, retryMs: Math.round(Math.max(scheduledMs, wantedMs)) };
    }),
    beginRound: assign({ failures: 0, retryMs: 0 }),
    disableEndpoint: () => {
      throw new Error('No "disableEndpoint" was provided to this machine');
    },
  },
}).createMachine({
  id: 'delivery',
  description: 'An event on its way to one endpoint.',
  context: ({ input }) => ({ ...input, retryMs: 0 }),
  initial: 'pending',
  on: { replayed: { target: '.pending', actions: 'beginRound' } },
  states: {
    pending: {
      description:
        'It is due, and waits for its turn: for room, for an earlier event of the same call, or for its endpoint to be active.',
      on: { claimed: 'attempting' },
    },
    attempting: {
      description: 'A gateway sends it and waits for the answer of the endpoint.',
      on: {
        released: 'pending',
        'attempt.delivered': 'delivered',
        'attempt.gone': { target: 'dead', actions: 'disableEndpoint' },
        'attempt.failed': [
          { guard: 'wasLast', target: 'dead' },
          {
            target: 'waiting',
            actions: { type: 'noteFailure', params: ({ event }) => event },
          },
        ],
        replayed: { description: 'It is under way already.' },
      },
    },
    waiting: {
      description: 'The attempt failed; the next one is made later.',
      after: { retryDue: 'pending' },
    },
    delivered: { description: 'The endpoint has accepted it.' },
    dead: { description: 'It is not tried again, unless an admin wants it.' },
  },
});
