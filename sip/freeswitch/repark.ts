/**
 * Moves a parked channel into a new park (`again` in `config/freeswitch/freeswitch.xml`). The channel's unicast ends,
 * and another one can be opened (`open-unicast.ts`).
 *
 * The channel's own thread changes the park (`sendmsg`, `xferext`). The command `uuid_transfer` would end the unicast in
 * the thread of the event socket (`switch_core_session_reset`) while the channel's thread ends it, too: both join one
 * thread, and one of them waits forever. That would lose the call, or the event socket and with it all calls. No other
 * command in use ends a unicast in another thread than the channel's.
 *
 * The application `transfer` is not used for three reasons:
 * - FreeSWITCH would send a re-INVITE of its own for a channel on hold (`switch_ivr_check_hold`), which crosses the
 *   re-INVITE with which the far end resumes the call.
 * - FreeSWITCH would reset the session, so that the first frame of the next unicast waits for the SIP lock of the channel
 *   while it holds the lock of the codec. A thread that handles a re-INVITE locks both in the other order: a deadlock
 *   that loses the call and leaves the channel in FreeSWITCH.
 * - FreeSWITCH would hang up after some 70 times in a call (`max_forwards`).
 */
import { randomInt } from 'node:crypto';
import type { Clock } from '#src/domain/clock.ts';
import { within } from '../background-tasks.ts';
import type { Commands } from './connection.ts';

/**
 * Interval in milliseconds of the check whether the channel is in its new park, which takes one or two frames of 20 ms.
 */
const pollMs = 5;

export type ReparkOptions = {
  commands: Pick<Commands, 'api' | 'sendMessage'>;
  /** Timeout for FreeSWITCH. */
  answerMs: number;
  clock: Clock;
};

/**
 * Moves the channel. Resolves when the channel is in its new park. Rejects if the channel does not exist or does not
 * reach the park.
 */
export const repark = async (
  uuid: string,
  { commands: { api, sendMessage }, answerMs, clock }: ReparkOptions,
): Promise<void> => {
  const park = String(randomInt(2 ** 47));
  let isAbandoned = false;
  const arrive = async (): Promise<void> => {
    while (!isAbandoned && (await api(`uuid_getvar ${uuid} gw_park`)).trim() !== park)
      await new Promise<void>((resolve) => void clock.setTimeout(resolve, pollMs));
  };
  await sendMessage(uuid, {
    'call-command': 'xferext',
    application: `execute_extension again-${park} XML trunkline`,
  });
  try {
    await within(clock, answerMs, 'Parking a channel', arrive());
  } finally {
    isAbandoned = true;
  }
};
