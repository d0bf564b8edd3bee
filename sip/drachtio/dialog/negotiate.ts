/**
 * Negotiates the audio of a call with the far end (RFC 3264). A media server would accept nearly everything, and answer
 * unsupported offers with an audio stream on port 0, which results in an established call without audio. Therefore this
 * module decides, and passes only one audio stream to a carrier. The answer contains all media of its offer.
 */
import {
  takeOffer,
  withOneVoice,
  type AudioTerms,
  type OfferProblem,
  type TakenOffer,
} from '#sip/sdp/media-offer.ts';
import { UnsupportedDescription, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { successorOf } from '#sip/sdp/session-description.ts';

/** Thrown for an unacceptable description of the far end. The message is a reason that may be sent to the far end. */
export class Unacceptable extends Error {
  readonly problem: OfferProblem;
  constructor(problem: OfferProblem) {
    super(problem.why);
    this.problem = problem;
  }
}

/** Warning for the far end with the code of the reason (RFC 3261 section 20.43); 399 for miscellaneous reasons. */
export const warningOf = ({ warning, why }: OfferProblem): Record<string, string> => ({
  Warning: `${warning} trunkline "${why}"`,
});

/** Checks a description. Throws `Unacceptable`. */
const requireTaken = (sdp: string, terms: AudioTerms): TakenOffer => {
  const taken = takeOffer(sdp, terms);
  if ('why' in taken) throw new Unacceptable(taken);
  return taken;
};

/** Returns the far end's description for the carrier. Throws `Unacceptable`. */
export const accepted = (sdp: string, terms: AudioTerms): TakenOffer => {
  const taken = requireTaken(sdp, terms);
  return { ...taken, sdp: withOneVoice(taken.sdp, terms) };
};

/**
 * Rejects an offer that the carrier of the call does not support: the carrier was decided at the set-up of the call.
 */
const asUnacceptable = (error: unknown): unknown =>
  error instanceof UnsupportedDescription
    ? new Unacceptable({ warning: 399, why: 'The media carrier of this call does not support the offer' })
    : error;

/**
 * Wraps the endpoint: descriptions that the terms do not allow or the carrier does not support reject with
 * `Unacceptable`, and the session stays as it was.
 */
export const onTerms = (endpoint: MediaEndpoint, terms: AudioTerms): MediaEndpoint => {
  let described = endpoint.localSdp;
  const answerTo = async (offer: string, answer: (sdp: string) => Promise<string>): Promise<string> => {
    const { sdp, answerWith } = accepted(offer, terms);
    const own = await answer(sdp).catch((error: unknown) => {
      throw asUnacceptable(error);
    });
    requireTaken(own, terms);
    // The version of our description increases when the rejected media change, because they are part of it.
    described = successorOf(described, answerWith(own));
    return described;
  };
  return {
    ...endpoint,
    modify: (remoteSdp) => answerTo(remoteSdp, endpoint.modify),
    answerEarly: (remoteSdp) => answerTo(remoteSdp, endpoint.answerEarly),
    async takeAnswer(remoteSdp) {
      await endpoint.takeAnswer(accepted(remoteSdp, terms).sdp);
    },
  };
};
