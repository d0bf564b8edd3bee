/**
 * Carriers of call audio, chosen by the trunk: a media server, or this process itself. With `auto`, this process
 * carries a call unless it needs a feature of the media server, either from the caller's offer on or later in the call.
 */
import { isIPv6 } from 'node:net';
import { isWide, type Trunk } from '#src/domain/trunk.ts';
import { createDirectEndpoint, type DirectOptions } from '../../media/direct/direct-endpoint.ts';
import { NothingInCommon, type Encryption } from '../../media/direct/negotiation.ts';
import type { MediaEndpoint } from '../../media/media-endpoint.ts';
import { createMovingEndpoint } from '../../media/moving-endpoint.ts';
import type { AudioTerms } from '../../trunks/media-offer.ts';
import { isSecret, withoutKeys } from '../../trunks/sdes.ts';
import { families, type Family } from '../../trunks/session-description.ts';
import type { MediaServers } from './media-servers.ts';

export type MediaTerms = Pick<Trunk, 'srtp' | 'media' | 'codecs'> & Encryption;

export type Carrier = 'media server' | 'this process';

/** Why calls cannot be carried, in plain sentences. `isLasting`: only a change of the settings helps. */
export type CarryingProblem = { sentence: string; isLasting: boolean };

export type Carriers = {
  /** Codecs, encryption and address families allowed in session descriptions on this trunk. */
  termsFor(trunk: Pick<Trunk, 'srtp' | 'media' | 'codecs'>): AudioTerms;
  /** The carrier of a call on these terms. */
  carrierFor(terms: MediaTerms): Carrier;
  /** Why no call on these terms can be carried; `null` if one can. */
  problem(terms: MediaTerms): CarryingProblem | null;
  /**
   * With the caller's offer, or without one to make an offer; on the media server named `preferred` if possible.
   * Rejects after a few seconds at the latest.
   */
  createEndpoint(
    offer: string | undefined,
    terms: MediaTerms,
    preferred?: string | null,
  ): Promise<MediaEndpoint>;
};

/**
 * A media server either encrypts a call or not: with optional encryption the offer decides once for the call, and our
 * own offer is unencrypted.
 */
const createOnServer = async (
  offer: string | undefined,
  { srtp }: MediaTerms,
  mediaServers: Pick<MediaServers, 'createEndpoint'>,
  preferred: string | null = null,
): Promise<MediaEndpoint> => {
  if (srtp !== 'optional') return mediaServers.createEndpoint(offer, srtp, preferred);
  const secret = offer !== undefined && isSecret(offer);
  const plain = (sdp: string): string => (secret ? sdp : withoutKeys(sdp));
  const asBegun = (sdp: string): string => {
    if (isSecret(sdp) !== secret) throw new Error('FreeSWITCH does not change encryption within a call');
    return plain(sdp);
  };
  const endpoint = await mediaServers.createEndpoint(
    offer && plain(offer),
    secret ? 'required' : 'off',
    preferred,
  );
  return {
    ...endpoint,
    modify: async (remoteSdp) => endpoint.modify(asBegun(remoteSdp)),
    answerEarly: async (remoteSdp) => endpoint.answerEarly(asBegun(remoteSdp)),
    takeAnswer: async (remoteSdp) => endpoint.takeAnswer(asBegun(remoteSdp)),
  };
};

/**
 * Creates an endpoint in this process, and moves to a media server when the far end requires features that this process
 * lacks.
 */
const createHereOrThere = async (
  offer: string | undefined,
  terms: MediaTerms,
  { mediaServers, direct }: { mediaServers: Pick<MediaServers, 'createEndpoint'>; direct: DirectOptions },
): Promise<MediaEndpoint> => {
  const createThere = (refused: string): Promise<MediaEndpoint> =>
    createOnServer(refused, terms, mediaServers);
  try {
    return createMovingEndpoint(await createDirectEndpoint(offer, terms, direct), createThere);
  } catch (error) {
    if (offer === undefined || !(error instanceof NothingInCommon)) throw error;
    return createThere(offer);
  }
};

export const createCarriers = (
  mediaServers: Pick<MediaServers, 'createEndpoint' | 'problem' | 'areThere'>,
  direct: DirectOptions,
): Carriers => {
  /** With these codecs an offer of this process would differ from the one that the trunk requires. */
  const isForServers = ({ media, codecs }: MediaTerms): boolean =>
    media === 'auto' && mediaServers.areThere && codecs?.some(isWide) === true;

  const carrierFor = (terms: MediaTerms): Carrier =>
    terms.media === 'freeswitch' || isForServers(terms) ? 'media server' : 'this process';

  const problem = (terms: MediaTerms): CarryingProblem | null => {
    if (carrierFor(terms) === 'this process') return null;
    const sentence = mediaServers.problem();
    return sentence === null ? null : { sentence, isLasting: !mediaServers.areThere };
  };

  /** FreeSWITCH is configured only for IPv4 (config/README.md, "Several FreeSWITCHes, or none"). */
  const familiesOf = (terms: MediaTerms): readonly Family[] => {
    const own = isIPv6(direct.address) ? 'IP6' : 'IP4';
    if (carrierFor(terms) === 'media server') return ['IP4'];
    const canMove = terms.media === 'auto' && mediaServers.areThere;
    return families.filter((family) => family === own || (canMove && family === 'IP4'));
  };

  return {
    termsFor: ({ codecs, srtp, media }) => ({
      codecs,
      srtp,
      families: familiesOf({ codecs, srtp, media }),
    }),
    carrierFor,
    problem,
    async createEndpoint(offer, terms, preferred) {
      const lasting = problem(terms);
      if (lasting?.isLasting === true) throw new Error(lasting.sentence);
      if (carrierFor(terms) === 'media server') return createOnServer(offer, terms, mediaServers, preferred);
      return terms.media === 'auto' && mediaServers.areThere
        ? createHereOrThere(offer, terms, { mediaServers, direct })
        : createDirectEndpoint(offer, terms, direct);
    },
  };
};

/**
 * Health of the carriers of these trunks. `isDown`: calls that could normally be carried are currently refused; a trunk
 * whose calls can never be carried does not affect the others.
 */
export const carryingHealth = (
  trunks: readonly Trunk[],
  {
    carriers,
    mediaServers,
  }: {
    carriers: Pick<Carriers, 'problem' | 'carrierFor'>;
    mediaServers: Pick<MediaServers, 'problem' | 'warning' | 'areThere'>;
  },
): { isDown: boolean; sentence: string } | null => {
  if (!mediaServers.areThere) {
    const refused = trunks.filter((trunk) => carriers.problem(trunk) !== null).length;
    const sentence = `${refused} of ${trunks.length} trunks ask for FreeSWITCH (media), which this gateway does not have: their calls are refused.`;
    return refused === 0 ? null : { isDown: false, sentence };
  }
  const sentence = mediaServers.problem();
  if (sentence !== null) {
    const isNeeded =
      trunks.length === 0 || trunks.some((trunk) => carriers.carrierFor(trunk) === 'media server');
    return { isDown: isNeeded, sentence };
  }
  const warning = mediaServers.warning();
  return warning === null ? null : { isDown: false, sentence: warning };
};
