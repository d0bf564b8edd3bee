/**
 * Negotiates the audio of a call with the far end (RFC 3264). A media server would accept nearly everything, and answer
 * unsupported offers with an audio stream on port 0, which results in an established call without audio. Therefore this
 * module decides, and passes only one audio stream to a carrier. The answer contains all media of its offer.
 */
import {
  takeOffer,
  withBothDirections,
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

/**
 * Returns the header Warning with the code of the reason (RFC 3261 section 20.43). Miscellaneous reasons have the code
 * 399.
 */
export const warningOf = ({ warning, why }: OfferProblem): Record<string, string> => ({
  Warning: `${warning} trunkline "${why}"`,
});

/** Checks a description. Throws `Unacceptable` if it is not acceptable. */
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
 * Converts the error of an offer that the carrier does not support. The carrier was chosen when the call was set up, so
 * the offer is rejected.
 */
const asUnacceptable = (error: unknown): unknown =>
  error instanceof UnsupportedDescription
    ? new Unacceptable({ warning: 399, why: 'The media carrier of this call does not support the offer' })
    : error;

/** The endpoint of a session with the far end, which numbers the versions of our descriptions. */
export type SessionEndpoint = MediaEndpoint & {
  /**
   * Returns our offer to a far end that requests one within the call (RFC 3261 section 14.2): our last description with
   * audio in both directions, because a far end may end its hold this way. Its answer decides whether the hold ends.
   */
  nextOffer(last: string): string;
};

/**
 * Wraps the endpoint, whose `localSdp` is the description that the far end receives or has received. Descriptions that
 * the terms do not allow or that the carrier does not support reject with `Unacceptable`, and the session remains
 * unchanged.
 */
export const onTerms = (endpoint: MediaEndpoint, terms: AudioTerms): SessionEndpoint => {
  let described = endpoint.localSdp;
  const answerTo = async (offer: string, answer: (sdp: string) => Promise<string>): Promise<string> => {
    const { sdp, answerWith } = accepted(offer, terms);
    const own = await answer(sdp).catch((error: unknown) => {
      throw asUnacceptable(error);
    });
    requireTaken(own, terms);
    // A change of the rejected media increases the version of our description, because these media are a part of it.
    described = successorOf(described, answerWith(own));
    return described;
  };
  return {
    ...endpoint,
    modify: (remoteSdp) => answerTo(remoteSdp, endpoint.modify),
    answerEarly: (remoteSdp) => answerTo(remoteSdp, endpoint.answerEarly),
    nextOffer(last) {
      described = successorOf(described, withBothDirections(last));
      return described;
    },
    async takeAnswer(remoteSdp) {
      await endpoint.takeAnswer(accepted(remoteSdp, terms).sdp);
    },
  };
};
