/**
 * Who carries the sound of a call, as its trunk says: a media server, or this process itself. What only a media server
 * can do, such as encryption, `auto` leaves to it.
 */
import type { Trunk } from '#src/domain/trunk.ts';
import { createDirectEndpoint, type DirectOptions } from '../../media/direct/endpoint.ts';
import type { MediaEndpoint } from '../../media/endpoint.ts';
import type { MediaServers } from './servers.ts';

export type MediaTerms = Pick<Trunk, 'srtp' | 'media' | 'codecs'>;

export type Carrier = 'media server' | 'this process';

/** Why calls cannot be carried, in plain sentences. `isLasting`: until somebody changes the settings. */
export type CarryingProblem = { sentence: string; isLasting: boolean };

export type Carriers = {
  /** Who would carry a call on these terms. */
  carrierFor(terms: MediaTerms): Carrier;
  /** Why no call on these terms can be carried; `null` when one can. */
  problem(terms: MediaTerms): CarryingProblem | null;
  /** With the caller's offer, or without one to make an offer. Rejects after a few seconds at the latest. */
  createEndpoint(offer: string | undefined, terms: MediaTerms): Promise<MediaEndpoint>;
};

const noEncryption = 'Encrypted sound is not carried without FreeSWITCH.';

export const createCarriers = (
  mediaServers: Pick<MediaServers, 'createEndpoint' | 'problem' | 'areThere'>,
  direct: DirectOptions,
): Carriers => {
  const carrierFor = ({ media, srtp }: MediaTerms): Carrier =>
    media === 'direct' || (media === 'auto' && srtp === 'off') ? 'this process' : 'media server';

  const problem = (terms: MediaTerms): CarryingProblem | null => {
    if (carrierFor(terms) === 'this process')
      return terms.srtp === 'required' ? { sentence: noEncryption, isLasting: true } : null;
    const sentence = mediaServers.problem();
    return sentence === null ? null : { sentence, isLasting: !mediaServers.areThere };
  };

  return {
    carrierFor,
    problem,
    async createEndpoint(offer, terms) {
      const lasting = problem(terms);
      if (lasting?.isLasting === true) throw new Error(lasting.sentence);
      return carrierFor(terms) === 'media server'
        ? mediaServers.createEndpoint(offer, terms.srtp)
        : createDirectEndpoint(offer, terms, direct);
    },
  };
};

/**
 * What is wrong with the sound of calls over these trunks. `isDown`: calls that could be carried cannot be now; a trunk
 * whose calls can never be carried here takes nothing from the others.
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
    const sentence = `${refused} of ${trunks.length} trunks want what only FreeSWITCH can do (media, srtp), which this gateway does not have: their calls are refused.`;
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
