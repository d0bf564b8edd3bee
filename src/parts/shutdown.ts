import type { Logger } from 'pino';
import type { StreamPermits } from '#src/api/http/stream-permits.ts';
import type { Admission } from '#src/calls/setup/admission.ts';
import type { Lines } from '#sip/lines.ts';
import type { Switchboard } from '#src/calls/live/switchboard.ts';
import type { StartedHandOver } from './hand-over.ts';

export type EndCallsNumbers = {
  /** Share of the drain time for farewells after the gateway hangs up; at most a third. */
  farewellMs: number;
  /** Time limit for lines to confirm a hang-up by the gateway. */
  lastEndsMs: number;
  /** Time limit for event streams of these calls to send their last facts. */
  lastFactsMs: number;
};

/**
 * Drains the gateway: refuses new calls, hands over calls in progress where possible, and waits for the others. Towards
 * the end of the drain time calls are hung up like by a client, after the farewell; calls that have not ended by then
 * are cut off (`system_error`). Event streams stay open until the last call has ended.
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
    // Arrivals go to other gateways before any is refused.
    await options.lines.takeNoMore();
  } catch (error) {
    logger.warn({ err: error }, 'the lines still receive calls while the gateway stops; they are refused');
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
