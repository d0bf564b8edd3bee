import type { Logger } from 'pino';
import type { Admission } from '#src/calls/setup/admission.ts';
import type { LiveCalls } from '#src/calls/live/live-calls.ts';
import type { Switchboard } from '#src/calls/live/switchboard.ts';

export type EndCallsNumbers = {
  /** At the end of the waiting: how long calls get to hear out what the agent has to say; at most a third of it. */
  farewellMs: number;
  /** How long lines get to confirm their end when calls are hung up by the gateway itself. */
  lastEndsMs: number;
};

/** What the end of a gateway waits for, said to the person who has asked for it. */
const sayWaiting = (logger: Logger, calls: number, upToSec: number): void => {
  if (calls === 0) return;
  const whom = calls === 1 ? 'one call' : `${calls} calls`;
  logger.info(
    { calls, up_to_sec: upToSec },
    `waiting for ${whom}, up to ${upToSec} s; ask again to hang up now`,
  );
};

/**
 * Takes no new calls and waits for those in progress. Those that are still on towards the end of the waiting are hung
 * up as a client would: when the agent has been heard out. What has not ended then is cut off (`system_error`).
 */
export const endCalls = async (
  options: {
    admission: Pick<Admission, 'drain'>;
    streams: { close(): void };
    switchboard: Pick<Switchboard, 'empty' | 'hangUpAll' | 'closeAll'>;
    liveCalls: Pick<LiveCalls, 'count'>;
    logger: Logger;
  },
  drainSec: number,
  numbers: EndCallsNumbers,
): Promise<void> => {
  const { switchboard } = options;
  const farewellMs = Math.min(numbers.farewellMs, (drainSec * 1_000) / 3);
  options.admission.drain();
  options.streams.close();
  sayWaiting(options.logger, options.liveCalls.count(), drainSec);
  await switchboard.empty(drainSec * 1_000 - farewellMs);
  if (farewellMs > 0) {
    switchboard.hangUpAll();
    await switchboard.empty(farewellMs);
  }
  switchboard.closeAll();
  await switchboard.empty(numbers.lastEndsMs);
};
