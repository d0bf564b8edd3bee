/**
 * Agreement with the far end about the sound of a call (RFC 3264). A media server would take nearly everything, and
 * answer what it cannot have with an audio of port 0: a call that stands and is dumb. So it is decided here.
 */
import { usualCodecs, type Trunk } from '#src/domain/trunk.ts';
import { offerProblem, withOneVoice } from '../../trunks/media-offer.ts';
import type { MediaEndpoint } from '../../media/media-endpoint.ts';

/** The other side's description cannot be taken; the message says why, and may be told to the other side. */
export class Unacceptable extends Error {}

/** 399 is for people to read (RFC 3261 section 20.43). */
export const warningOf = (why: string): Record<string, string> => ({ Warning: `399 trunkline "${why}"` });

type Terms = Pick<Trunk, 'codecs' | 'srtp'>;

/** Throws `Unacceptable`. */
const requireTaken = (sdp: string, terms: Terms): void => {
  const problem = offerProblem(sdp, terms.codecs ?? usualCodecs, terms.srtp);
  if (problem !== undefined) throw new Unacceptable(problem);
};

/** The far end's description as the media server is to see it. Throws `Unacceptable`. */
export const accepted = (sdp: string, terms: Terms): string => {
  requireTaken(sdp, terms);
  return withOneVoice(sdp, terms);
};

/** The same endpoint, which rejects with `Unacceptable` what cannot be agreed on these terms, and stays as it was. */
export const onTerms = (endpoint: MediaEndpoint, terms: Terms): MediaEndpoint => ({
  ...endpoint,
  async modify(remoteSdp) {
    const answer = await endpoint.modify(accepted(remoteSdp, terms));
    requireTaken(answer, terms);
    return answer;
  },
  async takeAnswer(remoteSdp) {
    await endpoint.takeAnswer(accepted(remoteSdp, terms));
  },
});
