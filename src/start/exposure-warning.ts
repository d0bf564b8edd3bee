import { isIP } from 'node:net';
import type { Config } from '#config/config.ts';

const loopback = /^(localhost|127\.[\d.]{1,11}|::1|::ffff:127\.[\d.]{1,11})$/i;

/**
 * Warns if a trial start listens on an address that others can reach; undefined otherwise. A gateway with a configured
 * database is a server and meant to be reachable.
 */
export const exposureWarning = ({
  host,
  databaseUrl,
}: Pick<Config, 'host' | 'databaseUrl'>): string | undefined => {
  if (databaseUrl !== null || loopback.test(host)) return undefined;
  const where = isIP(host) === 0 ? host : `the address ${host}`;
  return `the gateway listens on ${where} (GW_HOST), where other machines can reach it without encryption: anyone with a key from dev-credentials.json can place calls`;
};
