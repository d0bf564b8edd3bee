/**
 * Sends the agent's DTMF digits: as RTP events (RFC 4733) if both descriptions offer them, by SIP INFO if the far end
 * accepts INFO, or not at all.
 */
import type { DtmfMeans } from '#machines/media-statistics.ts';
import type { Clock } from '#src/domain/clock.ts';
import { within } from '../../background-tasks.ts';
import type { Connection } from '../leg.ts';
import { pressByInfo } from './dtmf.ts';

/** Thrown if the far end accepts no digits. */
export class NoDtmf extends Error {}

export type Keypad = {
  means(): DtmfMeans;
  /** Sends digits after the pending ones; `w` is a pause. Rejects if not all digits were sent. */
  press(keys: string): Promise<void>;
};

const pauseMs = 500;
/** Duration of a digit, and of the pause after it. */
const digitMs = 250;
const answerMs = 5_000;

/** Sends the digits until `isOver` returns true. */
export const createKeypad = (
  { dialog, endpoint, takesInfo }: Pick<Connection, 'dialog' | 'endpoint' | 'takesInfo'>,
  { clock, isOver }: { clock: Clock; isOver: () => boolean },
): Keypad => {
  let isInfoRefused = false;
  let last: Promise<void> = Promise.resolve();

  const sent = (): DtmfMeans['sent'] => {
    if (endpoint.hasTelephoneEvents()) return 'rfc4733';
    return takesInfo && !isInfoRefused ? 'info' : 'none';
  };

  const sleep = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => void clock.setTimeout(resolve, milliseconds));

  const pressAllByInfo = async (keys: string): Promise<void> => {
    for (const key of keys) {
      if (isOver()) throw new NoDtmf('The call is over');
      if (key !== 'w') {
        try {
          await within(clock, answerMs, 'An answer to INFO', pressByInfo(dialog, key));
        } catch (error) {
          isInfoRefused = true;
          throw error;
        }
      }
      await sleep(key === 'w' ? pauseMs : digitMs);
    }
  };

  const pressNow = (keys: string): Promise<void> => {
    const way = sent();
    if (way === 'none') return Promise.reject(new NoDtmf('The far end takes no DTMF digits'));
    return way === 'info' ? pressAllByInfo(keys) : endpoint.press(keys);
  };

  return {
    means: () => ({ sent: sent(), received: endpoint.hasTelephoneEvents() ? 'rfc4733' : 'inband' }),
    press(keys) {
      const before = last;
      const pressed = before.then(() => pressNow(keys));
      last = pressed.catch(() => undefined);
      return pressed;
    },
  };
};
