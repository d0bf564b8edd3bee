/**
 * Runs the chart of an inbound leg (`machines/inbound-leg.ts`): performs its effects on the INVITE, the trunk's
 * channel, the media endpoint and the dialog.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import { createActor, type ActorRefFrom, type AnyActorRef } from 'xstate';
import {
  inboundLegMachine,
  type InboundLegEffect,
  type InboundLegEnd,
  type InboundLegEvent,
} from '#machines/inbound-leg.ts';
import type { SipDetails } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { within, type BackgroundTasks } from '../background-tasks.ts';
import type { Carriers } from '../carriers.ts';
import { digestClientFor } from '../digest/digest-client.ts';
import { explanationIn } from '../headers/reasons.ts';
import { NoMediaCapacity, releasingWith, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { inSystemOf, performEffects } from '#machines/chart-actors.ts';
import { credentialsOf } from '../trunks/addressing.ts';
import type { Permit } from '../trunks/limits.ts';
import type { SharedLimits } from '../trunks/shared-limits.ts';
import { offerWith } from '#sip/sdp/media-offer.ts';
import { allowedBy } from './dialog/capabilities.ts';
import { hangUp, noSip, type PendingLeg, type Connection, type Outcome } from './leg.ts';
import { heldDialog, holdRequests, isStanding } from './dialog/held-requests.ts';
import { arrivingRoute } from './call-route.ts';
import { descriptionIn } from './dialog/message-body.ts';
import { accepted, onTerms, type SessionEndpoint } from './dialog/negotiate.ts';
import { notAcceptable, refusals, refuse, verdictRefusals, type InviteRefusal } from './dialog/refusals.ts';
import { authorizeRequests } from './dialog/sent-requests.ts';
import { answerTimer, type SessionTimes } from './dialog/session-timer.ts';
import { contactOfAnswer } from './dialog/tls-contact.ts';
import { takesInfo } from './dtmf/dtmf.ts';
import { arrivingLeg, takenLeg } from './resume/leg-states.ts';
import type { LegTracker, TrackedLeg } from './resume/leg-tracker.ts';
import type { Parties } from './screening.ts';

export type InboundLegOptions = {
  callId: string;
  request: Srf.SrfRequest;
  response: Srf.SrfResponse;
  trunk: Trunk;
  /** Checks the INVITE before any data is stored. */
  screen: () => { refusal: InviteRefusal } | { parties: Parties };
  /** Offers the caller to the gateway. Resolves with the refusal, or with `null` if the call accepts the caller. */
  offer: (parties: Parties) => Promise<InviteRefusal | null>;
  limits: Pick<SharedLimits, 'arrive'>;
  legTracker: Pick<LegTracker, 'track'>;
  carriers: Pick<Carriers, 'createEndpoint' | 'termsFor'>;
  sessionTimes: SessionTimes;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  /** Logger of the call. */
  logger: Logger;
  /** Called once when the leg is up or over. */
  onOver: () => void;
};

/** A caller that waits for its line. */
export type InboundLeg = {
  /** Screens the INVITE and offers the caller. Must be called once. */
  begin(): void;
  /** Refuses a caller that is not being answered yet. */
  refuse(refusal: InviteRefusal): void;
  /**
   * Answers the caller, because the line of the call is open. `parent` is the chart of the line, which the leg joins.
   */
  answer(parent: AnyActorRef | undefined): PendingLeg;
};

/** Thrown when the caller hung up before our 200 OK was processed. Such a leg needs no BYE. */
class CallerLeft extends Error {}

/**
 * Time to wait for the ACK. After 32 s without an ACK, drachtio-server itself sends BYE (RFC 3261 section 13.3.1.4) and
 * reports this.
 */
const ackMs = 40_000;
/** Timeout for the media server to apply the caller's answer. */
const applyMs = 5_000;

/** Waits for the ACK. From then on, in-dialog requests are held until they are released. */
const ackOf = (dialog: Srf.Dialog): Promise<Srf.SrfRequest> =>
  new Promise((resolve, reject) => {
    if (!isStanding(dialog)) return reject(new CallerLeft('The caller left at once'));
    const stopListening = (): void => {
      dialog.off('ack', onAck);
      dialog.off('destroy', onLeft);
    };
    const onAck = (ack: Srf.SrfRequest): void => {
      stopListening();
      holdRequests(dialog, true);
      resolve(ack);
    };
    const onLeft = (): void => {
      stopListening();
      reject(new CallerLeft('The caller left before its answer came'));
    };
    dialog.on('ack', onAck);
    dialog.on('destroy', onLeft);
    return undefined;
  });

/**
 * Handles a late offer (RFC 3261 section 13.2.1): the INVITE has no offer, 200 OK contains ours, and the ACK contains
 * the caller's answer. Rejects with `CallerLeft`, or if the ACK contains no answer or an unacceptable answer.
 */
const takeLateAnswer = async (
  dialog: Srf.Dialog,
  endpoint: Pick<MediaEndpoint, 'takeAnswer'>,
  clock: Clock,
): Promise<string> => {
  const ack = await within(clock, ackMs, 'Waiting for ACK', ackOf(dialog));
  const answer = descriptionIn(ack) ?? '';
  await within(clock, applyMs, 'Taking the answer in', endpoint.takeAnswer(answer));
  return answer;
};

/** Creates the endpoint with its answer to the caller's offer, or with its own offer. */
const createEndpointFor = async (
  request: Srf.SrfRequest,
  trunk: Trunk,
  carriers: InboundLegOptions['carriers'],
): Promise<SessionEndpoint> => {
  const terms = carriers.termsFor(trunk);
  const offer = descriptionIn(request);
  if (offer !== undefined) {
    const { sdp, answerWith } = accepted(offer, terms);
    const endpoint = await carriers.createEndpoint(sdp, trunk);
    return onTerms({ ...endpoint, localSdp: answerWith(endpoint.localSdp) }, terms);
  }
  const endpoint = await carriers.createEndpoint(undefined, trunk);
  return onTerms({ ...endpoint, localSdp: offerWith(endpoint.localSdp, trunk) }, terms);
};

export const createInboundLeg = (options: InboundLegOptions): InboundLeg => {
  const { callId, request, response, trunk, carriers, backgroundTasks, clock, logger } = options;
  const sipCallId = request.get('Call-ID');
  const { promise: outcome, resolve } = Promise.withResolvers<Outcome>();

  let parties: Parties | null = null;
  let permit: Permit | null = null;
  let trackedLeg: TrackedLeg | null = null;
  let endpoint: SessionEndpoint | null = null;
  let dialog: Srf.Dialog | null = null;
  let connection: Connection | null = null;
  /** Reasons from the CANCEL; `null` while the caller has not cancelled. */
  let explanation: Pick<SipDetails, 'reasons' | 'callInfo'> | null = null;

  const refuseFull = (): void => {
    logger.warn(
      { trunk: trunk.name },
      'rejected an inbound call: no channel of the trunk is free (max_channels)',
    );
    send({ type: 'refused', refusal: verdictRefusals.concurrency_limit });
  };

  const offer = (): void => {
    if (parties === null) return;
    const wanted = parties;
    const joining = options.limits.arrive(trunk, callId);
    if (joining === null) return refuseFull();
    permit = joining.permit;
    trackedLeg = options.legTracker.track(callId);
    trackedLeg.update(arrivingLeg(request));
    // drachtio-server has already answered the CANCEL, and the INVITE with 487.
    request.on('cancel', (cancel) => {
      explanation = explanationIn(cancel);
      send({ type: 'caller.cancelled' });
    });
    void joining.hasChannel.then(async (isFree) => {
      if (!isFree) return refuseFull();
      const refusal = await options.offer(wanted);
      return refusal === null ? undefined : send({ type: 'refused', refusal });
    });
    return undefined;
  };

  const prepare = async (): Promise<void> => {
    try {
      const created = await createEndpointFor(request, trunk, carriers);
      endpoint = releasingWith(created, () => permit?.release());
    } catch (error) {
      logger.warn({ err: error }, 'rejected an inbound call: no media endpoint could be created');
      const refusal =
        error instanceof NoMediaCapacity
          ? refusals.unavailable
          : notAcceptable('The media server cannot take this offer');
      return send({ type: 'prepare.failed', refusal });
    }
    return send({ type: 'prepared' });
  };

  /** Sends 200 OK and resolves with the dialog. */
  const sendOk = (created: MediaEndpoint, timerHeaders: Record<string, string>): Promise<Srf.Dialog> => {
    const ok = {
      localSdp: created.localSdp,
      headers: {
        Supported: 'timer',
        Allow: allowedBy(trunk),
        ...contactOfAnswer(request),
        ...timerHeaders,
      },
    };
    // Requests are not held with a late offer, because the ACK contains the answer.
    return descriptionIn(request) === undefined
      ? request.srf.createUAS(request, response, ok)
      : heldDialog((done) => request.srf.createUAS(request, response, ok, done));
  };

  /** Sends 200 OK. From then on, the far end must be ended by BYE. */
  const confirm = async (): Promise<void> => {
    if (endpoint === null || trackedLeg === null) return undefined;
    const created = endpoint;
    const { headers, weRefresh, expiresSec } = answerTimer(request, options.sessionTimes);
    let established: Srf.Dialog;
    try {
      established = await sendOk(created, headers);
    } catch (error) {
      logger.debug({ err: error }, 'an inbound call could not be answered');
      // The chart ends a caller who has cancelled, and refuses one to whom no final response was sent.
      if (explanation === null && response.finalResponseSent) trackedLeg.abandon();
      return send({ type: 'confirm.failed' });
    }
    dialog = established;
    authorizeRequests(established, digestClientFor(credentialsOf(trunk)));
    const callersOffer = descriptionIn(request);
    established.remote.sdp = callersOffer ?? '';
    const callerTakesInfo = takesInfo(request);
    const channel = created.channel();
    const agreed = { weRefresh, expiresSec, takesInfo: callerTakesInfo, trunkId: trunk.id, channel };
    trackedLeg.update(takenLeg(arrivingLeg(request), established, agreed));
    try {
      if (callersOffer === undefined) {
        established.remote.sdp = await takeLateAnswer(established, created, clock);
        trackedLeg.agreed({ remoteSdp: established.remote.sdp }, created.channel());
      }
      if (!isStanding(established)) throw new CallerLeft('The caller left at once');
    } catch (error) {
      if (error instanceof CallerLeft) return send({ type: 'caller.left' });
      logger.warn({ err: error }, "the session description in a caller's ACK was unacceptable");
      return send({ type: 'audio.failed' });
    }
    connection = {
      trunk,
      dialog: established,
      trackedLeg,
      endpoint: created,
      weRefresh,
      takesInfo: callerTakesInfo,
      sip: { status: 200, reason: 'OK', callId: sipCallId },
    };
    return send({ type: 'confirmed' });
  };

  const destroyEndpoint = (): void => {
    const unused = endpoint;
    if (unused === null) permit?.release();
    else backgroundTasks.add('destroying an endpoint', () => unused.destroy());
  };

  const perform = (effect: InboundLegEffect): void => {
    switch (effect.type) {
      case 'screen': {
        const screened = options.screen();
        if ('refusal' in screened) return send({ type: 'refused', refusal: screened.refusal });
        parties = screened.parties;
        return send({ type: 'screened' });
      }
      case 'offer':
        return offer();
      case 'prepare':
        return void prepare();
      case 'confirm':
        return void confirm();
      case 'refuse':
        if (effect.refusal === refusals.unanswered)
          logger.warn('rejected an inbound call: its line was not opened in time');
        return explanation === null ? refuse(response, effect.refusal, logger) : undefined;
      case 'hangUp': {
        destroyEndpoint();
        if (dialog === null || trackedLeg === null) return undefined;
        const ended = { dialog, trackedLeg };
        return backgroundTasks.add('BYE', () => hangUp(ended));
      }
      case 'release':
        destroyEndpoint();
        return trackedLeg?.ended();
    }
  };

  /** Returns the SIP details of a leg that was not answered. */
  const sipOf = (end: Extract<InboundLegEnd, { answered: false }>): SipDetails => {
    if (end.refusal !== null && explanation === null)
      return { status: end.refusal.status, reason: end.refusal.reason, callId: sipCallId };
    if (dialog !== null) return { status: 200, reason: 'OK', callId: sipCallId };
    return { status: 487, reason: 'Request Terminated', callId: sipCallId, ...explanation };
  };

  const onEnd = (end: InboundLegEnd): void => {
    options.onOver();
    if (!end.answered) resolve({ answered: false, cause: end.cause, sip: sipOf(end) });
    else if (connection !== null) resolve({ answered: true, connection });
  };

  let send: (event: InboundLegEvent) => void = () => {};

  const follow = (actor: ActorRefFrom<typeof inboundLegMachine>) => {
    send = performEffects(actor, perform);
    return actor.subscribe({
      complete() {
        const { output } = actor.getSnapshot();
        if (output !== undefined) onEnd(output);
      },
    });
  };

  const input = {
    refusals: {
      unanswered: refusals.unanswered,
      unwanted: verdictRefusals.no_agent_endpoint,
      unsent: refusals.unavailable,
    },
  };
  const id = 'inbound-leg';
  const waiting = createActor(inboundLegMachine, { id, input, clock });
  const waitingSubscription = follow(waiting);

  /**
   * Moves the chart of the waiting caller into the actor system of the call, which did not exist when the caller
   * arrived.
   */
  const join = (parent: AnyActorRef): void => {
    const snapshot = waiting.getPersistedSnapshot();
    waitingSubscription.unsubscribe();
    waiting.stop();
    const joined = createActor(inboundLegMachine, { ...inSystemOf(parent, id), snapshot, input });
    follow(joined);
    joined.start();
  };

  return {
    begin: () => void waiting.start(),
    refuse: (refusal) => send({ type: 'refused', refusal }),
    answer(parent) {
      if (parent !== undefined) join(parent);
      send({ type: 'answer' });
      return {
        outcome,
        sip: () => ({ ...noSip, callId: sipCallId }),
        route: () => arrivingRoute(request, trunk),
        cancel: () => send({ type: 'cancel' }),
        lose: () => send({ type: dialog === null ? 'connection.lost' : 'audio.failed' }),
      };
    },
  };
};
