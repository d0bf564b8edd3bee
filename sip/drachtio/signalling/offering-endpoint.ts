/** The endpoint that makes the offer of a call: the same for one trunk after the other, where that may be. */
import type { Trunk, TrunkSrtp } from '#src/domain/trunk.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import type { MediaEndpoint } from '../media/endpoint.ts';
import type { MediaServers } from '../media/servers.ts';

export const createOfferingEndpoint = (options: {
  mediaServers: Pick<MediaServers, 'createEndpoint'>;
  /** The endpoint that is in use has gone. */
  onLost: () => void;
  backgroundTasks: BackgroundTasks;
}) => {
  let current: { endpoint: MediaEndpoint; srtp: TrunkSrtp } | null = null;

  const release = (): void => {
    const unused = current?.endpoint;
    current = null;
    if (unused !== undefined) options.backgroundTasks.add('destroying an endpoint', () => unused.destroy());
  };

  const create = async (srtp: TrunkSrtp): Promise<MediaEndpoint> => {
    const created = await options.mediaServers.createEndpoint(undefined, srtp);
    // Nobody is to hear it ring for a call that cannot be heard.
    created.onLost(() => {
      if (current?.endpoint === created) options.onLost();
    });
    return created;
  };

  return {
    /** Rejects when no media server has one. */
    async endpointFor({ srtp }: Pick<Trunk, 'srtp'>): Promise<MediaEndpoint> {
      // A key that one trunk has seen is not for the next one.
      if (current?.srtp === 'required' || srtp === 'required') release();
      current = { endpoint: current?.endpoint ?? (await create(srtp)), srtp };
      return current.endpoint;
    },
    /** It is not needed: no trunk has taken the call. */
    release,
  };
};

export type OfferingEndpoint = ReturnType<typeof createOfferingEndpoint>;
