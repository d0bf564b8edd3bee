/**
 * FreeSWITCH ends the channels of a gateway that it has not heard of for a while: each channel bears the name of its
 * gateway, and a task of FreeSWITCH's own scheduler, which is put off again and again, hangs up all that bear it. So a
 * process that died leaves its calls standing just as long as another one may come for them.
 */
import type { Commands } from './commands.ts';

/** The header of the INVITE that makes a channel, which FreeSWITCH keeps as a variable of it. */
export const gatewayHeader = 'X-Gateway';
const gatewayVariable = `sip_h_${gatewayHeader}`;

/** In seconds, where FreeSWITCH does not say how long it keeps a channel. */
const usualSec = 30;

/** Asks how long it keeps a channel whose gateway died: `gw_park_sec` of its configuration, in seconds. */
export const askParkSec = async ({ api }: Pick<Commands, 'api'>): Promise<number> => {
  const answer = (await api('global_getvar gw_park_sec')).trim();
  return /^\d{1,5}$/.test(answer) ? Number(answer) : usualSec;
};

/** Of the channels that bear this name, which are heard of every so many milliseconds. */
export const createKeeping = (gateway: string, everyMs: number) => {
  let times = 0;
  const task = (number: number): string => `gateway-${gateway}-${number % 2}`;
  return {
    /** Rejects when FreeSWITCH does not take it. */
    async putOff({ run, api }: Pick<Commands, 'api' | 'run'>, parkSec: number): Promise<void> {
      const seconds = parkSec + Math.ceil(everyMs / 1_000);
      const end = `hupall NORMAL_TEMPORARY_FAILURE ${gatewayVariable} ${gateway}`;
      times += 1;
      // The next one stands before the last one goes, so that there always is one.
      await run(`sched_api +${seconds} ${task(times)} ${end}`);
      await api(`sched_del ${task(times - 1)}`);
    },
    /** The channel bears this name from now on, whoever had it before. */
    claim: ({ run }: Pick<Commands, 'run'>, uuid: string): Promise<string> =>
      run(`uuid_setvar ${uuid} ${gatewayVariable} ${gateway}`),
  };
};

export type Keeping = ReturnType<typeof createKeeping>;
