/**
 * Keep-alive of channels, which makes FreeSWITCH end the channels of a gateway that has been silent for a while. Each
 * channel has the name of its gateway, and a task in FreeSWITCH's scheduler hangs up all channels with that name. The
 * gateway postpones this task repeatedly. The calls of a dead process therefore remain only as long as another process
 * may take them over.
 */
import type { Commands } from './connection.ts';

/** Header of the INVITE that creates a channel, which FreeSWITCH stores as a channel variable. */
export const gatewayHeader = 'X-Gateway';
const gatewayVariable = `sip_h_${gatewayHeader}`;

/** Default in seconds if FreeSWITCH does not report how long it keeps a channel. */
const usualSec = 30;

/**
 * Reads for how many seconds FreeSWITCH keeps a channel whose gateway died: `gw_park_sec` of its configuration, but not
 * less than `shortestSec`. Other gateways take over the calls of a silent gateway only when its lease has lapsed; with
 * a shorter time, the channels would be gone by then.
 */
export const readParkSec = async (
  { api }: Pick<Commands, 'api'>,
  shortestSec: number,
): Promise<{ parkSec: number; isTooShort: boolean }> => {
  const answer = (await api('global_getvar gw_park_sec')).trim();
  const parkSec = /^\d{1,5}$/.test(answer) ? Number(answer) : usualSec;
  return { parkSec: Math.max(parkSec, shortestSec), isTooShort: parkSec < shortestSec };
};

/** Gateway that holds a channel. `taken`: another gateway has claimed the channel. */
export type ChannelHolder = 'here' | 'taken' | 'gone';

/** Keep-alive of the channels with this name, renewed every `everyMs` milliseconds. */
export const createKeepAlive = (gateway: string, everyMs: number) => {
  let times = 0;
  const task = (number: number): string => `gateway-${gateway}-${number % 2}`;
  return {
    /** Postpones the end of the channels. Rejects when FreeSWITCH refuses the command. */
    async renew({ run, api }: Pick<Commands, 'api' | 'run'>, parkSec: number): Promise<void> {
      const seconds = parkSec + Math.ceil(everyMs / 1_000);
      const end = `hupall NORMAL_TEMPORARY_FAILURE ${gatewayVariable} ${gateway}`;
      times += 1;
      // Schedules the new hang-up task before deleting the old one, so one is always pending.
      await run(`sched_api +${seconds} ${task(times)} ${end}`);
      await api(`sched_del ${task(times - 1)}`);
    },
    async holderOf({ api }: Pick<Commands, 'api'>, uuid: string): Promise<ChannelHolder> {
      const holder = (await api(`uuid_getvar ${uuid} ${gatewayVariable}`)).trim();
      if (holder.startsWith('-ERR')) return 'gone';
      return holder === gateway ? 'here' : 'taken';
    },
    /** Assigns the channel to this gateway, replacing an earlier owner. */
    claim: ({ run }: Pick<Commands, 'run'>, uuid: string): Promise<string> =>
      run(`uuid_setvar ${uuid} ${gatewayVariable} ${gateway}`),
  };
};

export type KeepAlive = ReturnType<typeof createKeepAlive>;
