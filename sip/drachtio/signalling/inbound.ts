/**
 * Calls that come in: each INVITE of a trunk is offered as an arrival and refused before it is answered, or waits until
 * its line is opened.
 */
import { randomUUID } from 'node:crypto';
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import { trunkCodecs, type Trunk } from '#src/domain/trunk.ts';
import type { Arrival, ArrivalVerdict } from '#src/domain/arrival.ts';
import type { OnArrival } from '../../lines.ts';
import { calledParty } from '../../parties/called-party.ts';
import { callingParty } from '../../parties/calling-party.ts';
import type { TrunkDirectory } from '../../trunks/directory.ts';
import type { InboundAccess } from '../../inbound-access/inbound-access.ts';
import type { Place, TrunkLimits } from '../../trunks/limits.ts';
import { offerProblem } from '../../trunks/media-offer.ts';
import { allowed, holdRequests, noSip, hangUp, type Attempt, type Outcome } from './attempt.ts';
import type { FarEnd, FarEnds } from './far-ends.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { leavingWith, type MediaEndpoint } from '../media/endpoint.ts';
import type { MediaServers } from '../media/servers.ts';
import { acceptedOffer, onTerms, warningOf } from './negotiate.ts';
import type { TrunkCheck } from './check-trunk.ts';
import { createMergedRequests, requestProblem, type RequestProblem } from './header-inspection.ts';
import { arrivingLeg, takenLeg } from './sip-leg.ts';
import { answerTimer, isTooSmall, type SessionTimes } from './session-timer.ts';

/** A caller that was let in and whose line is not opened within this time is refused. */
const patienceMs = 10_000;

type Refusal = RequestProblem;

const refusals: Readonly<Record<Extract<ArrivalVerdict, { accepted: false }>['because'], Refusal>> = {
  unknown_number: { status: 404, reason: 'Not Found' },
  no_agent_endpoint: { status: 480, reason: 'Temporarily Unavailable' },
  caller_rejected: { status: 603, reason: 'Decline' },
  over_capacity: { status: 486, reason: 'Busy Here' },
  // The trunk may try another gateway.
  draining: { status: 503, reason: 'Service Unavailable', headers: { 'Retry-After': '60' } },
};

const unavailable: Refusal = { status: 503, reason: 'Service Unavailable', headers: { 'Retry-After': '10' } };
const failed: Refusal = { status: 500, reason: 'Server Internal Error' };
const tooSmall = ({ shortestSec }: SessionTimes): Refusal => ({
  status: 422,
  reason: 'Session Interval Too Small',
  headers: { 'Min-SE': String(shortestSec) },
});
const merged: Refusal = { status: 482, reason: 'Loop Detected' };
const notAcceptable = (why: string): Refusal => ({
  status: 488,
  reason: 'Not Acceptable Here',
  headers: warningOf(why),
});

type Caller = {
  request: Srf.SrfRequest;
  response: Srf.SrfResponse;
  trunk: Trunk;
  timer: unknown;
  /** Its channel on the trunk. */
  place: Place;
  farEnd: FarEnd;
  /** It has hung up before it was answered. */
  isGone: boolean;
};

export const createInbound = (options: {
  mediaServers: MediaServers;
  access: InboundAccess;
  directory: TrunkDirectory;
  limits: TrunkLimits;
  farEnds: Pick<FarEnds, 'meet'>;
  trunkCheck: Pick<TrunkCheck, 'isOwnCall'>;
  country: Country;
  sessionTimes: SessionTimes;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
}) => {
  const { mediaServers, access, directory, limits, trunkCheck, country, clock, backgroundTasks, logger } =
    options;
  const { sessionTimes } = options;
  const mergedRequests = createMergedRequests(() => clock.now());
  const waiting = new Map<string, Caller>();
  let onArrival: OnArrival | null = null;

  const refuse = ({ response }: Pick<Caller, 'response'>, { status, reason, headers }: Refusal): void => {
    if (response.finalResponseSent) return;
    try {
      response.send(status, reason, headers === undefined ? {} : { headers });
    } catch (error) {
      logger.debug({ err: error }, 'an INVITE could not be refused');
    }
  };

  /** Takes the caller out of the waiting room. */
  const take = (callId: string): Caller | undefined => {
    const caller = waiting.get(callId);
    waiting.delete(callId);
    clock.clearTimeout(caller?.timer);
    return caller;
  };

  const refuseWaiting = (callId: string, refusal: Refusal): void => {
    const caller = take(callId);
    caller?.place.leave();
    caller?.farEnd.over();
    if (caller !== undefined && !caller.isGone) refuse(caller, refusal);
  };

  /**
   * Of several numbers, the first that this trunk brings calls for: a trunk of a workspace, for the numbers of that
   * workspace alone.
   */
  const dialled = async (numbers: readonly string[], { workspaceId }: Trunk): Promise<string | undefined> => {
    const [likeliest, ...others] = numbers;
    if (workspaceId === null && others.length === 0) return likeliest;
    for (const number of numbers) {
      const owner = await directory.ownerOf(number);
      if (owner !== undefined && owner.workspaceId === (workspaceId ?? owner.workspaceId)) return number;
    }
    return workspaceId === null ? likeliest : undefined;
  };

  const offer = async (
    arrival: Omit<Arrival, 'to'>,
    numbers: readonly string[],
    trunk: Trunk,
    ask: OnArrival,
  ): Promise<void> => {
    const { callId } = arrival;
    try {
      const to = await dialled(numbers, trunk);
      const verdict: ArrivalVerdict =
        to === undefined ? { accepted: false, because: 'unknown_number' } : await ask({ ...arrival, to });
      if (verdict.accepted) return;
      logger.info({ call_id: callId, because: verdict.because }, 'a caller was refused');
      refuseWaiting(callId, refusals[verdict.because]);
    } catch (error) {
      logger.error({ call_id: callId, err: error }, 'it could not be decided whether a caller is let in');
      refuseWaiting(callId, failed);
    }
  };

  return {
    open(ask: OnArrival): void {
      onArrival = ask;
    },

    /** For each INVITE that begins a call. */
    receive(request: Srf.SrfRequest, response: Srf.SrfResponse): void {
      if (!request.isNewInvite)
        return refuse({ response }, { status: 481, reason: 'Call/Transaction Does Not Exist' });
      if (onArrival === null) return refuse({ response }, unavailable);
      const trunk = access.admit(request, response);
      if (trunk === null) return undefined;
      if (mergedRequests.isMerged(request)) return refuse({ response }, merged);
      const fault = requestProblem(request);
      if (fault !== undefined) return refuse({ response }, fault);
      if (mediaServers.problem() !== null) return refuse({ response }, unavailable);
      const { numbers, bare } = calledParty(request, country);
      if (numbers.length === 0) return refuse({ response }, refusals.unknown_number);
      const from = callingParty(request, country, bare);
      if (numbers.some((to) => trunkCheck.isOwnCall({ from, to })))
        return refuse({ response }, refusals.over_capacity);
      // An offer that comes with the ACK is for a later day.
      const problem = offerProblem(request.body, trunk.codecs ?? trunkCodecs, trunk.srtp);
      if (problem !== undefined) {
        logger.info({ trunk: trunk.name, problem }, 'an offer could not be taken');
        return refuse({ response }, notAcceptable(problem));
      }
      if (isTooSmall(request, sessionTimes)) return refuse({ response }, tooSmall(sessionTimes));
      const place = limits.enterNow(trunk);
      if (place === null) {
        logger.warn({ trunk: trunk.name }, 'a caller was refused: no channel of the trunk is free');
        return refuse({ response }, refusals.over_capacity);
      }

      const callId = randomUUID();
      const timer = clock.setTimeout(() => {
        logger.warn({ call_id: callId }, 'a caller was let in but never answered');
        refuseWaiting(callId, { status: 480, reason: 'Temporarily Unavailable' });
      }, patienceMs);
      const farEnd = options.farEnds.meet(callId);
      farEnd.is(arrivingLeg(request));
      const caller: Caller = { request, response, trunk, timer, place, farEnd, isGone: false };
      // drachtio-server has answered the CANCEL and refused the INVITE with 487 by itself.
      request.on('cancel', () => {
        caller.isGone = true;
        place.leave();
        farEnd.over();
      });
      waiting.set(callId, caller);
      void offer({ callId, from, at: clock.now() }, numbers, trunk, onArrival);
      return undefined;
    },

    /** Answers the caller that waits under this id. */
    answer(callId: string): Attempt {
      const caller = take(callId);
      let isCancelled = false;
      const lost = Promise.withResolvers<never>();
      // Nobody may be waiting for it.
      lost.promise.catch(() => {});

      const unanswered = (cause: 'cancelled' | 'media_error', refusal: Refusal): Outcome => {
        if (caller === undefined) return { answered: false, cause, sip: noSip };
        caller.place.leave();
        caller.farEnd.over();
        const sip = { ...noSip, callId: caller.request.get('Call-ID') };
        if (caller.isGone)
          return {
            answered: false,
            cause: 'cancelled',
            sip: { ...sip, status: 487, reason: 'Request Terminated' },
          };
        refuse(caller, refusal);
        return { answered: false, cause, sip: { ...sip, status: refusal.status, reason: refusal.reason } };
      };

      const run = async (): Promise<Outcome> => {
        if (caller === undefined || caller.isGone) return unanswered('cancelled', unavailable);
        const { request, response, trunk, farEnd } = caller;
        let endpoint: MediaEndpoint;
        try {
          endpoint = leavingWith(
            onTerms(await mediaServers.createEndpoint(acceptedOffer(request.body, trunk), trunk.srtp), trunk),
            caller.place.leave,
          );
        } catch (error) {
          logger.warn({ call_id: callId, err: error }, 'no endpoint for an inbound call');
          return unanswered('media_error', notAcceptable('The media server cannot take this offer'));
        }
        const destroy = (): void => backgroundTasks.add('destroying an endpoint', () => endpoint.destroy());
        if (caller.isGone || isCancelled) {
          destroy();
          return unanswered('cancelled', refusals.no_agent_endpoint);
        }
        try {
          const { headers, weRefresh } = answerTimer(request, sessionTimes);
          const answering = request.srf.createUAS(request, response, {
            localSdp: endpoint.localSdp,
            headers: { Supported: 'timer', Allow: allowed, ...headers },
          });
          const dialog = await Promise.race([answering, lost.promise]);
          holdRequests(dialog, true);
          farEnd.is(takenLeg(arrivingLeg(request), dialog, endpoint.channel));
          const sip = { status: 200, reason: 'OK', callId: request.get('Call-ID') };
          if (!isCancelled)
            return { answered: true, connection: { dialog, farEnd, endpoint, weRefresh, sip } };
          destroy();
          backgroundTasks.add('BYE', () => hangUp({ dialog, farEnd }));
          return { answered: false, cause: 'cancelled', sip };
        } catch (error) {
          logger.debug({ call_id: callId, err: error }, 'an inbound call could not be answered');
        }
        destroy();
        return unanswered('cancelled', unavailable);
      };

      return {
        outcome: run(),
        sip: () => ({ ...noSip, callId: caller?.request.get('Call-ID') ?? null }),
        cancel() {
          isCancelled = true;
        },
        lose() {
          lost.reject(new Error('The connection to drachtio-server was lost'));
        },
      };
    },

    close(): void {
      onArrival = null;
      for (const callId of waiting.keys()) refuseWaiting(callId, refusals.draining);
    },
  };
};

export type Inbound = ReturnType<typeof createInbound>;
