/**
 * The agent's keypad: DTMF digits go out as events of RTP (RFC 4733) where both descriptions name them, by SIP INFO where
 * the far end says that it takes INFO, or not at all.
 */
import type { DtmfMeans } from '#machines/sound-figures.ts';
import type { Clock } from '#src/domain/clock.ts';
import { within } from './background-tasks.ts';
import type { Connection } from './signalling/attempt.ts';
import { pressByInfo } from './signalling/dtmf.ts';

/** Thrown where the far end takes no digits. */
export class NoDtmf extends Error {}

export type Keypad = {
  means(): DtmfMeans;
  /** Presses keys behind those before; `w` pauses. Rejects where not all of them went out. */
  press(keys: string): Promise<void>;
};

const pauseMs = 500;
/** The length of a digit, and the silence behind it. */
const digitMs = 250;
const answerMs = 5_000;

/** `isOver`: nothing more is sent. */
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
