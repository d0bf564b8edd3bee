/**
 * Performs a request on a call: on this gateway, without the database, or by forwarding it to the gateway that holds
 * the call. Refusals are checked in the order of guides/design/wire.md, "Hang-up": call of another number, wrong state,
 * no signalling, missing from its gateway. A refused request does not change the call. Requests wait for a call that is
 * moving between gateways. A hang-up for a call of a dead gateway is stored for the gateway that takes over the call. A
 * request that would act twice is not sent to the next gateway if the one before may have performed it.
 *
 * This file contains hang-up and cancel (guides/design/wire.md, "Hang-up" and "Cancel"); the other requests have files
 * of their own.
 */
import type { CallAction, CallOfNumber, InCallRequest } from '#src/domain/in-call-request.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { CallStatus } from '#src/domain/end-reasons.ts';
import { NodeUnreachable } from '#src/domain/node-unreachable.ts';
import type { HangUp } from '#src/domain/own-call.ts';
import { Refusal } from '#src/domain/refusal.ts';
import { findCall } from '#src/persistence/calls/calls.ts';
import { storeHangup, type HangupAction } from '#src/persistence/calls/pending-hangups.ts';
import type { CallParts } from '../call-parts.ts';
import type { LiveCalls } from '../live/live-calls.ts';
import type { CallActor, Switchboard } from '../live/switchboard.ts';

/** Performs the request on a call of this gateway. Throws the refusal if the request is refused. */
export type PerformRequest = (actor: CallActor, request: InCallRequest) => void | Promise<void>;

/** Returns the hang-up of an action that ends an answered call; `null` for other actions. */
const hangupAction = (action: CallAction): HangupAction | null =>
  action === 'hangup' || action === 'hangup_immediately' ? action : null;

type Parts = Pick<CallParts, 'clock'> & {
  storage: Pick<CallParts['storage'], 'database'>;
  live: { switchboard: Pick<Switchboard, 'find'>; liveCalls: Pick<LiveCalls, 'get'> };
  cluster: Pick<CallParts['cluster'], 'node' | 'askNode' | 'underway'>;
  /** Whether lines exist: a gateway without lines does not end calls. */
  telephony: Pick<CallParts['telephony'], 'hasLines'>;
};

export type InCallRequests = {
  send(request: InCallRequest): Promise<void>;
  /** Performs a request that another gateway forwarded, because it found this gateway in the call's row. */
  performHere(request: InCallRequest): Promise<void>;
};

const isHangup = (action: CallAction): boolean =>
  action === 'hangup' || action === 'hangup_immediately' || action === 'cancel';

/** Whether an action has the same effect when it is performed twice. */
const isRepeatable: Readonly<Record<CallAction, boolean>> = {
  hangup: true,
  hangup_immediately: true,
  cancel: true,
  pause_recording: true,
  resume_recording: true,
  cancel_transfer: true,
  press_keys: false,
  say: false,
  collect: false,
  transfer: false,
};

/** The call status that an action requires. */
const wantedStatus = (action: CallAction): CallStatus => (action === 'cancel' ? 'ringing' : 'active');

export const notActive = (action?: CallAction): Refusal =>
  new Refusal(
    'call_not_active',
    action === 'cancel'
      ? 'This call does not ring any more; use hangup for a call in progress.'
      : 'This call is not in progress.',
  );

const wait = (clock: Clock, milliseconds: number): Promise<void> =>
  new Promise((resolve) => void clock.setTimeout(resolve, milliseconds));

/** Returns the refusal of a gateway that is configured without lines and therefore ends no calls. */
const switchedOff = (action: CallAction): Refusal =>
  isHangup(action)
    ? new Refusal('hangup_unavailable', 'This gateway has no telephone lines, so it hangs up no calls.')
    : new Refusal(
        'service_unavailable',
        'This gateway has no telephone lines, so nothing can be asked of calls.',
      );

const unreached = (action: CallAction, cause: unknown): Refusal => {
  const detail = 'The gateway that holds the call could not be reached just now; try once more.';
  return new Refusal(isHangup(action) ? 'hangup_failed' : 'service_unavailable', detail, { cause });
};

const outcomeUnknown = (cause: unknown): Refusal =>
  new Refusal(
    'outcome_unknown',
    'The gateway that holds the call took the request and did not answer, so it may have been performed; the events of the call show it. Look there before you send it again.',
    { cause },
  );

/** The refusal after a request that the gateway of the call did not answer. */
const unanswered = (action: CallAction, error: unknown): Refusal => {
  const isNotPerformed = error instanceof NodeUnreachable && error.isWithdrawn;
  return isRepeatable[action] || isNotPerformed ? unreached(action, error) : outcomeUnknown(error);
};

/**
 * Forwards a request to the gateway that holds the call. If that gateway is dead, a hang-up is stored for the gateway
 * that takes over the call.
 */
const createAskHolder = ({ storage: { database }, cluster: { askNode } }: Parts) => {
  const leavesToNext = async (
    holder: string,
    { callId, numberId, action: asked }: InCallRequest,
  ): Promise<boolean> => {
    const action = hangupAction(asked);
    return action !== null && storeHangup(database, { callId, numberId, holder, action });
  };

  return async (holder: string, request: InCallRequest): Promise<void> => {
    if (await leavesToNext(holder, request)) return;
    try {
      await askNode(holder, request);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // The gateway may have died just now. A hang-up is then stored for the gateway that takes over the call.
      if (!(await leavesToNext(holder, request))) throw unanswered(request.action, error);
    }
  };
};

export const createInCallRequests = (parts: Parts, perform: PerformRequest): InCallRequests => {
  const { storage, live, cluster, telephony, clock } = parts;
  const { database } = storage;
  const { switchboard, liveCalls } = live;
  const { node, underway } = cluster;
  const askHolder = createAskHolder(parts);

  /** Returns the call with this id; `undefined` if the call does not run here or belongs to another number. */
  const actorOf = ({ callId, numberId }: InCallRequest): CallActor | undefined =>
    liveCalls.get(callId)?.numberId === numberId ? switchboard.find(callId) : undefined;

  const performOn = async (actor: CallActor, request: InCallRequest): Promise<void> => {
    const { action } = request;
    if (!actor.getSnapshot().matches(wantedStatus(action) === 'ringing' ? 'ringing' : 'active'))
      throw notActive(action);
    await perform(actor, request);
  };

  /** Returns the gateway that holds the call, according to the call's row. */
  const findHolder = async (request: InCallRequest): Promise<string> => {
    const call = await findCall(database, request);
    if (call === undefined) throw new Refusal('call_not_found', 'This number has no call with that id.');
    if (call.status !== wantedStatus(request.action)) throw notActive(request.action);
    if (!telephony.hasLines) throw switchedOff(request.action);
    return call.node;
  };

  const performHere = async (request: InCallRequest): Promise<void> => {
    // The calls of this gateway are read again, because the call may have begun or ended while its row was read.
    const actor = actorOf(request);
    if (actor === undefined) {
      throw new Refusal(
        'room_unknown',
        'The call is not where it should be; it has ended or is being ended.',
      );
    }
    await performOn(actor, request);
  };

  const sendOnce = async (request: InCallRequest, onHolder: (holder: string) => void): Promise<void> => {
    const actor = actorOf(request);
    if (actor !== undefined) return performOn(actor, request);
    const holder = await findHolder(request);
    onHolder(holder);
    await (holder === node ? performHere(request) : askHolder(holder, request));
  };

  /**
   * Whether a request should wait. Only an answered call moves between gateways, so requests wait only for answered
   * calls.
   */
  const isUnderway = async (request: InCallRequest, error: unknown, holder?: string): Promise<boolean> => {
    if (!(error instanceof Refusal) || wantedStatus(request.action) !== 'active') return false;
    if (error.code === 'room_unknown') return true;
    if (error.code === 'outcome_unknown') return false;
    // Whether another gateway holds the call now, because the gateway of the failed attempt may be gone.
    return error.cause !== undefined && holder !== undefined && (await findHolder(request)) !== holder;
  };

  return {
    performHere,
    async send(request) {
      const until = clock.now() + underway.forMs;
      for (;;) {
        let holder: string | undefined;
        try {
          return await sendOnce(request, (found) => (holder = found));
        } catch (error) {
          if (clock.now() >= until || !(await isUnderway(request, error, holder))) throw error;
        }
        await wait(clock, underway.lookMs);
      }
    },
  };
};

export type HangupRequests = {
  /**
   * Hangs up after the farewell, or immediately. Rejects with `call_not_found` (an unknown call, or a call of another
   * number), `call_not_active`, `room_unknown`, `hangup_failed` or `hangup_unavailable`; the call then continues.
   */
  requestHangup(request: CallOfNumber & { immediate: boolean }): Promise<void>;
  /** Hangs up on behalf of the built-in agent of the call. */
  hangUpOwnCall: HangUp;
  /** Cancels a ringing call. Rejects like a hang-up. */
  requestCancel(request: CallOfNumber): Promise<void>;
};

export const createHangupRequests = (
  requests: InCallRequests,
  { live: { liveCalls } }: CallParts,
): HangupRequests => {
  const requestHangup: HangupRequests['requestHangup'] = ({ callId, numberId, immediate }) =>
    requests.send({ callId, numberId, action: immediate ? 'hangup_immediately' : 'hangup' });

  return {
    requestHangup,

    async hangUpOwnCall(callId, { immediate }) {
      const numberId = liveCalls.get(callId)?.numberId;
      if (numberId === undefined) throw notActive();
      await requestHangup({ callId, numberId, immediate });
    },

    requestCancel: ({ callId, numberId }) => requests.send({ callId, numberId, action: 'cancel' }),
  };
};
