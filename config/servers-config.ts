/** Reads the environment into the configuration of drachtio-server and FreeSWITCH on this machine. */
import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { ConfigError, parseSettings } from './parse-settings.ts';
import { checkRelay } from './relay-config.ts';
import { serverSettings } from './server-settings.ts';
import { settings } from './settings.ts';

type Address = { host: string; port: number };

export type DrachtioServerConfig = Readonly<{
  control: Address & { secret: string };
  /** Address at which trunks reach drachtio-server, or to which a router forwards their packets. */
  sip: Address;
  /** Public address of drachtio-server behind NAT; `null` without NAT. */
  publicAddress: string | null;
  /** Names of the TLS key and certificate files; `null` for no SIP over TLS. */
  tls: Readonly<{ port: number; keyFile: string; certFile: string; chainFile: string }> | null;
}>;

export type FreeSwitchServerConfig = Readonly<{
  eventSocket: Address & { secret: string };
  /** SIP address of FreeSWITCH for drachtio-server; RTP uses the same IP address. */
  sip: Address;
  publicAddress: string | null;
  /** Subnet from which the gateway and drachtio-server may connect. */
  clients: string;
  /** Time in seconds after which FreeSWITCH hangs up a channel whose gateway died. */
  parkSec: number;
  rtp: Readonly<{ from: number; to: number }>;
}>;

export type ServersConfig = Readonly<{
  /** Absolute path of the data folder. */
  dataFolder: string;
  drachtio: DrachtioServerConfig;
  /** Address at which gateways reach the relay; `null` if gateways connect to drachtio-server themselves. */
  relay: Address | null;
  /** Configuration of FreeSWITCH; `null` if the gateway itself carries the audio of calls. */
  freeSwitch: FreeSwitchServerConfig | null;
}>;

const readBoth = settings
  .pick({
    GW_DATA_DIR: true,
    GW_DRACHTIO: true,
    GW_DRACHTIO_SECRET: true,
    GW_RELAY: true,
    GW_FREESWITCH: true,
    GW_FREESWITCH_SECRET: true,
  })
  .extend(serverSettings.shape);

const isLoopback = (host: string): boolean => host === 'localhost' || host.startsWith('127.');

type Values = z.infer<typeof readBoth>;

const requireSecret = (
  name: 'GW_DRACHTIO' | 'GW_FREESWITCH',
  { host }: Address,
  environment: NodeJS.ProcessEnv,
): void => {
  if (!isLoopback(host) && !environment[`${name}_SECRET`])
    throw new ConfigError(
      `${name}_SECRET is required where ${name} is not on loopback (make one with: openssl rand -hex 24)`,
    );
};

const freeSwitchOf = (values: Values, eventSocket: Address): FreeSwitchServerConfig => {
  if (isIPv6(values.GW_SIP_ADDRESS))
    throw new ConfigError('GW_SIP_ADDRESS must be an IPv4 address, unless GW_FREESWITCH is none');
  const { GW_FREESWITCH_RTP_FROM: from, GW_FREESWITCH_RTP_TO: to } = values;
  if (to <= from) throw new ConfigError('GW_FREESWITCH_RTP_TO must be above GW_FREESWITCH_RTP_FROM');
  return {
    eventSocket: { ...eventSocket, secret: values.GW_FREESWITCH_SECRET },
    sip: { host: values.GW_SIP_ADDRESS, port: values.GW_FREESWITCH_SIP_PORT },
    publicAddress: values.GW_PUBLIC_ADDRESS ?? null,
    clients: values.GW_FREESWITCH_CLIENTS,
    parkSec: values.GW_FREESWITCH_PARK_SEC,
    rtp: { from, to },
  };
};

/**
 * Reads the settings. An empty variable counts as absent. Throws a ConfigError whose message names the first invalid
 * setting.
 */
export const readServersConfig = (environment: NodeJS.ProcessEnv): ServersConfig => {
  const values = parseSettings(readBoth, environment);
  // Only the first configured FreeSWITCH is started on this machine; the others run on their own machines.
  const [freeSwitch] = values.GW_FREESWITCH;
  requireSecret('GW_DRACHTIO', values.GW_DRACHTIO, environment);
  const relay = values.GW_RELAY;
  if (relay !== null) checkRelay(relay, values.GW_DRACHTIO, environment);
  if (freeSwitch !== undefined) requireSecret('GW_FREESWITCH', freeSwitch, environment);
  const { GW_SIP_TLS_KEY_FILE: keyFile, GW_SIP_TLS_CERT_FILE: certFile } = values;
  if ((keyFile === undefined) !== (certFile === undefined))
    throw new ConfigError('GW_SIP_TLS_KEY_FILE and GW_SIP_TLS_CERT_FILE are required together');
  const host = values.GW_SIP_ADDRESS;
  const publicAddress = values.GW_PUBLIC_ADDRESS ?? null;
  return Object.freeze({
    dataFolder: resolve(values.GW_DATA_DIR),
    drachtio: {
      control: { ...values.GW_DRACHTIO, secret: values.GW_DRACHTIO_SECRET },
      sip: { host, port: values.GW_SIP_PORT },
      publicAddress,
      tls:
        keyFile === undefined || certFile === undefined
          ? null
          : {
              port: values.GW_SIP_TLS_PORT,
              keyFile,
              certFile,
              chainFile: values.GW_SIP_TLS_CHAIN_FILE ?? certFile,
            },
    },
    relay,
    freeSwitch: freeSwitch === undefined ? null : freeSwitchOf(values, freeSwitch),
  });
};
