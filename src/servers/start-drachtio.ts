import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { DrachtioServerConfig } from '#config/servers-config.ts';
import { reach, spawnScript, untilReady } from './server-process.ts';

const script = fileURLToPath(new URL('../../config/drachtio/start.sh', import.meta.url));

export type StartedServer = {
  child: ChildProcess;
  /** Resolves when the server accepts connections; rejects if it does not start. */
  ready: Promise<void>;
};

const environmentOf = ({ control, sip, publicAddress, tls }: DrachtioServerConfig) => ({
  GW_DRACHTIO: `${control.host}:${control.port}`,
  GW_DRACHTIO_SECRET: control.secret,
  GW_SIP_ADDRESS: sip.host,
  GW_SIP_PORT: String(sip.port),
  GW_PUBLIC_ADDRESS: publicAddress ?? '',
  GW_SIP_TLS_PORT: String(tls?.port ?? ''),
  GW_SIP_TLS_KEY_FILE: tls?.keyFile ?? '',
  GW_SIP_TLS_CERT_FILE: tls?.certFile ?? '',
  GW_SIP_TLS_CHAIN_FILE: tls?.chainFile ?? '',
});

/** Starts drachtio-server with the project's configuration. The server is ready when it accepts control connections. */
export const startDrachtio = (config: DrachtioServerConfig, logFile: string): StartedServer => {
  const child = spawnScript(script, [], environmentOf(config), logFile);
  return { child, ready: untilReady('drachtio-server', child, () => reach(config.control)) };
};
