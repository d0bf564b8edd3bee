/**
 * The life of one SIP trunk on one gateway: registration and reachability.
 *
 * - `serving` lasts as long as the registration: refreshes happen during calls.
 * - An unreachable trunk keeps its registration: a trunk may accept REGISTER and ignore OPTIONS, and still send calls.
 * - A single unanswered OPTIONS is not conclusive. A trunk is considered unreachable after three in a row, and
 *   reachable again after two answers in a row, so that its state does not flap.
 * - Settings are constant during a life: a changed trunk begins a new one.
 * - A gateway that takes no more calls leaves the registration to others: the trunk stays in service without refreshes.
 */
import { assign, cancel, fromPromise, raise, setup } from 'xstate';

export type TrunkLifeTimes = {
  /** Interval of OPTIONS requests. */
  checkMs: number;
  /** Interval of OPTIONS requests while the last request is unanswered. */
  recheckMs: number;
  /** Delay before a refused registration is retried; doubled after each refusal. */
  retryFirstMs: number;
  retryLongestMs: number;
};

export type TrunkInput = {
  trunkId: string;
  isEnabled: boolean;
  /** Whether this gateway registers the trunk. */
  registers: boolean;
  /** Whether reachability is checked with OPTIONS. */
  isChecked: boolean;
  times: TrunkLifeTimes;
};

type TrunkContext = TrunkInput & {
  hasBeenChecked: boolean;
  /** Number of OPTIONS requests in a row without an answer, and with an answer. */
  failures: number;
  successes: number;
  /** Number of failed registrations in a row. */
  refusals: number;
  /** Lifetime of the last registration in milliseconds. */
  expiresMs: number;
  /** Time of the last response in wall-clock milliseconds since the epoch. */
  lastSeenAt: number | null;
  /** Last error, as a plain sentence. */
  detail: string | null;
};

const mostFailures = 3;
const enoughSuccesses = 2;
/** Share of a registration's lifetime after which the registration is refreshed. */
const refreshAfter = 0.8;
const shortestRefreshMs = 5_000;
const longestRefreshMs = 86_400_000;

type OneTrunk = { trunkId: string };

/** Registers the trunk. Rejects with an error whose message is a plain sentence. */
const register = fromPromise<{ at: number; expiresSec: number }, OneTrunk>(() => {
  throw new Error('No "register" was provided to this machine');
});

/** Checks reachability by OPTIONS. Rejects with an error whose message is a plain sentence. */
const check = fromPromise<{ at: number }, OneTrunk>(() => {
  throw new Error('No "check" was provided to this machine');
});

/** `refresh.due` is sent by the chart to itself. */
export type TrunkEvent = { type: 'registration.left' } | { type: 'refresh.due' };

/** Requests of a life to its trunk. */
export type TrunkActors = { register: typeof register; check: typeof check };

/** Milliseconds from a registration to its refresh. */
const refreshMs = ({ expiresMs }: TrunkContext): number =>
  Math.min(longestRefreshMs, Math.max(shortestRefreshMs, expiresMs * refreshAfter));

/** Milliseconds from a refused registration to its repetition. */
const retryMs = ({ times, refusals }: TrunkContext): number =>
  Math.min(times.retryLongestMs, times.retryFirstMs * 2 ** Math.min(refusals - 1, 20));

const oneTrunk = ({ context }: { context: TrunkContext }): OneTrunk => ({ trunkId: context.trunkId });

export const trunkMachine = setup({
  types: { input: {} as TrunkInput, context: {} as TrunkContext, events: {} as TrunkEvent },
  actors: { register, check },
  delays: {
    checkDue: ({ context: { hasBeenChecked, failures, times } }) =>
      !hasBeenChecked ? 0 : failures > 0 ? times.recheckMs : times.checkMs,
    recheckDue: ({ context }) => context.times.recheckMs,
    retryDue: ({ context }) => retryMs(context),
  },
  guards: {
    isDisabled: ({ context }) => !context.isEnabled,
    registers: ({ context }) => context.registers,
    isChecked: ({ context }) => context.isChecked,
    failedTooOften: ({ context }) => context.failures + 1 >= mostFailures,
    answeredOften: ({ context }) => context.successes + 1 >= enoughSuccesses,
  },
  actions: {
    noteRegistered: assign((_, { at, expiresSec }: { at: number; expiresSec: number }) => ({
      lastSeenAt: at,
      expiresMs: expiresSec * 1_000,
      refusals: 0,
      detail: null,
    })),
    noteRefreshed: assign((_, { at, expiresSec }: { at: number; expiresSec: number }) => ({
      lastSeenAt: at,
      expiresMs: expiresSec * 1_000,
      refusals: 0,
    })),
    noteRefused: assign(({ context }, { error }: { error: unknown }) => ({
      refusals: context.refusals + 1,
      detail: error instanceof Error ? error.message : 'The registration failed.',
    })),
    noteAnswer: assign(({ context }, { at }: { at: number }) => ({
      lastSeenAt: at,
      hasBeenChecked: true,
      failures: 0,
      successes: context.successes + 1,
      detail: null,
    })),
    noteNoAnswer: assign(({ context }, { error }: { error: unknown }) => ({
      hasBeenChecked: true,
      failures: context.failures + 1,
      successes: 0,
      detail: error instanceof Error ? error.message : 'The trunk does not answer.',
    })),
    beginAnew: assign({ failures: 0, successes: 0 }),
    leaveRegistration: assign({ registers: false }),
    // Belongs to no state, because the delay continues when the trunk becomes unreachable.
    planRefresh: raise(
      { type: 'refresh.due' },
      { id: 'refresh', delay: ({ context }) => refreshMs(context) },
    ),
    planRetry: raise({ type: 'refresh.due' }, { id: 'refresh', delay: ({ context }) => retryMs(context) }),
    cancelRefresh: cancel('refresh'),
  },
}).createMachine({
  id: 'trunk',
  description: 'The life of one SIP trunk on one gateway.',
  context: ({ input }) => ({
    ...input,
    hasBeenChecked: false,
    failures: 0,
    successes: 0,
    refusals: 0,
    expiresMs: 0,
    lastSeenAt: null,
    detail: null,
  }),
  initial: 'beginning',
  on: { 'registration.left': { actions: 'leaveRegistration' } },
  states: {
    beginning: {
      description: 'It is decided what the trunk needs.',
      always: [
        { guard: 'isDisabled', target: 'disabled' },
        { guard: 'registers', target: 'registering' },
        { target: 'serving' },
      ],
    },
    disabled: { description: 'No call goes this way.' },
    registering: {
      description: 'The trunk is told where this gateway is, for the first time or again after a failure.',
      invoke: {
        src: 'register',
        id: 'register',
        input: oneTrunk,
        onDone: {
          target: 'serving',
          actions: [
            { type: 'noteRegistered', params: ({ event }) => event.output },
            'cancelRefresh',
            'planRefresh',
          ],
        },
        onError: {
          target: 'unregistered',
          actions: { type: 'noteRefused', params: ({ event }) => ({ error: event.error }) },
        },
      },
    },
    unregistered: {
      description: 'The registrar refuses or does not answer, and will be asked again.',
      after: { retryDue: { guard: 'registers', target: 'registering' } },
    },
    serving: {
      description: 'Calls may go this way.',
      initial: 'resting',
      entry: 'beginAnew',
      on: { 'refresh.due': { guard: 'registers', target: '.refreshing' } },
      states: {
        resting: {
          description: 'There is nothing to do until the next question.',
          after: { checkDue: { guard: 'isChecked', target: 'checking' } },
        },
        checking: {
          description: 'The trunk is asked whether it is there.',
          invoke: {
            src: 'check',
            id: 'check',
            input: oneTrunk,
            onDone: {
              target: 'resting',
              actions: { type: 'noteAnswer', params: ({ event }) => event.output },
            },
            onError: [
              {
                guard: 'failedTooOften',
                target: '#trunk.unreachable',
                actions: { type: 'noteNoAnswer', params: ({ event }) => ({ error: event.error }) },
              },
              {
                target: 'resting',
                actions: { type: 'noteNoAnswer', params: ({ event }) => ({ error: event.error }) },
              },
            ],
          },
        },
        refreshing: {
          description: 'The registration is made again before it expires.',
          invoke: {
            src: 'register',
            id: 'register',
            input: oneTrunk,
            onDone: {
              target: '#trunk.serving',
              reenter: true,
              actions: [{ type: 'noteRegistered', params: ({ event }) => event.output }, 'planRefresh'],
            },
            onError: {
              target: '#trunk.unregistered',
              actions: { type: 'noteRefused', params: ({ event }) => ({ error: event.error }) },
            },
          },
        },
      },
    },
    unreachable: {
      description: 'The trunk does not answer any more; it is asked until it has answered twice.',
      initial: 'waiting',
      on: { 'refresh.due': { guard: 'registers', target: '.refreshing' } },
      states: {
        waiting: {
          description: 'A moment passes before it is asked again.',
          after: { recheckDue: { target: 'probing' } },
        },
        probing: {
          description: 'The trunk is asked whether it is back.',
          invoke: {
            src: 'check',
            id: 'check',
            input: oneTrunk,
            onDone: [
              {
                guard: 'answeredOften',
                target: '#trunk.beginning',
                actions: { type: 'noteAnswer', params: ({ event }) => event.output },
              },
              { target: 'waiting', actions: { type: 'noteAnswer', params: ({ event }) => event.output } },
            ],
            onError: {
              target: 'waiting',
              actions: { type: 'noteNoAnswer', params: ({ event }) => ({ error: event.error }) },
            },
          },
        },
        refreshing: {
          description:
            'The registration is made again before it expires, so that the trunk can still send calls.',
          invoke: {
            src: 'register',
            id: 'register',
            input: oneTrunk,
            onDone: {
              target: 'waiting',
              actions: [{ type: 'noteRefreshed', params: ({ event }) => event.output }, 'planRefresh'],
            },
            onError: {
              target: 'waiting',
              actions: [
                { type: 'noteRefused', params: ({ event }) => ({ error: event.error }) },
                'planRetry',
              ],
            },
          },
        },
      },
    },
  },
});
