import type { Logger } from 'pino';

/** What the end of a gateway waits for, said to the person who has asked for it. */
export const sayWaiting = (logger: Logger, calls: number, upToSec: number): void => {
  if (calls === 0) return;
  const whom = calls === 1 ? 'one call' : `${calls} calls`;
  logger.info(
    { calls, up_to_sec: upToSec },
    `waiting for ${whom}, up to ${upToSec} s; ask again to hang up now`,
  );
};
