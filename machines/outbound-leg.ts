/**
 * The outbound leg of a call: from the choice of a trunk to the answer, over as many trunks and targets as it takes.
 *
 * Theory of operation:
 * 1. A call has a list of trunks. For each trunk the leg reserves a channel (`reserving`), prepares the media endpoint
 *    that makes the offer (`preparing`) and sends the INVITE to one target after the other: the addresses of the trunk,
 *    then the targets of its redirects (`redirecting`).
 * 2. A refusal ends the leg, unless it is the fault of the target: `mayContinue` is the verdict of the failover rules of
 *    the trunk (`sip/trunks/failover.ts`). After ringing it is never true. `nextTarget` and `nextTrunk` then choose what
 *    is tried next.
 * 3. Early media is progress, not an answer: its audio is not used.
 * 4. `cancel` before an INVITE is sent ends the leg as soon as the pending operation is over (`abandoned`). During an
 *    INVITE it sends CANCEL and waits for the final response (`cancelling`). An answer that crosses the CANCEL
 *    establishes a dialog, which is ended by BYE at once. During `connecting` it is too late for CANCEL: the dialog is
 *    ended by BYE once the answer is applied (`unwanted`).
 * 5. Without its media endpoint a call must not ring, and without the connection to the signalling server a response
 *    never arrives: both give up the INVITE without waiting for the response. An answer that arrives later is hung up by
 *    the INVITE itself (`sip/drachtio/invite.ts`).
 * 6. Challenges (401, 407), 422 and a trunk without any response belong to the INVITE, not to the leg.
 * 7. The chart does no I/O. The chart emits effects; the driver performs them once the new state is reached and sends
 *    events back (`sip/drachtio/outbound-leg.ts`). Trunks and targets are numbers here; the driver has the lists.
 */
import { assign, emit, setup } from 'xstate';
import type { SipDetails, UnansweredCause } from './line.ts';

export type LegFailure = { cause: UnansweredCause; sip: SipDetails };

export type OutboundLegEnd = { answered: true } | ({ answered: false } & LegFailure);

export type OutboundLegEvent =
  /** Trunks were chosen. `trunks` is the number of trunks that can carry the call; if it is 0, `reason` says why. */
  | { type: 'chosen'; trunks: number; reason: string | null }
  | { type: 'reserved' }
  /** The trunk has no free channel, or its rate limit is reached. */
  | { type: 'full'; reason: string }
  /** The endpoint made its offer. `targets` is the number of addresses of the trunk. */
  | { type: 'prepared'; targets: number }
  /** No endpoint can meet the terms of this trunk. */
  | { type: 'unsuitable'; reason: string }
  | { type: 'prepare.failed' }
  /** A provisional response arrived: `ringing` for 180, `progress` for 181 to 183 and others. */
  | { type: 'progress' | 'ringing' }
  /**
   * The INVITE has ended without an answer. `mayContinue`: another target or trunk may succeed. `isRedirect`: the
   * response names other targets.
   */
  | ({ type: 'refused'; mayContinue: boolean; isRedirect: boolean } & LegFailure)
  /** The targets of the redirect were checked. `targets` is the number of allowed new targets. */
  | { type: 'redirected'; targets: number }
  | { type: 'answered'; sip: SipDetails }
  /** The answer was applied to the endpoint, or could not be applied. */
  | { type: 'connected' | 'connect.failed' }
  /** An effect failed unexpectedly. */
  | { type: 'effect.failed' }
  /** The call is no longer wanted. */
  | { type: 'cancel' }
  /** The media server ended the endpoint. */
  | { type: 'endpoint.lost' }
  /** The connection to the signalling server is lost. */
  | { type: 'connection.lost' };

export type OutboundLegEffect =
  | { type: 'choose' }
  /** Reserves a channel of the next trunk. For the last trunk, waits for a free channel. */
  | { type: 'reserve'; isLast: boolean }
  | { type: 'prepare' }
  /** Sends the INVITE to the next target. */
  | { type: 'invite' }
  /** Reports progress to the line. */
  | { type: 'rang' }
  /** Determines the allowed targets of a redirect. */
  | { type: 'redirect' }
  /** Applies the answer to the endpoint. */
  | { type: 'connect' }
  | { type: 'cancel' }
  /** Stops waiting for a channel. */
  | { type: 'abort' }
  /** Cancels the INVITE and ends it without waiting for a response. */
  | { type: 'giveUp'; reason: string }
  /** Ends the dialog by BYE. */
  | { type: 'hangUp' }
  /** Releases the permits of a target or trunk that did not answer the call. */
  | { type: 'leaveTarget' }
  | { type: 'leaveTrunk'; isFailover: boolean; sip: SipDetails }
  /** Releases everything. */
  | { type: 'release' };

const noSip: SipDetails = { status: null, reason: null, callId: null };

const because = (cause: UnansweredCause, reason: string | null): { failure: LegFailure } => ({
  failure: { cause, sip: { ...noSip, reason } },
});

const mediaLost = 'The media server is gone';
const signallingLost = 'The connection to drachtio-server was lost';

type Context = {
  trunks: number;
  /** Index of the current trunk; -1 before the first one. */
  trunk: number;
  /** Number of targets of the current trunk that were not tried yet. */
  targets: number;
  mayContinue: boolean;
  /** End of the leg if no further target succeeds. */
  failure: LegFailure;
  /** Cause of a leg that is given up: `cancelled`, unless the endpoint or the connection is lost. */
  given: UnansweredCause;
  isAnswered: boolean;
};

export const outboundLegMachine = setup({
  types: {
    context: {} as Context,
    events: {} as OutboundLegEvent,
    emitted: {} as OutboundLegEffect,
    output: {} as OutboundLegEnd,
  },
  actions: {
    choose: emit({ type: 'choose' }),
    reserve: emit(({ context: { trunk, trunks } }) => ({ type: 'reserve', isLast: trunk === trunks - 1 })),
    prepare: emit({ type: 'prepare' }),
    invite: emit({ type: 'invite' }),
    reportRinging: emit({ type: 'rang' }),
    redirect: emit({ type: 'redirect' }),
    connect: emit({ type: 'connect' }),
    cancel: emit({ type: 'cancel' }),
    abort: emit({ type: 'abort' }),
    giveUp: emit((_, reason: string) => ({ type: 'giveUp', reason })),
    hangUp: emit({ type: 'hangUp' }),
    leaveTarget: emit({ type: 'leaveTarget' }),
    leaveTrunk: emit(({ context: { mayContinue, failure } }) => ({
      type: 'leaveTrunk',
      isFailover: mayContinue,
      sip: failure.sip,
    })),
    release: emit({ type: 'release' }),

    noteChosen: assign((_, { trunks, reason }: { trunks: number; reason: string | null }) => ({
      trunks,
      ...because('trunk_error', reason),
    })),
    noteNoChoice: assign(because('trunk_error', 'No trunk could be chosen')),
    takeTrunk: assign(({ context }) => ({ trunk: context.trunk + 1, targets: 0 })),
    takeTarget: assign(({ context }) => ({ targets: context.targets - 1 })),
    noteTargets: assign((_, targets: number) => ({ targets })),
    noteFull: assign((_, reason: string) => ({ mayContinue: true, ...because('trunk_error', reason) })),
    noteUnsuitable: assign((_, reason: string) => ({ mayContinue: true, ...because('media_error', reason) })),
    noteNoEndpoint: assign({ mayContinue: false, ...because('media_error', null) }),
    noteRefused: assign((_, { cause, sip, mayContinue }: LegFailure & { mayContinue: boolean }) => ({
      failure: { cause, sip },
      mayContinue,
    })),
    noteRedirected: assign(({ context }, targets: number) => ({
      targets: context.targets + targets,
      mayContinue: context.mayContinue || targets > 0,
    })),
    /** Notes that the call has a dialog now. If the call fails later, its end has these details. */
    noteAnswer: assign(({ context }, sip: SipDetails) => ({ failure: { ...context.failure, sip } })),
    noteAnswered: assign({ isAnswered: true }),
    noteMediaError: assign(({ context }) => ({
      failure: { cause: 'media_error' as const, sip: context.failure.sip },
    })),
    noteGiven: assign((_, given: UnansweredCause) => ({ given })),
    noteGivenUp: assign(({ context }, sip: SipDetails) => ({ failure: { cause: context.given, sip } })),
  },
  guards: {
    hasChoice: (_, trunks: number) => trunks > 0,
    isRedirect: (_, isRedirect: boolean) => isRedirect,
    hasTarget: ({ context: { mayContinue, targets } }) => mayContinue && targets > 0,
    hasTrunk: ({ context: { mayContinue, trunk, trunks } }) => mayContinue && trunk < trunks - 1,
  },
}).createMachine({
  id: 'outbound-leg',
  description: 'The outbound leg of a call, from the choice of a trunk to the answer.',
  context: () => ({
    trunks: 0,
    trunk: -1,
    targets: 0,
    mayContinue: false,
    failure: { cause: 'cancelled', sip: noSip },
    given: 'cancelled',
    isAnswered: false,
  }),
  output: ({ context: { isAnswered, failure } }) =>
    isAnswered ? { answered: true } : { answered: false, ...failure },
  initial: 'choosing',
  on: {
    'effect.failed': {
      target: '.failed',
      actions: ['noteNoChoice', { type: 'giveUp', params: 'No trunk could be chosen' }],
    },
  },
  states: {
    choosing: {
      description: 'The trunks that can carry the call are being chosen.',
      entry: 'choose',
      on: {
        chosen: [
          {
            guard: { type: 'hasChoice', params: ({ event }) => event.trunks },
            target: 'reserving',
            actions: { type: 'noteChosen', params: ({ event }) => event },
          },
          { target: 'failed', actions: { type: 'noteChosen', params: ({ event }) => event } },
        ],
        cancel: 'abandoned',
        'connection.lost': 'abandoned',
      },
    },
    reserving: {
      description: 'The leg takes a channel of the trunk, and waits for one if it is the last trunk.',
      entry: ['takeTrunk', 'reserve'],
      on: {
        reserved: 'preparing',
        full: { target: 'nextTrunk', actions: { type: 'noteFull', params: ({ event }) => event.reason } },
        cancel: 'abandoned',
        'connection.lost': 'abandoned',
        'endpoint.lost': { target: 'abandoned', actions: { type: 'noteGiven', params: 'media_error' } },
      },
    },
    preparing: {
      description: 'A media endpoint makes the offer for this trunk.',
      entry: 'prepare',
      on: {
        prepared: {
          target: 'inviting',
          actions: { type: 'noteTargets', params: ({ event }) => event.targets },
        },
        unsuitable: {
          target: 'nextTarget',
          actions: { type: 'noteUnsuitable', params: ({ event }) => event.reason },
        },
        'prepare.failed': { target: 'nextTarget', actions: 'noteNoEndpoint' },
        cancel: 'abandoned',
        'connection.lost': 'abandoned',
        'endpoint.lost': { target: 'abandoned', actions: { type: 'noteGiven', params: 'media_error' } },
      },
    },
    inviting: {
      description: 'An INVITE is sent to one target of the trunk.',
      initial: 'trying',
      entry: ['takeTarget', 'invite'],
      on: {
        answered: {
          target: 'connecting',
          actions: { type: 'noteAnswer', params: ({ event }) => event.sip },
        },
        refused: [
          {
            guard: { type: 'isRedirect', params: ({ event }) => event.isRedirect },
            target: 'redirecting',
            actions: [{ type: 'noteRefused', params: ({ event }) => event }, 'leaveTarget'],
          },
          {
            target: 'nextTarget',
            actions: [{ type: 'noteRefused', params: ({ event }) => event }, 'leaveTarget'],
          },
        ],
        cancel: { target: 'cancelling', actions: 'cancel' },
        'endpoint.lost': {
          target: 'cancelling',
          actions: [
            { type: 'noteGiven', params: 'media_error' },
            { type: 'giveUp', params: mediaLost },
          ],
        },
        'connection.lost': {
          target: 'cancelling',
          actions: [
            { type: 'noteGiven', params: 'trunk_error' },
            { type: 'giveUp', params: signallingLost },
          ],
        },
      },
      states: {
        trying: {
          description: 'The call has made no progress.',
          on: {
            progress: { target: 'progressing', actions: 'reportRinging' },
            ringing: { target: 'ringing', actions: 'reportRinging' },
          },
        },
        progressing: {
          description: 'The trunk plays early media or reports other progress.',
          on: { ringing: 'ringing' },
        },
        ringing: { description: 'The telephone of the callee rings.' },
      },
    },
    redirecting: {
      description:
        'The targets of a redirect are checked against the settings of the trunk and of the number.',
      entry: 'redirect',
      on: {
        redirected: {
          target: 'nextTarget',
          actions: { type: 'noteRedirected', params: ({ event }) => event.targets },
        },
        cancel: 'abandoned',
        'connection.lost': 'abandoned',
        'endpoint.lost': { target: 'abandoned', actions: { type: 'noteGiven', params: 'media_error' } },
      },
    },
    nextTarget: {
      description: 'The next target of this trunk is tried, if the failure permits and there is one.',
      always: [
        { guard: 'hasTarget', target: 'inviting' },
        { target: 'nextTrunk', actions: 'leaveTrunk' },
      ],
    },
    nextTrunk: {
      description: 'The next trunk is tried, if the failure permits and there is one.',
      always: [{ guard: 'hasTrunk', target: 'reserving' }, { target: 'failed' }],
    },
    connecting: {
      description: 'The call is answered, and the answer is applied to the endpoint.',
      entry: 'connect',
      on: {
        connected: { target: 'answered', actions: 'noteAnswered' },
        'connect.failed': { target: 'failed', actions: ['noteMediaError', 'hangUp'] },
        cancel: 'unwanted',
        'connection.lost': 'unwanted',
      },
    },
    abandoned: {
      description: 'The leg is no longer wanted, and an operation before the INVITE is pending.',
      entry: 'abort',
      on: {
        chosen: 'givenUp',
        reserved: 'givenUp',
        full: 'givenUp',
        prepared: 'givenUp',
        unsuitable: 'givenUp',
        'prepare.failed': 'givenUp',
        redirected: 'givenUp',
      },
    },
    cancelling: {
      description: 'The leg is no longer wanted, and the final response to the INVITE is awaited.',
      on: {
        refused: {
          target: 'failed',
          actions: { type: 'noteGivenUp', params: ({ event }) => event.sip },
        },
        answered: {
          target: 'failed',
          actions: [{ type: 'noteGivenUp', params: ({ event }) => event.sip }, 'hangUp'],
        },
        'endpoint.lost': {
          actions: [
            { type: 'noteGiven', params: 'media_error' },
            { type: 'giveUp', params: mediaLost },
          ],
        },
        'connection.lost': {
          actions: [
            { type: 'noteGiven', params: 'trunk_error' },
            { type: 'giveUp', params: signallingLost },
          ],
        },
      },
    },
    unwanted: {
      description: 'The leg is no longer wanted, and the answer is being applied.',
      on: {
        connected: {
          target: 'failed',
          actions: [{ type: 'noteGivenUp', params: ({ context }) => context.failure.sip }, 'hangUp'],
        },
        'connect.failed': { target: 'failed', actions: ['noteMediaError', 'hangUp'] },
      },
    },
    givenUp: {
      description: 'The leg ended before an INVITE was sent.',
      always: { target: 'failed', actions: { type: 'noteGivenUp', params: () => noSip } },
    },
    answered: { description: 'The dialog is established, and its audio can be connected.', type: 'final' },
    failed: {
      description: 'The call was not answered, and everything is released.',
      entry: 'release',
      type: 'final',
    },
  },
});
