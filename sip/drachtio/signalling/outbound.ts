/**
 * Places a call: an endpoint makes the offer, the INVITE is sent to the trunk, and the answer is passed to the
 * endpoint. When a trunk fails or has no free channel, the next one gets the same offer.
 */
import { whyNoRoute, type Choice } from '../../trunks/choose.ts';
import type { Carriers } from '../media/carriers.ts';
import { noSip, type Attempt, type Outcome } from './attempt.ts';
import type { Invitation } from './invite.ts';
import { createOfferingEndpoint } from './offering-endpoint.ts';
import { createRoute } from './call-route.ts';
import { tryTrunk, unanswered, type CallOptions, type Unanswered } from './trunk-attempt.ts';

export const dial = (
  options: CallOptions & {
    choose: () => Promise<Choice>;
    carriers: Carriers;
    /** See `createOfferingEndpoint`. */
    preferredServer: string | null;
  },
): Attempt => {
  const { backgroundTasks, logger } = options;
  const given = new AbortController();
  let invitation: Invitation | null = null;
  let broken: Unanswered | null = null;
  const route = createRoute();

  const breakOff = (cause: Unanswered['cause'], reason: string): void => {
    broken ??= unanswered(cause, { ...noSip, reason });
    invitation?.giveUp(reason);
  };

  const offering = createOfferingEndpoint({
    carriers: options.carriers,
    preferredServer: options.preferredServer,
    onLost: () => breakOff('media_error', 'The media server is gone'),
    backgroundTasks,
  });

  const call = {
    ...options,
    signal: given.signal,
    offering,
    broken: () => broken,
    onInvitation(sent: Invitation) {
      invitation = sent;
      route.goes(sent.way);
    },
  };

  const tryAll = async (): Promise<Outcome> => {
    const { routes, leftOut } = await options.choose();
    const reason = whyNoRoute(leftOut, options.rests.secondsUntil);
    let last = unanswered('trunk_error', { ...noSip, reason });
    for (const [index, chosen] of routes.entries()) {
      route.tries(chosen.trunk);
      const { outcome, next } = await tryTrunk(chosen, index === routes.length - 1, call);
      if (outcome.answered || !next) return outcome;
      last = outcome;
    }
    return given.signal.aborted ? unanswered('cancelled', last.sip) : last;
  };

  const run = async (): Promise<Outcome> => {
    let outcome: Outcome;
    try {
      outcome = await tryAll();
    } catch (error) {
      logger.error({ err: error }, 'no trunk could be chosen for a call');
      outcome = unanswered('trunk_error', { ...noSip, reason: 'No trunk could be chosen' });
    }
    if (!outcome.answered) offering.release();
    return outcome;
  };

  return {
    outcome: run(),
    sip: () => invitation?.sip() ?? noSip,
    route: route.route,
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
