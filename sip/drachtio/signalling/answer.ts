/**
 * Answers a waiting caller: an endpoint answers the caller's offer (or makes one if it is missing), 200 OK is sent, and
 * the call is established.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { SipDetails } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { digestClientFor } from '../../digest/digest-client.ts';
import { credentialsOf } from '../../trunks/addressing.ts';
import type { Permit } from '../../trunks/limits.ts';
import { offerWith } from '../../trunks/media-offer.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { NoPlace, releasingWith, type MediaEndpoint } from '../../media/media-endpoint.ts';
import type { Carriers } from '../media/carriers.ts';
import {
  allowedBy,
  hangUp,
  heldDialog,
  isStanding,
  noSip,
  type Attempt,
  type Connection,
  type Outcome,
} from './attempt.ts';
import { takesInfo } from './dtmf.ts';
import { CallerLeft, takeLateAnswer } from './late-offer.ts';
import { authorizeRequests } from './dialog-requests.ts';
import type { TrackedLeg } from './leg-tracker.ts';
import { descriptionIn } from './message-body.ts';
import { accepted, onTerms } from './negotiate.ts';
import { notAcceptable, refusals, refuse, verdictRefusals, type InviteRefusal } from './refusals.ts';
import { arrivingRoute } from './call-route.ts';
import { answerTimer, type AgreedTimer, type SessionTimes } from './session-timer.ts';
import { arrivingLeg, takenLeg } from './leg-states.ts';

/** An admitted caller with the resources it holds until it is answered or refused. */
export type AdmittedCaller = {
  request: Srf.SrfRequest;
  response: Srf.SrfResponse;
  trunk: Trunk;
  /** Permit for one of the trunk's channels. */
  permit: Permit;
  trackedLeg: TrackedLeg;
  /** The caller has hung up before the answer. */
  isGone: boolean;
  /** Reasons from the CANCEL. */
  explanation: Pick<SipDetails, 'reasons' | 'callInfo'>;
};

/** Fails the attempt: refuses the caller unless it has hung up. */
const unanswered = (
  { request, response, permit, trackedLeg, isGone, explanation }: AdmittedCaller,
  cause: 'cancelled' | 'media_error',
  refusal: InviteRefusal,
  logger: Logger,
): Outcome => {
  const callId = request.get('Call-ID');
  permit.release();
  trackedLeg.ended();
  if (isGone)
    return {
      answered: false,
      cause: 'cancelled',
      sip: { status: 487, reason: 'Request Terminated', callId, ...explanation },
    };
  refuse(response, refusal, logger);
  return { answered: false, cause, sip: { status: refusal.status, reason: refusal.reason, callId } };
};

export type AnswerOptions = {
  carriers: Pick<Carriers, 'createEndpoint' | 'termsFor'>;
  sessionTimes: SessionTimes;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  /** Logger of the call. */
  logger: Logger;
};

/** Creates the endpoint with its answer to the caller's offer, or with its own offer. */
const createEndpointFor = async (
  { request, trunk, permit }: AdmittedCaller,
  { carriers }: Pick<AnswerOptions, 'carriers'>,
): Promise<MediaEndpoint> => {
  const terms = carriers.termsFor(trunk);
  const offer = descriptionIn(request);
  if (offer !== undefined) {
    const { sdp, answerWith } = accepted(offer, terms);
    const endpoint = await carriers.createEndpoint(sdp, trunk);
    const answering = { ...endpoint, localSdp: answerWith(endpoint.localSdp) };
    return releasingWith(onTerms(answering, terms), permit.release);
  }
  const endpoint = await carriers.createEndpoint(undefined, trunk);
  const offering = { ...endpoint, localSdp: offerWith(endpoint.localSdp, trunk) };
  return releasingWith(onTerms(offering, terms), permit.release);
};

/** Establishes the call after 200 OK: from now on the far end is ended by BYE. */
const standUp = async (
  { request, trunk, trackedLeg }: AdmittedCaller,
  { dialog, endpoint, timer }: Pick<Connection, 'dialog' | 'endpoint'> & { timer: AgreedTimer },
  { given, lost, ...options }: AnswerOptions & { given: AbortSignal; lost: Promise<never> },
): Promise<Outcome> => {
  const { clock, backgroundTasks, logger } = options;
  const sip = { status: 200, reason: 'OK', callId: request.get('Call-ID') };
  const leave = (cause: 'cancelled' | 'media_error'): Outcome => {
    backgroundTasks.add('destroying an endpoint', () => endpoint.destroy());
    backgroundTasks.add('BYE', () => hangUp({ dialog, trackedLeg }));
    return { answered: false, cause, sip };
  };
  const { weRefresh, expiresSec } = timer;
  const offer = descriptionIn(request);
  dialog.remote.sdp = offer ?? '';
  const callerTakesInfo = takesInfo(request);
  const agreed = {
    weRefresh,
    expiresSec,
    takesInfo: callerTakesInfo,
    trunkId: trunk.id,
    channel: endpoint.channel(),
  };
  trackedLeg.update(takenLeg(arrivingLeg(request), dialog, agreed));
  try {
    if (offer === undefined) {
      dialog.remote.sdp = await takeLateAnswer(dialog, endpoint, { clock, lost });
      trackedLeg.agreed({ remoteSdp: dialog.remote.sdp }, endpoint.channel());
    }
    if (!isStanding(dialog)) throw new CallerLeft('The caller left at once');
  } catch (error) {
    if (error instanceof CallerLeft) {
      trackedLeg.ended();
      backgroundTasks.add('destroying an endpoint', () => endpoint.destroy());
      return { answered: false, cause: 'cancelled', sip };
    }
    logger.warn({ err: error }, 'the answer of a caller could not be taken');
    return leave('media_error');
  }
  if (given.aborted) return leave('cancelled');
  return {
    answered: true,
    connection: { trunk, dialog, trackedLeg, endpoint, weRefresh, takesInfo: callerTakesInfo, sip },
  };
};

export const answerCaller = (caller: AdmittedCaller, options: AnswerOptions): Attempt => {
  const { sessionTimes, backgroundTasks, logger } = options;
  const { request, response } = caller;
  const callId = request.get('Call-ID');
  const given = new AbortController();
  const lost = Promise.withResolvers<never>();
  // Avoids an unhandled rejection.
  lost.promise.catch(() => {});

  const destroy = (endpoint: MediaEndpoint): void =>
    backgroundTasks.add('destroying an endpoint', () => endpoint.destroy());

  const sendOk = async (endpoint: MediaEndpoint): Promise<Outcome> => {
    const { headers, ...timer } = answerTimer(request, sessionTimes);
    const ok = {
      localSdp: endpoint.localSdp,
      headers: { Supported: 'timer', Allow: allowedBy(caller.trunk), ...headers },
    };
    // With a late offer requests are not held, because the ACK contains the answer.
    const answering =
      descriptionIn(request) === undefined
        ? request.srf.createUAS(request, response, ok)
        : heldDialog((done) => request.srf.createUAS(request, response, ok, done));
    const dialog = await Promise.race([answering, lost.promise]);
    authorizeRequests(dialog, digestClientFor(credentialsOf(caller.trunk)));
    const standing = { dialog, endpoint, timer };
    return standUp(caller, standing, { ...options, given: given.signal, lost: lost.promise });
  };

  const run = async (): Promise<Outcome> => {
    if (caller.isGone) return unanswered(caller, 'cancelled', refusals.unavailable, logger);
    let endpoint: MediaEndpoint;
    try {
      endpoint = await createEndpointFor(caller, options);
    } catch (error) {
      logger.warn({ err: error }, 'no endpoint for an inbound call');
      const refusal =
        error instanceof NoPlace
          ? refusals.unavailable
          : notAcceptable('The media server cannot take this offer');
      return unanswered(caller, 'media_error', refusal, logger);
    }
    if (caller.isGone || given.signal.aborted) {
      destroy(endpoint);
      return unanswered(caller, 'cancelled', verdictRefusals.no_agent_endpoint, logger);
    }
    try {
      return await sendOk(endpoint);
    } catch (error) {
      logger.debug({ err: error }, 'an inbound call could not be answered');
      destroy(endpoint);
      return unanswered(caller, 'cancelled', refusals.unavailable, logger);
    }
  };

  return {
    outcome: run(),
    sip: () => ({ ...noSip, callId }),
    route: () => arrivingRoute(request, caller.trunk),
    cancel: () => given.abort(),
    lose: () => lost.reject(new Error('The connection to drachtio-server was lost')),
  };
};
