/**
 * Agreement with the far end about the sound of a call (RFC 3264). A media server would take nearly everything, and
 * answer what it cannot have with an audio of port 0: a call that stands and is dumb. So it is decided here, and a
 * carrier is given one audio alone; an answer has all the media of its offer.
 */
import {
  takeOffer,
  withOneVoice,
  type AudioTerms,
  type OfferProblem,
  type TakenOffer,
} from '../../trunks/media-offer.ts';
import type { MediaEndpoint } from '../../media/media-endpoint.ts';
import { following } from '../../media/moving-endpoint.ts';

/** The other side's description cannot be taken; the message says why, and may be told to the other side. */
export class Unacceptable extends Error {
  readonly problem: OfferProblem;
  constructor(problem: OfferProblem) {
    super(problem.why);
    this.problem = problem;
  }
}

/** For people to read, with the code of the reason (RFC 3261 section 20.43); 399 is any other one. */
export const warningOf = ({ warning, why }: OfferProblem): Record<string, string> => ({
  Warning: `${warning} trunkline "${why}"`,
});

/** Throws `Unacceptable`. */
const requireTaken = (sdp: string, terms: AudioTerms): TakenOffer => {
  const taken = takeOffer(sdp, terms);
  if ('why' in taken) throw new Unacceptable(taken);
  return taken;
};

/** The far end's description as its carrier is to see it. Throws `Unacceptable`. */
export const accepted = (sdp: string, terms: AudioTerms): TakenOffer => {
  const taken = requireTaken(sdp, terms);
  return { ...taken, sdp: withOneVoice(taken.sdp, terms) };
};

/** The same endpoint, which rejects with `Unacceptable` what cannot be agreed on these terms, and stays as it was. */
export const onTerms = (endpoint: MediaEndpoint, terms: AudioTerms): MediaEndpoint => {
  let described = endpoint.localSdp;
  const answerTo = async (offer: string, answer: (sdp: string) => Promise<string>): Promise<string> => {
    const { sdp, answerWith } = accepted(offer, terms);
    const own = await answer(sdp);
    requireTaken(own, terms);
    // The media that are refused belong to the description, which has another version where they change.
    described = following(described, answerWith(own));
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
