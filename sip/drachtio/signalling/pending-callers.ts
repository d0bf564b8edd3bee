/** Admitted callers whose lines are not yet open. */
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { explanationIn } from '../../headers/reasons.ts';
import type { AdmittedCaller } from './answer.ts';
import type { LegTracker } from './leg-tracker.ts';
import { refusals, refuse, type InviteRefusal } from './refusals.ts';
import { arrivingLeg } from './leg-states.ts';

/** Time after which a caller without an opened line is refused. */
const patienceMs = 10_000;

type Waiting = AdmittedCaller & { timer: unknown };

export const createPendingCallers = (options: {
  legTracker: Pick<LegTracker, 'track'>;
  clock: Clock;
  logger: Logger;
}) => {
  const { legTracker, clock, logger } = options;
  const waiting = new Map<string, Waiting>();

  const take = (callId: string): AdmittedCaller | undefined => {
    const caller = waiting.get(callId);
    waiting.delete(callId);
    clock.clearTimeout(caller?.timer);
    return caller;
  };

  const refuseCaller = (callId: string, refusal: InviteRefusal): void => {
    const caller = take(callId);
    if (caller === undefined) return;
    caller.permit.release();
    caller.trackedLeg.ended();
    if (!caller.isGone) refuse(caller.response, refusal, logger);
  };

  const add = (
    callId: string,
    arriving: Pick<AdmittedCaller, 'request' | 'response' | 'trunk' | 'permit'>,
  ): void => {
    const timer = clock.setTimeout(() => {
      logger.warn({ call_id: callId }, 'a caller was let in but never answered');
      refuseCaller(callId, refusals.unanswered);
    }, patienceMs);
    const trackedLeg = legTracker.track(callId);
    trackedLeg.update(arrivingLeg(arriving.request));
    const caller: Waiting = { ...arriving, timer, trackedLeg, isGone: false, explanation: {} };
    // drachtio-server has already answered the CANCEL and refused the INVITE with 487.
    caller.request.on('cancel', (cancel) => {
      caller.isGone = true;
      caller.explanation = explanationIn(cancel);
      caller.permit.release();
      trackedLeg.ended();
    });
    waiting.set(callId, caller);
  };

  return {
    add,
    /** Removes the caller, which is to be answered. */
    take,
    /** Removes and refuses the caller if it still waits. */
    refuse: refuseCaller,
    refuseAll(refusal: InviteRefusal): void {
      for (const callId of waiting.keys()) refuseCaller(callId, refusal);
    },
  };
};
