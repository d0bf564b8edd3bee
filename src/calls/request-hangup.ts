/**
 * Hanging up, and cancelling what still rings (specification 4.6 and 7, decisions 3). A request is only a request:
 * whatever refuses it, the call stays alive.
 */
import { Refusal } from '#src/domain/refusal.ts';
import { findCall } from '#src/persistence/calls.ts';
import type { Database } from '#src/persistence/database.ts';
import type { LiveCalls } from './live-calls.ts';
import type { CallActor, Switchboard } from './switchboard.ts';

export type HangupOptions = {
  database: Database;
  switchboard: Pick<Switchboard, 'find'>;
  liveCalls: LiveCalls;
  /** Whether this gateway has what it needs to signal the end of a call. */
  canSignal: () => boolean;
};

/** Where a call's actor is found. */
export type ActorSource = Pick<HangupOptions, 'database' | 'switchboard' | 'liveCalls'>;

export const notActive = (): Refusal => new Refusal('call_not_active', 'This call is not in progress.');

/** The call's actor, or the refusal that says why there is none. */
export const findActor = async (
  { database, switchboard, liveCalls }: ActorSource,
  { callId, numberId }: { callId: string; numberId: string },
): Promise<CallActor> => {
  const actor = switchboard.find(callId);
  if (actor !== undefined && liveCalls.get(callId)?.numberId === numberId) return actor;
  const call = await findCall(database, { callId, numberId });
  if (call === undefined) throw new Refusal('call_not_found', 'This number has no call with that id.');
  if (call.status !== 'ringing' && call.status !== 'active') throw notActive();
  // It may have ended while its row was read.
  const found = switchboard.find(callId);
  if (found === undefined) {
    throw new Refusal(
      'room_unknown',
      'The call is not where it should be; it has ended or is being taken over.',
    );
  }
  return found;
};

const signal = (actor: CallActor, send: (actor: CallActor) => void): void => {
  try {
    send(actor);
  } catch (cause) {
    throw new Refusal('hangup_failed', 'The call could not be reached just now; try once more.', { cause });
  }
};

export type HangupRequest = { callId: string; numberId: string; immediate: boolean };

export type HangupRequests = {
  /** Hangs up after the farewell, or at once. */
  requestHangup(request: HangupRequest): Promise<void>;
  /** The same request, made by the built-in agent for its own call. */
  hangUpOwnCall(callId: string, how: { immediate: boolean }): Promise<void>;
  /** Ends a call that still rings. */
  requestCancel(request: { callId: string; numberId: string }): Promise<void>;
};

export const createHangupRequests = (options: HangupOptions): HangupRequests => {
  const requestHangup = async (request: HangupRequest): Promise<void> => {
    const actor = await findActor(options, request);
    if (!actor.getSnapshot().matches('active')) throw notActive();
    if (!options.canSignal()) {
      throw new Refusal('hangup_unavailable', 'The media server is not available on this gateway.');
    }
    signal(actor, (call) => call.send({ type: 'hangup.requested', immediate: request.immediate }));
  };

  return {
    requestHangup,

    async hangUpOwnCall(callId, { immediate }) {
      const numberId = options.liveCalls.get(callId)?.numberId;
      if (numberId === undefined) throw notActive();
      await requestHangup({ callId, numberId, immediate });
    },

    async requestCancel(request) {
      const actor = await findActor(options, request);
      if (!actor.getSnapshot().matches('ringing')) {
        throw new Refusal(
          'call_not_active',
          'This call does not ring any more; use hangup for a call in progress.',
        );
      }
      signal(actor, (call) => call.send({ type: 'cancel.requested' }));
    },
  };
};
