/**
 * The inbound leg of a call: one INVITE of a caller, from its arrival to the established dialog or its refusal.
 *
 * Theory of operation:
 * 1. The leg begins before its call. `screening` applies the rules of SIP and media to the INVITE; nothing is stored
 *    until they are passed. In `waiting` the leg counts on its trunk and the call decides whether to take it.
 * 2. `answer` means that the line of the call is open. The leg creates the media endpoint (`preparing`), then sends
 *    200 OK (`confirming`) and waits for the dialog; with a late offer also for the caller's answer in the ACK.
 * 3. Before 200 OK the caller leaves by CANCEL and is refused by a final response. After 200 OK it leaves by BYE and is
 *    hung up by BYE. The chart therefore has two states for a leg that is no longer wanted: `abandoned` before 200 OK,
 *    `unwanted` after it. Both wait for the pending operation, so that everything is released when the leg is over.
 * 4. A CANCEL that arrives in `waiting` does not end the leg: the call may already be on its way. The leg stays in
 *    `left` until its line opens, and the call then ends as cancelled by the caller.
 * 5. The chart does no I/O. The chart emits effects; the driver performs them once the new state is reached and sends
 *    events back (`sip/drachtio/inbound-leg.ts`).
 */
import { assign, emit, setup } from 'xstate';
import type { UnansweredCause } from './line.ts';

/** Final SIP response of a refusal. */
export type LegRefusal = { status: number; reason: string; headers?: Record<string, string> };

/** Responses that the chart sends without a request of the driver. */
export type OwnRefusals = {
  /** Response to a caller who was accepted, but whose line never opened. */
  unanswered: LegRefusal;
  /** Response when the call hung up before the answer. */
  unwanted: LegRefusal;
  /** Response when 200 OK could not be sent. */
  unsent: LegRefusal;
};

/** End of the leg. `refusal` is the final response; `null` if the leg sent none, or sent 200 OK. */
export type InboundLegEnd =
  | { answered: true }
  | { answered: false; cause: UnansweredCause; refusal: LegRefusal | null };

export type InboundLegEvent =
  /** The INVITE conforms to the rules of SIP and media. */
  | { type: 'screened' }
  /** The INVITE violates a rule, or the call rejects the caller. */
  | { type: 'refused'; refusal: LegRefusal }
  /** The line of the call is open. */
  | { type: 'answer' }
  /** The caller sent CANCEL. */
  | { type: 'caller.cancelled' }
  /** The caller sent BYE. */
  | { type: 'caller.left' }
  /** The call is no longer wanted. */
  | { type: 'cancel' }
  | { type: 'prepared' }
  /** No media endpoint is available, or the endpoint does not accept the offer. */
  | { type: 'prepare.failed'; refusal: LegRefusal }
  | { type: 'confirmed' }
  /** The caller's answer to our offer is missing or unacceptable. */
  | { type: 'audio.failed' }
  /** 200 OK could not be sent. */
  | { type: 'confirm.failed' }
  /** The connection to the signalling server is lost. */
  | { type: 'connection.lost' };

export type InboundLegEffect =
  | { type: 'screen' }
  /** Counts the caller on its trunk and offers it to the gateway. */
  | { type: 'offer' }
  /** Creates the endpoint. */
  | { type: 'prepare' }
  /** Sends 200 OK. */
  | { type: 'confirm' }
  | { type: 'refuse'; refusal: LegRefusal }
  /** Releases the endpoint and sends BYE. */
  | { type: 'hangUp' }
  /** Releases the endpoint and the channel of the trunk; the far end has ended. */
  | { type: 'release' };

const failed = (cause: UnansweredCause, refusal: LegRefusal | null): InboundLegEnd => ({
  answered: false,
  cause,
  refusal,
});

export const inboundLegMachine = setup({
  types: {
    input: {} as { refusals: OwnRefusals },
    /**
     * Context of the leg. `end` is the end of a leg whose caller left. `isCancelled`: the caller's CANCEL arrived while
     * 200 OK was being sent.
     */
    context: {} as { refusals: OwnRefusals; end: InboundLegEnd; isCancelled: boolean },
    events: {} as InboundLegEvent,
    emitted: {} as InboundLegEffect,
    output: {} as InboundLegEnd,
  },
  delays: {
    /** Time in milliseconds after which a caller is refused if its line was not opened. */
    patience: 10_000,
  },
  actions: {
    screen: emit({ type: 'screen' }),
    offer: emit({ type: 'offer' }),
    prepare: emit({ type: 'prepare' }),
    confirm: emit({ type: 'confirm' }),
    hangUp: emit({ type: 'hangUp' }),
    release: emit({ type: 'release' }),
    refuse: emit(({ context: { end, refusals } }) => ({
      type: 'refuse',
      refusal: (end.answered ? null : end.refusal) ?? refusals.unsent,
    })),
    noteRefusal: assign((_, refusal: LegRefusal) => ({ end: failed('cancelled', refusal) })),
    noteMediaError: assign((_, refusal: LegRefusal | null) => ({ end: failed('media_error', refusal) })),
    noteUnanswered: assign(({ context }) => ({ end: failed('cancelled', context.refusals.unanswered) })),
    noteUnwanted: assign(({ context }) => ({ end: failed('cancelled', context.refusals.unwanted) })),
    noteUnsent: assign(({ context }) => ({ end: failed('cancelled', context.refusals.unsent) })),
    noteHungUp: assign({ end: failed('cancelled', null) }),
    noteUp: assign({ end: { answered: true } }),
    noteCancelled: assign({ isCancelled: true }),
  },
  guards: {
    isCancelled: ({ context }) => context.isCancelled,
  },
}).createMachine({
  id: 'inbound-leg',
  description: 'The inbound leg of a call, from the INVITE to the dialog.',
  context: ({ input }) => ({ ...input, end: failed('cancelled', null), isCancelled: false }),
  output: ({ context }) => context.end,
  initial: 'screening',
  states: {
    screening: {
      description: 'The INVITE is checked against the rules of SIP, of its media and of its parties.',
      entry: 'screen',
      on: {
        screened: 'waiting',
        refused: {
          target: 'refused',
          actions: { type: 'noteRefusal', params: ({ event }) => event.refusal },
        },
      },
    },
    waiting: {
      description: 'The caller waits for a channel, for the decision of the gateway and for its line.',
      initial: 'offered',
      entry: 'offer',
      states: {
        offered: {
          description: 'The caller is on the line.',
          on: {
            answer: '#inbound-leg.answering',
            refused: {
              target: '#inbound-leg.refused',
              actions: { type: 'noteRefusal', params: ({ event }) => event.refusal },
            },
            'caller.cancelled': 'left',
          },
          after: { patience: { target: '#inbound-leg.refused', actions: 'noteUnanswered' } },
        },
        left: {
          description: 'The caller sent CANCEL; its line, if it opens, will end at once.',
          entry: 'release',
          on: { answer: '#inbound-leg.gone', refused: '#inbound-leg.gone' },
          after: { patience: '#inbound-leg.gone' },
        },
      },
    },
    answering: {
      description: 'The line is open, and the call is being answered.',
      initial: 'preparing',
      states: {
        preparing: {
          description: 'An endpoint answers the offer of the caller, or makes an offer.',
          entry: 'prepare',
          on: {
            prepared: 'confirming',
            'prepare.failed': {
              target: '#inbound-leg.refused',
              actions: { type: 'noteMediaError', params: ({ event }) => event.refusal },
            },
            cancel: { target: '#inbound-leg.abandoned', actions: 'noteUnwanted' },
            'connection.lost': { target: '#inbound-leg.abandoned', actions: 'noteUnsent' },
            'caller.cancelled': '#inbound-leg.abandoned.left',
          },
        },
        confirming: {
          description: 'The gateway sends 200 OK and waits for the dialog, with a late offer for the ACK.',
          entry: 'confirm',
          on: {
            confirmed: { target: '#inbound-leg.up', actions: 'noteUp' },
            'caller.left': '#inbound-leg.gone',
            'caller.cancelled': { actions: 'noteCancelled' },
            'audio.failed': {
              target: '#inbound-leg.hungUp',
              actions: { type: 'noteMediaError', params: () => null },
            },
            'confirm.failed': [
              { guard: 'isCancelled', target: '#inbound-leg.gone' },
              { target: '#inbound-leg.refused', actions: 'noteUnsent' },
            ],
            'connection.lost': { target: '#inbound-leg.refused', actions: 'noteUnsent' },
            cancel: '#inbound-leg.unwanted',
          },
        },
      },
    },
    abandoned: {
      description: 'The leg ended before 200 OK, and the endpoint is still being created.',
      initial: 'wanted',
      states: {
        wanted: {
          description: 'The caller is still on the line and is refused.',
          on: {
            prepared: '#inbound-leg.refused',
            'prepare.failed': {
              target: '#inbound-leg.refused',
              actions: { type: 'noteMediaError', params: ({ event }) => event.refusal },
            },
            'caller.cancelled': 'left',
          },
        },
        left: {
          description: 'The caller sent CANCEL.',
          on: { prepared: '#inbound-leg.gone', 'prepare.failed': '#inbound-leg.gone' },
        },
      },
    },
    unwanted: {
      description: 'The call is over, and 200 OK is on its way: the dialog will be ended by BYE.',
      on: {
        confirmed: { target: 'hungUp', actions: 'noteHungUp' },
        'audio.failed': { target: 'hungUp', actions: { type: 'noteMediaError', params: () => null } },
        'caller.left': 'gone',
        'caller.cancelled': { actions: 'noteCancelled' },
        'confirm.failed': [
          { guard: 'isCancelled', target: 'gone' },
          { target: 'refused', actions: 'noteUnsent' },
        ],
        'connection.lost': { target: 'refused', actions: 'noteUnsent' },
      },
    },
    up: { description: 'The dialog is established.', type: 'final' },
    refused: {
      description: 'The INVITE received a final response other than 200.',
      entry: ['refuse', 'release'],
      type: 'final',
    },
    hungUp: {
      description: 'The dialog was established and is ended by the gateway.',
      entry: 'hangUp',
      type: 'final',
    },
    gone: { description: 'The caller hung up before the answer.', entry: 'release', type: 'final' },
  },
});
