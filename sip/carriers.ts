/**
 * Carriers of call audio, chosen by the trunk: a media server, or this process itself. With `auto`, this process
 * carries a call unless the call's codecs or the caller's offer need a media server. A call keeps the carrier with
 * which it was set up.
 */
import { isIPv6 } from 'node:net';
import { isWide, type Trunk } from '#src/domain/trunk.ts';
import { createDirectEndpoint, type DirectOptions } from '#sip/rtp/direct-endpoint.ts';
import type { Encryption } from '#sip/rtp/negotiation.ts';
import { UnsupportedDescription, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { audioIn, type AudioTerms } from '#sip/sdp/media-offer.ts';
import { isSecret, withoutKeys } from '#sip/sdp/sdes.ts';
import { families, type Family } from '#sip/sdp/session-description.ts';
import type { MediaServers } from './freeswitch/media-servers.ts';

export type MediaTerms = Pick<Trunk, 'srtp' | 'media' | 'codecs'> & Encryption;

export type Carrier = 'media server' | 'this process';

/** Reason why calls cannot be carried, as a plain sentence. `isLasting`: only a change of the settings helps. */
export type CarryingProblem = { sentence: string; isLasting: boolean };

export type Carriers = {
  /** Codecs, encryption and address families allowed in session descriptions on this trunk. */
  termsFor(trunk: Pick<Trunk, 'srtp' | 'media' | 'codecs'>): AudioTerms;
  /** Returns the carrier of a call on these terms. */
  carrierFor(terms: MediaTerms): Carrier;
  /** Returns why no call on these terms can be carried; `null` if a call can be carried. */
  problem(terms: MediaTerms): CarryingProblem | null;
  /**
   * Creates an endpoint for the caller's offer, or an endpoint that makes an offer. The endpoint is on the media server
   * named `preferred` if possible. Rejects after a few seconds at the latest.
   */
  createEndpoint(
    offer: string | undefined,
    terms: MediaTerms,
    preferred?: string | null,
  ): Promise<MediaEndpoint>;
};

/**
 * Creates an endpoint on a media server. A media server has only IPv4 (config/README.md, "Several FreeSWITCHes, or
 * none"), and either encrypts a call or does not. With optional encryption, the caller's offer decides once for the
 * call, and the gateway's own offer is unencrypted.
 */
const createOnServer = async (
  offer: string | undefined,
  { srtp }: MediaTerms,
  mediaServers: Pick<MediaServers, 'createEndpoint'>,
  preferred: string | null = null,
): Promise<MediaEndpoint> => {
  const secret = srtp === 'required' || (srtp === 'optional' && offer !== undefined && isSecret(offer));
  const given = (sdp: string): string => (srtp === 'optional' && !secret ? withoutKeys(sdp) : sdp);
  const asBegun = (sdp: string): string => {
    if (srtp === 'optional' && isSecret(sdp) !== secret)
      throw new UnsupportedDescription('FreeSWITCH does not change encryption within a call');
    if (isIPv6(audioIn(sdp)?.address ?? ''))
      throw new UnsupportedDescription('FreeSWITCH is configured for IPv4 only');
    return given(sdp);
  };
  const endpoint = await mediaServers.createEndpoint(
    offer && given(offer),
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

export const createCarriers = (
  mediaServers: Pick<MediaServers, 'createEndpoint' | 'refusal' | 'areThere'>,
  direct: DirectOptions,
): Carriers => {
  /**
   * Whether only a media server can carry the call. With these codecs, an offer of this process would differ from the
   * offer that the trunk requires.
   */
  const isForServers = ({ media, codecs }: MediaTerms): boolean =>
    media === 'auto' && mediaServers.areThere && codecs?.some(isWide) === true;

  const carrierFor = (terms: MediaTerms): Carrier =>
    terms.media === 'freeswitch' || isForServers(terms) ? 'media server' : 'this process';

  const problem = (terms: MediaTerms): CarryingProblem | null => {
    if (carrierFor(terms) === 'this process') return null;
    const sentence = mediaServers.refusal();
    return sentence === null ? null : { sentence, isLasting: !mediaServers.areThere };
  };

  /**
   * Returns the address families of the carrier. FreeSWITCH is configured only for IPv4 (config/README.md, "Several
   * FreeSWITCHes, or none").
   */
  const familiesOf = (terms: MediaTerms): readonly Family[] => {
    const own = isIPv6(direct.address) ? 'IP6' : 'IP4';
    if (carrierFor(terms) === 'media server') return ['IP4'];
    const isEither = terms.media === 'auto' && mediaServers.areThere;
    return families.filter((family) => family === own || (isEither && family === 'IP4'));
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
      try {
        return await createDirectEndpoint(offer, terms, direct);
      } catch (error) {
        const isForServer = terms.media === 'auto' && mediaServers.areThere && offer !== undefined;
        if (!isForServer || !(error instanceof UnsupportedDescription)) throw error;
        return createOnServer(offer, terms, mediaServers, preferred);
      }
    },
  };
};

/**
 * Returns the health of the carriers of these trunks. `isDown`: calls that could normally be carried are currently
 * refused. A trunk whose calls can never be carried does not affect the others.
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
