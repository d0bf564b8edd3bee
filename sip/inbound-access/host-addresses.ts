import { lookup } from 'node:dns/promises';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

const againMs = 60_000;

/** The addresses of a host, looked up now and then: a trunk may move. */
export const createHostAddresses = (options: { host: string; clock: Clock; logger: Logger }) => {
  const { host, clock, logger } = options;
  let known: ReadonlySet<string> = new Set();
  let timer: unknown;
  let isClosed = false;

  const look = async (): Promise<void> => {
    try {
      const found = await lookup(host, { all: true });
      known = new Set(found.map(({ address }) => address));
    } catch (error) {
      logger.warn({ err: error, host }, 'the address of the trunk could not be found');
    }
    if (!isClosed) timer = clock.setTimeout(() => void look(), againMs);
  };

  return {
    open: look,
    known: () => known,
    close(): void {
      isClosed = true;
      clock.clearTimeout(timer);
    },
  };
};
