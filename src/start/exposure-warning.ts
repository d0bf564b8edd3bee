import { isIP } from 'node:net';
import type { Config } from '#config/config.ts';

const loopback = /^(localhost|127\.[\d.]{1,11}|::1|::ffff:127\.[\d.]{1,11})$/i;

/**
 * A sentence for who starts the gateway as for a trial, on an address that others reach; undefined where nobody else
 * does. With a database server of one's own it is a server, and meant to be reached.
 */
export const exposureWarning = ({
  host,
  databaseUrl,
}: Pick<Config, 'host' | 'databaseUrl'>): string | undefined => {
  if (databaseUrl !== null || loopback.test(host)) return undefined;
  const where = isIP(host) === 0 ? host : `the address ${host}`;
  return `the gateway listens on ${where} (GW_HOST), where other machines reach it without encryption: whoever has a key of dev-credentials.json places calls`;
};
