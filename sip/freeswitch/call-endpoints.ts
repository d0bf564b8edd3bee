import { releasingWith, type MediaEndpoint } from '#sip/audio/media-endpoint.ts';

/** Endpoints of calls: existing ones, and those that calls are waiting for. */
export const createCallEndpoints = () => {
  const taken = new Set<MediaEndpoint>();
  let coming = 0;
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
    loseAll(): void {
      for (const endpoint of taken) endpoint.lose();
    },
    /** Loses the endpoints whose channels no longer exist. */
    async loseThose(isThere: (uuid: string) => Promise<boolean>): Promise<void> {
      const loseUnless = async (endpoint: MediaEndpoint): Promise<void> => {
        const channel = endpoint.channel();
        if (channel !== null && !(await isThere(channel.uuid))) endpoint.lose();
      };
      await Promise.all([...taken].map(loseUnless));
    },
  };
};
