/**
 * Placing a call: an endpoint makes the offer, the INVITE goes to the trunk, the answer goes back to the endpoint. When
 * a trunk fails, or has no room, the next one gets the same offer.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { SipDetails } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { Trunk, TrunkSrtp } from '#src/domain/trunk.ts';
import { causeOf, goesOn } from '../../trunks/failover.ts';
import { credentialsOf, inviteTo } from '../../trunks/addressing.ts';
import type { Place, TrunkLimits } from '../../trunks/limits.ts';
import { offerWith } from '../../trunks/media-offer.ts';
import { hangUp, noSip, type Attempt, type Outcome } from './attempt.ts';
import { invite, type Invitation } from './invite.ts';
import type { FarEnd } from './far-ends.ts';
import { within, type BackgroundTasks } from '../background-tasks.ts';
import { leavingWith, type MediaEndpoint } from '../media/endpoint.ts';
import type { MediaServers } from '../media/servers.ts';
import { onTerms } from './negotiate.ts';
import type { SessionTimes } from './session-timer.ts';

type Unanswered = Extract<Outcome, { answered: false }>;

const trunkError = (sip: SipDetails): Unanswered => ({ answered: false, cause: 'trunk_error', sip });
const cancelled = (sip: SipDetails): Unanswered => ({ answered: false, cause: 'cancelled', sip });

/** The media server takes in an answer within this time. */
const answerMs = 5_000;

export const dial = (options: {
  /** Domestic format. */
  from: string;
  to: string;
  country: Country;
  /** In the order in which they are tried. */
  trunks: () => Promise<readonly Trunk[]>;
  limits: TrunkLimits;
  silenceMs: number;
  sessionTimes: SessionTimes;
  srf: Srf;
  meetFarEnd: () => FarEnd;
  mediaServers: MediaServers;
  onRinging: () => void;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
}): Attempt => {
  const { mediaServers, limits, backgroundTasks, logger } = options;
  const given = new AbortController();
  let invitation: Invitation | null = null;
  let endpoint: MediaEndpoint | null = null;
  /** Of that endpoint. */
  let endpointSrtp: TrunkSrtp = 'off';
  /** Why the call can come to nothing any more, whatever the trunk says. */
  let broken: Unanswered | null = null;

  const breakOff = (cause: Unanswered['cause'], reason: string): void => {
    broken ??= { answered: false, cause, sip: { ...noSip, reason } };
    invitation?.giveUp(reason);
  };

  const letGo = (): void => {
    const unused = endpoint;
    endpoint = null;
    if (unused !== null) backgroundTasks.add('destroying an endpoint', () => unused.destroy());
  };

  const makeEndpoint = async (srtp: TrunkSrtp): Promise<MediaEndpoint> => {
    const made = await mediaServers.createEndpoint(undefined, srtp);
    // Nobody is to hear it ring for a call that cannot be heard.
    made.onLost(() => {
      if (endpoint === made) breakOff('media_error', 'The media server is gone');
    });
    return made;
  };

  /** `next`: the trunk is to blame, so that another one may do better. */
  type Tried = { outcome: Outcome; next: boolean };

  const tryTrunk = async (trunk: Trunk, place: Place): Promise<Tried> => {
    if (given.signal.aborted) return { outcome: cancelled(noSip), next: false };
    try {
      // A key that one trunk has seen is not for the next one.
      if (endpointSrtp === 'required' || trunk.srtp === 'required') letGo();
      endpointSrtp = trunk.srtp;
      endpoint ??= await makeEndpoint(trunk.srtp);
    } catch (error) {
      logger.warn({ err: error }, 'no endpoint for an outbound call');
      return { outcome: { answered: false, cause: 'media_error', sip: noSip }, next: false };
    }
    if (given.signal.aborted) return { outcome: cancelled(noSip), next: false };
    invitation = invite({
      ...options,
      ...inviteTo(trunk, options, options.country),
      ...credentialsOf(trunk),
      offer: offerWith(endpoint.localSdp, trunk.codecs),
      channel: endpoint.channel,
    });
    const invited = await invitation.outcome;
    const { sip } = invited;
    if (!invited.answered) {
      if (broken !== null) return { outcome: { ...broken, sip }, next: false };
      if (given.signal.aborted) return { outcome: cancelled(sip), next: false };
      if (invited.retryAfterMs > 0) limits.rest(trunk, invited.retryAfterMs);
      const cause = causeOf(invited.failed);
      return { outcome: { answered: false, cause, sip }, next: goesOn(invited.failed) };
    }
    const { dialog, farEnd, remoteSdp, weRefresh } = invited;
    const leave = (): void => backgroundTasks.add('BYE', () => hangUp(invited));
    // An answer that crosses a CANCEL is a call that stands, and that nobody wants any more.
    const isUnwanted = (): boolean => given.signal.aborted;
    try {
      if (!isUnwanted()) {
        const taking = onTerms(endpoint, trunk).takeAnswer(remoteSdp);
        await within(options.clock, answerMs, 'Taking the answer in', taking);
      }
    } catch (error) {
      logger.warn({ trunk: trunk.name, err: error }, 'the answer of the far end could not be taken');
      leave();
      return { outcome: { answered: false, cause: 'media_error', sip }, next: false };
    }
    if (isUnwanted()) {
      leave();
      return { outcome: cancelled(sip), next: false };
    }
    const connection = {
      dialog,
      farEnd,
      endpoint: leavingWith(onTerms(endpoint, trunk), place.leave),
      weRefresh,
      sip,
    };
    return { outcome: { answered: true, connection }, next: false };
  };

  const tryAll = async (): Promise<Outcome> => {
    const trunks = await options.trunks();
    let last = trunkError({ ...noSip, reason: 'There is no enabled trunk for this number' });
    for (const [index, trunk] of trunks.entries()) {
      const entered = await limits.enter(trunk, index === trunks.length - 1, given.signal);
      if ('full' in entered) {
        last = trunkError({ ...noSip, reason: entered.full });
        logger.warn({ trunk: trunk.name }, entered.full);
        continue;
      }
      const { place } = entered;
      let tried: Tried | null = null;
      try {
        tried = await tryTrunk(trunk, place);
      } finally {
        // Otherwise the call keeps its channel until its endpoint is destroyed.
        if (tried?.outcome.answered !== true) place.leave();
      }
      const { outcome, next } = tried;
      if (outcome.answered || !next) return outcome;
      last = outcome;
      logger.warn({ trunk: trunk.name, sip_status: outcome.sip.status }, 'a trunk failed a call');
    }
    return given.signal.aborted ? cancelled(last.sip) : last;
  };

  const run = async (): Promise<Outcome> => {
    let outcome: Outcome;
    try {
      outcome = await tryAll();
    } catch (error) {
      logger.error({ err: error }, 'no trunk could be chosen for a call');
      outcome = trunkError({ ...noSip, reason: 'No trunk could be chosen' });
    }
    if (!outcome.answered) letGo();
    return outcome;
  };

  return {
    outcome: run(),
    sip: () => invitation?.sip() ?? noSip,
    cancel() {
      given.abort();
      invitation?.cancel();
    },
    lose() {
      given.abort();
      breakOff('trunk_error', 'The connection to drachtio-server was lost');
    },
  };
};
