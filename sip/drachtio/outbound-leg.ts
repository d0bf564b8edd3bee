/**
 * Runs the chart of an outbound leg (`machines/outbound-leg.ts`): performs its effects on the trunks and their channels,
 * the media endpoint, the INVITE and the dialog.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import { createActor, type AnyActorRef } from 'xstate';
import { outboundLegMachine, type OutboundLegEffect, type OutboundLegEnd } from '#machines/outbound-leg.ts';
import type { Clock } from '#src/domain/clock.ts';
import { mayDial, type Destinations } from '#src/domain/destinations.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { SipHeaders } from '#src/domain/sip-headers.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { releasingWith, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { offerWith } from '#sip/sdp/media-offer.ts';
import { within, type BackgroundTasks } from '../background-tasks.ts';
import type { Carrier, Carriers } from '../carriers.ts';
import { inSystemOf, performEffects } from '#machines/chart-actors.ts';
import { inviteTo, targetAt, type InviteTarget } from '../trunks/addressing.ts';
import { whyNoRoute, type Choice, type ChosenTrunk } from '../trunks/choose.ts';
import { causeOf, goesOn, isTrunksFault } from '../trunks/failover.ts';
import type { Permit } from '../trunks/limits.ts';
import { createTargets, redirectionsIn, type Targets } from '../trunks/redirects.ts';
import type { TrunkCoolDowns } from '../trunks/cool-downs.ts';
import type { SharedLimits } from '../trunks/shared-limits.ts';
import { allowedBy } from './dialog/capabilities.ts';
import { hangUp, noSip, type PendingLeg, type Connection, type Outcome } from './leg.ts';
import { createRoute } from './call-route.ts';
import { onTerms, type SessionEndpoint } from './dialog/negotiate.ts';
import type { SessionTimes } from './dialog/session-timer.ts';
import { invite, type Invitation, type Invited } from './invite.ts';
import type { TrackedLeg } from './resume/leg-tracker.ts';

export type OutboundLegOptions = {
  callId: string;
  /** Called number in domestic format. */
  from: string;
  to: string;
  /** Custom headers of the INVITE. */
  sipHeaders: SipHeaders;
  country: Country;
  choose: () => Promise<Choice>;
  /** Allowed destinations of the call, checked when a trunk redirects it. */
  destinations: () => Promise<readonly Destinations[]>;
  limits: Pick<SharedLimits, 'acquire' | 'count'>;
  coolDowns: TrunkCoolDowns;
  carriers: Pick<Carriers, 'carrierFor' | 'problem' | 'createEndpoint' | 'termsFor'>;
  /** Name of the preferred media server; `null` for any. */
  preferredServer: string | null;
  /** Time after which a trunk without any response is given up. */
  silenceMs: number;
  sessionTimes: SessionTimes;
  srf: Srf;
  trackLeg: () => TrackedLeg;
  onRinging: () => void;
  /** Chart of the line, and the name of this leg in the chart's actor system. */
  parent: AnyActorRef | undefined;
  name: 'outbound-leg' | 'second-leg';
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

/** Timeout for the media server to apply an answer. */
const answerMs = 5_000;

/** Endpoint that makes the offer. A key that was sent to one trunk is not used for the next trunk. */
type Offering = { endpoint: MediaEndpoint; carrier: Carrier; isSecret: boolean };

/** The current target. `invited` is set when the target's INVITE has ended. */
type Calling = {
  target: InviteTarget;
  /** Permit that counts the call at the address for the whole duration of the call. */
  counted: Permit | null;
  agreed: SessionEndpoint;
  invitation: Invitation;
  invited: Invited | null;
};

/** The current trunk. */
type Trying = { chosen: ChosenTrunk; permit: Permit | null; targets: Targets; calling: Calling | null };

export const startOutboundLeg = (options: OutboundLegOptions): PendingLeg => {
  const { carriers, limits, coolDowns, country, backgroundTasks, clock, logger } = options;
  const { promise: outcome, resolve } = Promise.withResolvers<Outcome>();
  const unwanted = new AbortController();
  const routes: ChosenTrunk[] = [];
  const route = createRoute();
  let trying: Trying | null = null;
  let offering: Offering | null = null;
  let connection: Connection | null = null;
  /** The last INVITE of the call, for its record. */
  let invitation: Invitation | null = null;

  const actor = createActor(outboundLegMachine, inSystemOf(options.parent, options.name));

  const choose = async (): Promise<void> => {
    const choice = await options.choose();
    routes.push(...choice.routes);
    const reason = routes.length > 0 ? null : whyNoRoute(choice.leftOut, coolDowns.secondsUntil);
    send({ type: 'chosen', trunks: routes.length, reason });
  };

  const reserve = async (isLast: boolean): Promise<void> => {
    const chosen = routes.shift();
    if (chosen === undefined) return;
    route.tries(chosen.trunk);
    const next: Trying = { chosen, permit: null, targets: createTargets([]), calling: null };
    trying = next;
    const acquired = await limits.acquire(chosen.trunk, isLast, {
      callId: options.callId,
      leg: options.name === 'second-leg' ? 'second' : 'first',
      signal: unwanted.signal,
    });
    if ('full' in acquired) {
      logger.warn({ trunk: chosen.trunk.name }, acquired.full);
      return send({ type: 'full', reason: acquired.full });
    }
    next.permit = acquired.permit;
    return send({ type: 'reserved' });
  };

  const releaseEndpoint = (): void => {
    const unused = offering?.endpoint;
    offering = null;
    if (unused !== undefined) backgroundTasks.add('destroying an endpoint', () => unused.destroy());
  };

  /** Returns the endpoint, if possible that of the previous trunk. Rejects if no endpoint is available. */
  const endpointFor = async (trunk: Trunk): Promise<MediaEndpoint> => {
    const carrier = carriers.carrierFor(trunk);
    const isSecret = trunk.srtp !== 'off';
    if (offering !== null && (offering.isSecret || isSecret || offering.carrier !== carrier))
      releaseEndpoint();
    if (offering !== null) return offering.endpoint;
    const endpoint = await carriers.createEndpoint(undefined, trunk, options.preferredServer);
    offering = { endpoint, carrier, isSecret };
    endpoint.onLost(() => {
      if (offering?.endpoint === endpoint) send({ type: 'endpoint.lost' });
    });
    return endpoint;
  };

  const prepare = async (): Promise<void> => {
    if (trying === null) return undefined;
    const { trunk, addresses } = trying.chosen;
    const problem = carriers.problem(trunk);
    // The leg continues with the next trunk, which may have lower requirements.
    if (problem !== null) return send({ type: 'unsuitable', reason: problem.sentence });
    try {
      await endpointFor(trunk);
    } catch (error) {
      logger.warn({ err: error }, 'no media endpoint could be created for an outbound call');
      return send({ type: 'prepare.failed' });
    }
    const targets = addresses.map((address) => targetAt(trunk, address, options.to, country));
    trying.targets = createTargets(targets);
    return send({ type: 'prepared', targets: targets.length });
  };

  const onInvited = (invited: Invited, calling: Calling, trunk: Trunk): void => {
    calling.invited = invited;
    if (invited.answered) return send({ type: 'answered', sip: invited.sip });
    const { sip, failed, contacts, retryAfterMs } = invited;
    const { failoverStatuses } = trunk;
    const { key } = calling.target;
    // `Retry-After` counts only for statuses that are the trunk's fault; with other statuses it concerns the callee.
    const isCoolingDown = retryAfterMs > 0 && key !== null && isTrunksFault(failed, failoverStatuses);
    if (isCoolingDown && actor.getSnapshot().matches('inviting')) coolDowns.begin(key, retryAfterMs);
    return send({
      type: 'refused',
      cause: causeOf(failed),
      sip,
      mayContinue: goesOn(failed, failoverStatuses),
      isRedirect: contacts !== null,
    });
  };

  const inviteNext = (): void => {
    const target = trying?.targets.next();
    if (trying === null || offering === null || target === undefined) return;
    const { trunk } = trying.chosen;
    const { endpoint } = offering;
    const { headers, ...address } = inviteTo(trunk, target, options.from, country);
    const offer = offerWith(endpoint.localSdp, trunk);
    const agreed = onTerms({ ...endpoint, localSdp: offer }, carriers.termsFor(trunk));
    const counted = target.key === null ? null : limits.count(target.key);
    invitation = invite({
      ...options,
      ...address,
      headers: { Allow: allowedBy(trunk), ...options.sipHeaders, ...headers },
      offer,
      endpoint: agreed,
      trunkId: trunk.id,
      channel: endpoint.channel(),
      onProgress: (type) => send({ type }),
    });
    const calling: Calling = { target, counted, agreed, invitation, invited: null };
    trying.calling = calling;
    route.goes(invitation.way);
    run(async () => onInvited(await calling.invitation.outcome, calling, trunk));
  };

  /** Returns the allowed redirect targets, because a trunk must not redirect a call to arbitrary numbers. */
  const targetsOf = async (contacts: string, trunk: Trunk): Promise<readonly InviteTarget[]> => {
    const wanted = redirectionsIn(contacts, trunk, country);
    if (wanted.length === 0) return [];
    const policy = { destinations: await options.destinations() };
    return wanted.filter(({ number }) => mayDial(policy, number, country));
  };

  const redirect = async (): Promise<void> => {
    const { chosen, calling, targets } = trying ?? {};
    const contacts = calling?.invited?.answered === false ? calling.invited.contacts : null;
    if (chosen === undefined || targets === undefined || contacts === null) return;
    const { trunk } = chosen;
    const followed = targets.redirect(await targetsOf(contacts, trunk));
    logger.info({ trunk: trunk.name }, `a redirect of a trunk is ${followed > 0 ? '' : 'not '}followed`);
    send({ type: 'redirected', targets: followed });
  };

  const connect = async (): Promise<void> => {
    const { chosen, permit, calling } = trying ?? {};
    if (chosen === undefined || calling?.invited?.answered !== true) return undefined;
    const { agreed, counted, invited } = calling;
    const { trunk } = chosen;
    const { dialog, trackedLeg, remoteSdp, weRefresh, takesInfo, sip } = invited;
    try {
      await within(clock, answerMs, 'Taking the answer in', agreed.takeAnswer(remoteSdp));
    } catch (error) {
      logger.warn(
        { trunk: trunk.name, err: error },
        "the session description of the callee's answer was unacceptable",
      );
      return send({ type: 'connect.failed' });
    }
    const endpoint = releasingWith(agreed, () => {
      counted?.release();
      permit?.release();
    });
    connection = { trunk, dialog, trackedLeg, endpoint, weRefresh, takesInfo, sip };
    return send({ type: 'connected' });
  };

  const leaveTrunk = ({ isFailover, sip }: Extract<OutboundLegEffect, { type: 'leaveTrunk' }>): void => {
    trying?.permit?.release();
    const trunk = trying?.chosen.trunk.name;
    if (isFailover) logger.warn({ trunk, sip_status: sip.status }, 'a trunk failed a call');
  };

  const hangUpDialog = (): void => {
    const invited = trying?.calling?.invited;
    if (invited?.answered === true) backgroundTasks.add('BYE', () => hangUp(invited));
  };

  const fail = (error: unknown): void => {
    logger.error({ err: error }, 'an outbound leg failed unexpectedly');
    send({ type: 'effect.failed' });
  };

  /** Performs an effect. An unexpected error fails the leg. */
  const run = (effect: () => Promise<void> | void): void => {
    try {
      effect()?.catch(fail);
    } catch (error) {
      fail(error);
    }
  };

  const perform = (effect: OutboundLegEffect): void => {
    switch (effect.type) {
      case 'choose':
        return run(choose);
      case 'reserve':
        return run(() => reserve(effect.isLast));
      case 'prepare':
        return run(prepare);
      case 'invite':
        return run(inviteNext);
      case 'rang':
        return options.onRinging();
      case 'redirect':
        return run(redirect);
      case 'connect':
        return run(connect);
      case 'cancel':
        return invitation?.cancel();
      case 'abort':
        return unwanted.abort();
      case 'giveUp':
        return invitation?.giveUp(effect.reason);
      case 'hangUp':
        return hangUpDialog();
      case 'leaveTarget':
        return trying?.calling?.counted?.release();
      case 'leaveTrunk':
        return leaveTrunk(effect);
      case 'release':
        trying?.calling?.counted?.release();
        trying?.permit?.release();
        return releaseEndpoint();
    }
  };

  const send = performEffects(actor, perform);

  const onEnd = (end: OutboundLegEnd): void => {
    if (!end.answered) resolve(end);
    else if (connection !== null) resolve({ answered: true, connection });
  };
  actor.subscribe({
    complete() {
      const { output } = actor.getSnapshot();
      if (output !== undefined) onEnd(output);
    },
  });
  actor.start();

  return {
    outcome,
    sip: () => invitation?.sip() ?? noSip,
    route: route.route,
    cancel: () => send({ type: 'cancel' }),
    lose: () => send({ type: 'connection.lost' }),
  };
};
