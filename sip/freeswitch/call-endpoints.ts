import { releasingWith, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';

/** Endpoints of calls: existing endpoints, and endpoints that are being created. */
export const createCallEndpoints = () => {
  const taken = new Set<MediaEndpoint>();
  let coming = 0;
  /** A lost endpoint is no longer counted, even if its call has not released it yet. */
  const lose = (endpoint: MediaEndpoint): void => {
    taken.delete(endpoint);
    endpoint.lose();
  };
  return {
    count: (): number => taken.size + coming,
    async add(making: () => Promise<MediaEndpoint>): Promise<MediaEndpoint> {
      coming += 1;
      try {
        const made = await making();
        taken.add(made);
        return releasingWith(made, () => taken.delete(made));
      } finally {
        coming -= 1;
      }
    },
    /** Called when the server is gone. The server's calls move to another server, or end. */
    loseAll(): void {
      for (const endpoint of taken) lose(endpoint);
    },
    /** Marks endpoints as lost whose channels no longer exist. */
    async loseThose(isThere: (uuid: string) => Promise<boolean>): Promise<void> {
      const loseUnless = async (endpoint: MediaEndpoint): Promise<void> => {
        const channel = endpoint.channel();
        if (channel !== null && !(await isThere(channel.uuid))) lose(endpoint);
      };
      await Promise.all([...taken].map(loseUnless));
    },
  };
};
