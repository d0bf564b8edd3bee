import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ServersConfig } from '#config/servers-config.ts';
import { reach, untilReady } from './server-process.ts';
import type { StartedServer } from './start-drachtio.ts';

const program = fileURLToPath(new URL('../commands/relay.ts', import.meta.url));

/** Starts the relay (`npm run relay`) in front of drachtio-server. The relay is ready when it accepts gateways. */
export const startRelay = (
  listen: NonNullable<ServersConfig['relay']>,
  { control }: ServersConfig['drachtio'],
  logFile: string,
): StartedServer => {
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      GW_RELAY: `${listen.host}:${listen.port}`,
      GW_DRACHTIO: `${control.host}:${control.port}`,
      GW_DRACHTIO_SECRET: control.secret,
      GW_LOG_FORMAT: 'json',
    },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  return { child, ready: untilReady('the relay', child, () => reach(listen)) };
};
