import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FreeSwitchServerConfig } from '#config/servers-config.ts';
import { probeFreeSwitch } from '#sip/freeswitch/connection.ts';
import { spawnScript, untilReady } from './server-process.ts';
import type { StartedServer } from './start-drachtio.ts';

const script = fileURLToPath(new URL('../../config/freeswitch/start.sh', import.meta.url));

const environmentOf = ({
  eventSocket,
  sip,
  publicAddress,
  clients,
  parkSec,
  rtp,
}: FreeSwitchServerConfig) => ({
  GW_FREESWITCH: `${eventSocket.host}:${eventSocket.port}`,
  GW_FREESWITCH_SECRET: eventSocket.secret,
  GW_SIP_ADDRESS: sip.host,
  GW_FREESWITCH_SIP_PORT: String(sip.port),
  GW_PUBLIC_ADDRESS: publicAddress ?? '',
  GW_FREESWITCH_CLIENTS: clients,
  GW_FREESWITCH_PARK_SEC: String(parkSec),
  GW_FREESWITCH_RTP_FROM: String(rtp.from),
  GW_FREESWITCH_RTP_TO: String(rtp.to),
});

/** Returns the path of FreeSWITCH's own log in the given folder. */
export const freeSwitchLog = (folder: string): string => join(folder, 'log/freeswitch.log');

/**
 * Starts FreeSWITCH with the project's configuration and its files in `folder`. The server is ready when its SIP
 * profile is loaded.
 */
export const startFreeSwitch = (
  config: FreeSwitchServerConfig,
  folder: string,
  logFile: string,
): StartedServer => {
  const child = spawnScript(script, [folder], environmentOf(config), logFile);
  return {
    child,
    ready: untilReady('FreeSWITCH', child, () => probeFreeSwitch(config.eventSocket)),
  };
};
