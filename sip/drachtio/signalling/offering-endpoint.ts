/** The endpoint that makes the offer of a call: the same for one trunk after the other, where that may be. */
import type { BackgroundTasks } from '../background-tasks.ts';
import type { MediaEndpoint } from '../../media/media-endpoint.ts';
import type { Carrier, Carriers, MediaTerms } from '../media/carriers.ts';

export const createOfferingEndpoint = (options: {
  carriers: Pick<Carriers, 'carrierFor' | 'problem' | 'createEndpoint' | 'termsFor'>;
  /** The media server that the call is to be on, by its name; `null` where any will do. */
  preferredServer: string | null;
  /** The endpoint that is in use has gone. */
  onLost: () => void;
  backgroundTasks: BackgroundTasks;
}) => {
  let current: { endpoint: MediaEndpoint; carrier: Carrier; isSecret: boolean } | null = null;

  const release = (): void => {
    const unused = current?.endpoint;
    current = null;
    if (unused !== undefined) options.backgroundTasks.add('destroying an endpoint', () => unused.destroy());
  };

  const create = async (terms: MediaTerms): Promise<MediaEndpoint> => {
    const created = await options.carriers.createEndpoint(undefined, terms, options.preferredServer);
    // Nobody is to hear it ring for a call that cannot be heard.
    created.onLost(() => {
      if (current?.endpoint === created) options.onLost();
    });
    return created;
  };

  return {
    termsFor: options.carriers.termsFor,
    /** Why there is none to be had on these terms; `null` when there is. */
    problem: (terms: MediaTerms): string | null => options.carriers.problem(terms)?.sentence ?? null,
    /** Rejects when there is none to be had. */
    async endpointFor(terms: MediaTerms): Promise<MediaEndpoint> {
      const carrier = options.carriers.carrierFor(terms);
      const isSecret = terms.srtp !== 'off';
      // A key that one trunk has seen is not for the next one.
      if (current !== null && (current.isSecret || isSecret || current.carrier !== carrier)) release();
      current = { endpoint: current?.endpoint ?? (await create(terms)), carrier, isSecret };
      return current.endpoint;
    },
    /** It is not needed: no trunk has taken the call. */
    release,
  };
};

export type OfferingEndpoint = ReturnType<typeof createOfferingEndpoint>;
