/**
 * Screens an INVITE of a known trunk before any data is stored: the rules of SIP, its media, and its caller and callee.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { CallerIdentity } from '#src/domain/caller-identity.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import { takenHeaders, type SipHeaders } from '#src/domain/sip-headers.ts';
import type { Trunk } from '#src/domain/trunk.ts';
import { calledParty } from '../parties/called-party.ts';
import { callingName, callingParty } from '../parties/calling-party.ts';
import { diversionsIn } from '../parties/diversions.ts';
import { offerProblem } from '#sip/sdp/media-offer.ts';
import type { Carriers } from '../carriers.ts';
import type { TrunkCheck } from './check-trunk.ts';
import { createMergedRequests, requestProblem } from './header-inspection.ts';
import { bodyProblem, descriptionIn } from './dialog/message-body.ts';
import {
  intervalTooSmall,
  notAcceptable,
  refusals,
  verdictRefusals,
  type InviteRefusal,
} from './dialog/refusals.ts';
import { isTooSmall, type SessionTimes } from './dialog/session-timer.ts';

/** Caller and candidate called numbers in domestic format, the likeliest candidate first. */
export type Parties = {
  from: string;
  numbers: readonly string[];
  identity: CallerIdentity;
  sipHeaders: SipHeaders | null;
};

export const createScreening = (options: {
  carriers: Pick<Carriers, 'problem' | 'termsFor'>;
  trunkCheck: Pick<TrunkCheck, 'isOwnCall'>;
  country: Country;
  sessionTimes: SessionTimes;
  clock: Clock;
  logger: Logger;
}) => {
  const { carriers, trunkCheck, country, sessionTimes, clock, logger } = options;
  const mergedRequests = createMergedRequests(() => clock.now());

  const offerRefusal = (request: Srf.SrfRequest, trunk: Trunk): InviteRefusal | undefined => {
    const unsupported = bodyProblem(request);
    if (unsupported !== undefined) return unsupported;
    const offer = descriptionIn(request);
    const problem = offer === undefined ? undefined : offerProblem(offer, carriers.termsFor(trunk));
    if (problem === undefined) return undefined;
    logger.info(
      { trunk: trunk.name, problem: problem.why },
      'rejected an inbound call: its offer was unacceptable',
    );
    return notAcceptable(problem);
  };

  /** Resolves to the refusal, or to the parties of the call. */
  return (
    { request, response }: { request: Srf.SrfRequest; response: Srf.SrfResponse },
    trunk: Trunk,
  ): { refusal: InviteRefusal } | { parties: Parties } => {
    if (mergedRequests.isMerged({ request, response })) return { refusal: refusals.merged };
    const problem = requestProblem(request);
    if (problem !== undefined) return { refusal: problem };
    const obstacle = carriers.problem(trunk);
    if (obstacle !== null)
      return { refusal: obstacle.isLasting ? notAcceptable(obstacle.sentence) : refusals.unavailable };
    const { numbers, bare } = calledParty(request, country);
    if (numbers.length === 0) return { refusal: verdictRefusals.unknown_number };
    const from = callingParty(request, country, bare);
    if (numbers.some((to) => trunkCheck.isOwnCall({ from, to })))
      return { refusal: verdictRefusals.concurrency_limit };
    if (trunk.drained) return { refusal: verdictRefusals.draining };
    const refusal = offerRefusal(request, trunk);
    if (refusal !== undefined) return { refusal };
    if (isTooSmall(request, sessionTimes)) return { refusal: intervalTooSmall(sessionTimes) };
    const identity = {
      name: callingName(request, country),
      diversions: diversionsIn(request, country, bare),
    };
    const valueOf = (name: string) => (request.has(name) ? request.get(name) : undefined);
    const sipHeaders = takenHeaders(valueOf, trunk.headersIn);
    return { parties: { from, numbers, identity, sipHeaders } };
  };
};
