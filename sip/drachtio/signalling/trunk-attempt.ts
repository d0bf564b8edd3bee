/** An attempt at a call through one trunk: sends the offer of its endpoint and applies the answer. */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { SipDetails } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import { mayDial, type Destinations } from '#src/domain/destinations.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { SipHeaders } from '#src/domain/sip-headers.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { inviteTo, placeAt, type Place } from '../../trunks/addressing.ts';
import type { ChosenTrunk } from '../../trunks/choose.ts';
import { createCourse } from '../../trunks/course.ts';
import { causeOf, goesOn, isTrunksFault } from '../../trunks/failover.ts';
import type { Permit } from '../../trunks/limits.ts';
import { offerWith } from '../../trunks/media-offer.ts';
import { redirectionsIn, type Redirection } from '../../trunks/redirects.ts';
import type { SharedLimits } from '../../trunks/shared-limits.ts';
import type { TrunkRests } from '../../trunks/rests.ts';
import { within, type BackgroundTasks } from '../background-tasks.ts';
import { releasingWith, type MediaEndpoint } from '../../media/media-endpoint.ts';
import { allowedBy, hangUp, noSip, type Outcome } from './attempt.ts';
import type { TrackedLeg } from './leg-tracker.ts';
import { invite, type Invitation, type Invited } from './invite.ts';
import { onTerms } from './negotiate.ts';
import type { OfferingEndpoint } from './offering-endpoint.ts';
import type { SessionTimes } from './session-timer.ts';

/** Timeout for the media server to apply an answer. */
const answerMs = 5_000;

export type Unanswered = Extract<Outcome, { answered: false }>;

export const unanswered = (cause: Unanswered['cause'], sip: SipDetails): Unanswered => ({
  answered: false,
  cause,
  sip,
});

/** Options that are the same for every trunk. */
export type CallOptions = {
  callId: string;
  /** Domestic format. */
  from: string;
  to: string;
  /** Additional headers of the INVITE, besides those that identify the caller. */
  sipHeaders: SipHeaders;
  country: Country;
  /** Allowed destinations of the call, checked when a trunk redirects it. */
  destinations: () => Promise<readonly Destinations[]>;
  limits: Pick<SharedLimits, 'acquire' | 'count'>;
  rests: TrunkRests;
  /** Time after which a trunk without any response is given up. */
  silenceMs: number;
  sessionTimes: SessionTimes;
  srf: Srf;
  trackLeg: () => TrackedLeg;
  onRinging: () => void;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

/** `next`: the trunk caused the failure, so another one may succeed. */
export type Tried = { outcome: Outcome; next: boolean };

const final = (outcome: Outcome): Tried => ({ outcome, next: false });

/** The call as shared by its attempts. */
type Call = {
  /** Aborted when the call is no longer wanted. */
  signal: AbortSignal;
  offering: OfferingEndpoint;
  /** Why the call must fail regardless of the trunk; `null` while it can succeed. */
  broken: () => Unanswered | null;
  onInvitation: (invitation: Invitation) => void;
};

/** Applies the description of the answer. */
const connect = async (
  invited: Extract<Invited, { answered: true }>,
  agreed: MediaEndpoint,
  { trunk, permit }: { trunk: Trunk; permit: Permit },
  { signal, clock, backgroundTasks, logger }: CallOptions & Call,
): Promise<Outcome> => {
  const { dialog, trackedLeg, remoteSdp, weRefresh, takesInfo, sip } = invited;
  const leave = (outcome: Outcome): Outcome => {
    backgroundTasks.add('BYE', () => hangUp(invited));
    return outcome;
  };
  try {
    // An answer that crosses a CANCEL establishes a call that is no longer wanted.
    if (!signal.aborted) await within(clock, answerMs, 'Taking the answer in', agreed.takeAnswer(remoteSdp));
  } catch (error) {
    logger.warn({ trunk: trunk.name, err: error }, 'the answer of the far end could not be taken');
    return leave(unanswered('media_error', sip));
  }
  if (signal.aborted) return leave(unanswered('cancelled', sip));
  return {
    answered: true,
    connection: {
      trunk,
      dialog,
      trackedLeg,
      endpoint: releasingWith(agreed, permit.release),
      weRefresh,
      takesInfo,
      sip,
    },
  };
};

/** One trunk's attempt at the call, shared by all addresses of the trunk. */
type TrunkCall = ChosenTrunk & { permit: Permit; endpoint: MediaEndpoint; call: CallOptions & Call };

/** `contacts`: redirect targets. */
type TriedPlace = Tried & { contacts: string | null };

const inviteThere = async (
  place: Place,
  { trunk, permit, endpoint, call }: TrunkCall,
): Promise<TriedPlace> => {
  const { signal, rests, country } = call;
  const over = (outcome: Outcome): TriedPlace => ({ ...final(outcome), contacts: null });
  if (signal.aborted) return over(unanswered('cancelled', noSip));
  const { headers, ...address } = inviteTo(trunk, place, call.from, country);
  const agreed = onTerms(endpoint, call.offering.termsFor(trunk));
  const invitation = invite({
    ...call,
    ...address,
    headers: { Allow: allowedBy(trunk), ...call.sipHeaders, ...headers },
    offer: offerWith(endpoint.localSdp, trunk),
    endpoint: agreed,
    trunkId: trunk.id,
    channel: endpoint.channel(),
  });
  call.onInvitation(invitation);
  const invited = await invitation.outcome;
  if (invited.answered) return over(await connect(invited, agreed, { trunk, permit }, call));
  const { sip, failed, contacts, retryAfterMs } = invited;
  const broken = call.broken();
  if (broken !== null) return over({ ...broken, sip });
  if (signal.aborted) return over(unanswered('cancelled', sip));
  const { failoverStatuses } = trunk;
  // With any other status `Retry-After` concerns the callee.
  if (retryAfterMs > 0 && place.key !== null && isTrunksFault(failed, failoverStatuses))
    rests.begin(place.key, retryAfterMs);
  return { outcome: unanswered(causeOf(failed), sip), next: goesOn(failed, failoverStatuses), contacts };
};

/** The call counts at the trunk's address for its whole duration. */
const callAt = async (place: Place, trunkCall: TrunkCall): Promise<TriedPlace> => {
  if (place.key === null) return inviteThere(place, trunkCall);
  const there = trunkCall.call.limits.count(place.key);
  const release = (): void => {
    there.release();
    trunkCall.permit.release();
  };
  let tried: TriedPlace | null = null;
  try {
    tried = await inviteThere(place, { ...trunkCall, permit: { release } });
  } finally {
    if (tried?.outcome.answered !== true) there.release();
  }
  return tried;
};

/** The allowed redirect targets: a trunk must not redirect a call to arbitrary numbers. */
const allowedRedirections = async (
  contacts: string,
  { trunk, call: { country, destinations } }: TrunkCall,
): Promise<Redirection[]> => {
  const wanted = redirectionsIn(contacts, trunk, country);
  if (wanted.length === 0) return [];
  const policy = { destinations: await destinations() };
  return wanted.filter(({ number }) => mayDial(policy, number, country));
};

/** Tries one address after another, as long as an address fails the call or the trunk redirects it. */
const callEverywhere = async (trunkCall: TrunkCall): Promise<Tried> => {
  const { trunk, addresses, call } = trunkCall;
  const { country, logger } = call;
  const course = createCourse(addresses.map((address) => placeAt(trunk, address, call.to, country)));
  let tried: Tried = final(unanswered('trunk_error', noSip));
  for (let place = course.next(); place !== undefined; place = course.next()) {
    const { contacts, ...here } = await callAt(place, trunkCall);
    tried = here;
    const isSentOn = contacts !== null && course.redirect(await allowedRedirections(contacts, trunkCall));
    if (contacts !== null)
      logger.info({ trunk: trunk.name }, `a redirect of a trunk is ${isSentOn ? '' : 'not '}followed`);
    if (!isSentOn && !tried.next) return tried;
  }
  return tried;
};

const callThrough = async (route: ChosenTrunk, permit: Permit, call: CallOptions & Call): Promise<Tried> => {
  const { signal, logger } = call;
  if (signal.aborted) return final(unanswered('cancelled', noSip));
  const obstacle = call.offering.problem(route.trunk);
  // Another trunk may have lower requirements.
  if (obstacle !== null)
    return { outcome: unanswered('media_error', { ...noSip, reason: obstacle }), next: true };
  let endpoint: MediaEndpoint;
  try {
    endpoint = await call.offering.endpointFor(route.trunk);
  } catch (error) {
    logger.warn({ err: error }, 'no endpoint for an outbound call');
    return final(unanswered('media_error', noSip));
  }
  return callEverywhere({ ...route, permit, endpoint, call });
};

/** `isLast`: there is no other trunk, so the call waits for a channel. */
export const tryTrunk = async (
  route: ChosenTrunk,
  isLast: boolean,
  call: CallOptions & Call,
): Promise<Tried> => {
  const { trunk } = route;
  const { limits, logger } = call;
  const acquired = await limits.acquire(trunk, isLast, call);
  if ('full' in acquired) {
    logger.warn({ trunk: trunk.name }, acquired.full);
    return { outcome: unanswered('trunk_error', { ...noSip, reason: acquired.full }), next: true };
  }
  const { permit } = acquired;
  let tried: Tried | null = null;
  try {
    tried = await callThrough(route, permit, call);
  } finally {
    // Otherwise the call keeps its channel until its endpoint is destroyed.
    if (tried?.outcome.answered !== true) permit.release();
  }
  const { outcome, next } = tried;
  if (!outcome.answered && next)
    logger.warn({ trunk: trunk.name, sip_status: outcome.sip.status }, 'a trunk failed a call');
  return tried;
};
