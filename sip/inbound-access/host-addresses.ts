import { lookup } from 'node:dns/promises';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';

const againMs = 60_000;

/** Addresses of a host, which are resolved periodically, because a trunk's addresses may change. */
export const createHostAddresses = (options: { host: string; clock: Clock; logger: Logger }) => {
  const { host, clock, logger } = options;
  let known: ReadonlySet<string> = new Set();

  const look = async (): Promise<void> => {
    try {
      const found = await lookup(host, { all: true });
      known = new Set(found.map(({ address }) => address));
    } catch (error) {
      logger.warn({ err: error, host }, 'the host name of a trunk could not be resolved');
    }
  };
  const looking = createRepeatedTask({ work: look, everyMs: againMs, clock });

  return {
    /** Starts resolving. Resolves after the first look-up. */
    async open(): Promise<void> {
      await look();
      looking.start(againMs);
    },
    known: () => known,
    close: (): void => void looking.stop(),
  };
};
