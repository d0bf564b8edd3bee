/**
 * The life of one delivery: an event on its way to one endpoint.
 *
 * It lasts for up to days and outlives every process, so no actor lives it: a row of the database tells where it stands,
 * and whoever has made an attempt asks this chart what follows from it (XState's `transition`). In the row `pending`
 * and `waiting` are one state, told apart by the time at which it is due; `attempting` is one that is claimed.
 *
 * Only an attempt asks about one row. Claiming, releasing and replaying are statements over many rows at once, which
 * choose them by their state and cannot ask for each: `claimed`, `released` and `replayed` say what such a statement must
 * do, and test/events/deliveries.test.ts holds each of them to it, step by step against the database.
 */
import { assign, setup } from 'xstate';

export type DeliveryTimes = Readonly<{
  /** Delay before each attempt of a round, seconds: the first entry is the first attempt's. Its length is their number. */
  scheduleSec: readonly number[];
  /** Each delay is lengthened by up to this share of itself, so that retries do not come in step. */
  jitter: number;
  /** What an endpoint may ask for with `Retry-After`; more is cut to it. */
  longestRetryAfterSec: number;
}>;

export type DeliveryInput = {
  times: DeliveryTimes;
  /** Attempts of this round that have failed. */
  failures: number;
};

type DeliveryContext = DeliveryInput & {
  /** From the last failed attempt to the next one. */
  retryMs: number;
};

export type DeliveryEvent =
  /** It is due, and a gateway takes it for an attempt. */
  | { type: 'claimed' }
  /** The gateway that took it has not said in time what came of it, or could not make the attempt at all. */
  | { type: 'released' }
  | { type: 'attempt.delivered' }
  /** `chance` is from 0 (inclusive) to 1 (exclusive). `retryAfterMs`: what the endpoint asked for, `null` for nothing. */
  | { type: 'attempt.failed'; chance: number; retryAfterMs: number | null }
  /** The endpoint wants no more events. */
  | { type: 'attempt.gone' }
  /** An admin wants it to be sent, again or now. */
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
