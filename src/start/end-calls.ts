import type { Logger } from 'pino';
import type { StreamPermits } from '#src/api/stream-permits.ts';
import type { Admission } from '#src/calls/setup/admission.ts';
import type { Lines } from '#sip/lines.ts';
import type { Switchboard } from '#src/calls/live/switchboard.ts';
import type { StartedHandOver } from './start-hand-over.ts';

export type EndCallsNumbers = {
  /** At the end of the waiting: how long calls get to hear out what the agent has to say; at most a third of it. */
  farewellMs: number;
  /** How long lines get to confirm their end when calls are hung up by the gateway itself. */
  lastEndsMs: number;
  /** How long the event streams of these calls get to send their last facts. */
  lastFactsMs: number;
};

/**
 * Takes no new calls, hands over those in progress where somebody goes on with them, and waits for the others. Those that
 * are still on towards the end of the waiting are hung up as a client would: when the agent has been heard out. What has
 * not ended then is cut off (`system_error`). Event streams stay open until the last call has ended.
 */
export const endCalls = async (
  options: {
    admission: Pick<Admission, 'drain'>;
    streams: Pick<StreamPermits, 'close'>;
    switchboard: Pick<Switchboard, 'empty' | 'hangUpAll' | 'closeAll'>;
    lines: Pick<Lines, 'takeNoMore'>;
    handOver: StartedHandOver;
    logger: Logger;
  },
  drainSec: number,
  numbers: EndCallsNumbers,
): Promise<void> => {
  const { switchboard, handOver, logger } = options;
  const farewellMs = Math.min(numbers.farewellMs, (drainSec * 1_000) / 3);
  try {
    // Before any is refused: who calls now is for another gateway.
    await options.lines.takeNoMore();
  } catch (error) {
    logger.warn({ err: error }, 'callers are still brought here, and are refused');
  }
  options.admission.drain();
  await handOver.begin();
  await switchboard.empty(drainSec * 1_000 - farewellMs);
  await handOver.finish();
  if (farewellMs > 0) {
    switchboard.hangUpAll();
    await switchboard.empty(farewellMs);
  }
  switchboard.closeAll();
  await switchboard.empty(numbers.lastEndsMs);
  await options.streams.close(numbers.lastFactsMs);
};
