import { releasingWith, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';

/** Endpoints of calls: existing ones, and those that calls are waiting for. */
export const createCallEndpoints = () => {
  const taken = new Set<MediaEndpoint>();
  let coming = 0;
  /** A lost endpoint is not counted any more, whenever its call releases it. */
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
    /** The server is gone: its calls move to another one, or end. */
    loseAll(): void {
      for (const endpoint of taken) lose(endpoint);
    },
    /** Loses the endpoints whose channels no longer exist. */
    async loseThose(isThere: (uuid: string) => Promise<boolean>): Promise<void> {
      const loseUnless = async (endpoint: MediaEndpoint): Promise<void> => {
        const channel = endpoint.channel();
        if (channel !== null && !(await isThere(channel.uuid))) lose(endpoint);
      };
      await Promise.all([...taken].map(loseUnless));
    },
  };
};
