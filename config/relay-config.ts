/**
 * Reads the environment into the configuration of the relay, which shares one drachtio-server among gateways
 * (sip/relay).
 */
import type { z } from 'zod';
import { ConfigError, parseSettings } from './parse-settings.ts';
import { settings } from './settings.ts';

type Address = { host: string; port: number };

export type RelayConfig = Readonly<{
  /** Address at which gateways reach the relay. */
  listen: Address;
  drachtio: Address & { secret: string };
  logLevel: z.infer<typeof settings>['GW_LOG_LEVEL'];
  logFormat: 'pretty' | 'json';
}>;

const relaySettings = settings.pick({
  GW_RELAY: true,
  GW_DRACHTIO: true,
  GW_DRACHTIO_SECRET: true,
  GW_LOG_LEVEL: true,
  GW_LOG_FORMAT: true,
});

const isLoopback = (host: string): boolean => host === 'localhost' || host.startsWith('127.');

/** Throws a ConfigError if the relay cannot listen at this address. */
export const checkRelay = (listen: Address, drachtio: Address, environment: NodeJS.ProcessEnv): void => {
  if (!isLoopback(listen.host) && !environment['GW_DRACHTIO_SECRET'])
    throw new ConfigError(
      'GW_DRACHTIO_SECRET is required where GW_RELAY is not on loopback (make one with: openssl rand -hex 24)',
    );
  if (drachtio.host === listen.host && drachtio.port === listen.port)
    throw new ConfigError('GW_RELAY and GW_DRACHTIO must not be the same');
};

/**
 * Reads the settings. An empty variable counts as absent. Throws a ConfigError whose message names the first invalid
 * setting.
 */
export const readRelayConfig = (environment: NodeJS.ProcessEnv, hasTerminal: boolean): RelayConfig => {
  const values = parseSettings(relaySettings, environment);
  const listen = values.GW_RELAY;
  if (listen === null) throw new ConfigError('GW_RELAY is none: there is no relay to start');
  checkRelay(listen, values.GW_DRACHTIO, environment);
  return Object.freeze({
    listen,
    drachtio: { ...values.GW_DRACHTIO, secret: values.GW_DRACHTIO_SECRET },
    logLevel: values.GW_LOG_LEVEL,
    logFormat: values.GW_LOG_FORMAT ?? (hasTerminal ? 'pretty' : 'json'),
  });
};
