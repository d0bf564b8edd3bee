/** The endpoint that makes the offer of a call, reused for successive trunks where possible. */
import type { BackgroundTasks } from '../background-tasks.ts';
import type { MediaEndpoint } from '../../media/media-endpoint.ts';
import type { Carrier, Carriers, MediaTerms } from '../media/carriers.ts';

export const createOfferingEndpoint = (options: {
  carriers: Pick<Carriers, 'carrierFor' | 'problem' | 'createEndpoint' | 'termsFor'>;
  /** Name of the call's media server; `null` for any. */
  preferredServer: string | null;
  /** Called when the current endpoint is lost. */
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
    // A call without an endpoint must not ring.
    created.onLost(() => {
      if (current?.endpoint === created) options.onLost();
    });
    return created;
  };

  return {
    termsFor: options.carriers.termsFor,
    /** Why no endpoint is available on these terms; `null` if one is. */
    problem: (terms: MediaTerms): string | null => options.carriers.problem(terms)?.sentence ?? null,
    /** Rejects if no endpoint is available. */
    async endpointFor(terms: MediaTerms): Promise<MediaEndpoint> {
      const carrier = options.carriers.carrierFor(terms);
      const isSecret = terms.srtp !== 'off';
      // A key that was sent to one trunk is not reused for the next one.
      if (current !== null && (current.isSecret || isSecret || current.carrier !== carrier)) release();
      current = { endpoint: current?.endpoint ?? (await create(terms)), carrier, isSecret };
      return current.endpoint;
    },
    /** Releases the endpoint when no trunk has taken the call. */
    release,
  };
};

export type OfferingEndpoint = ReturnType<typeof createOfferingEndpoint>;
