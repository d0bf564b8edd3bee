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

export type Carriers = {
  /** Who would carry a call on these terms. */
  carrierFor(terms: MediaTerms): Carrier;
  /** Why no call on these terms can be carried, as plain sentences; `null` when one can. */
  problem(terms: MediaTerms): string | null;
  /** With the caller's offer, or without one to make an offer. Rejects after a few seconds at the latest. */
  createEndpoint(offer: string | undefined, terms: MediaTerms): Promise<MediaEndpoint>;
};

export const createCarriers = (
  mediaServers: Pick<MediaServers, 'createEndpoint' | 'problem'>,
  direct: DirectOptions,
): Carriers => {
  const carrierFor = ({ media, srtp }: MediaTerms): Carrier =>
    media === 'direct' || (media === 'auto' && srtp === 'off') ? 'this process' : 'media server';

  return {
    carrierFor,
    problem: (terms) => (carrierFor(terms) === 'this process' ? null : mediaServers.problem()),
    async createEndpoint(offer, terms) {
      if (carrierFor(terms) === 'media server') return mediaServers.createEndpoint(offer, terms.srtp);
      if (terms.srtp === 'required') throw new Error('Encrypted sound is not carried without FreeSWITCH');
      return createDirectEndpoint(offer, terms, direct);
    },
  };
};
