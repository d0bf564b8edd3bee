/**
 * Where the database is, as libpq writes it: `postgresql://user:password@host:port/database`, with several servers of
 * one database as `host:port,host:port`.
 */
import { StartError } from '#src/domain/start-error.ts';
import type { DatabaseServer } from './database-servers.ts';

/**
 * `pg` takes these modes for `verify-full`, and prints a warning that a later version will not. Written as what they mean
 * today they keep their meaning; with `uselibpqcompat` the operator asks for that of libpq.
 */
const withPlainSslMode = (url: string): string =>
  /[?&]uselibpqcompat=/.test(url)
    ? url
    : url.replaceAll(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');

const servers = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** Throws a StartError that does not repeat the password. */
export const serversOf = (url: string): [DatabaseServer, ...DatabaseServer[]] => {
  const [, before = '', hosts = '', behind = ''] = servers.exec(url) ?? [];
  const [first = '', ...others] = hosts.split(',');
  return [serverOf(before + first + behind), ...others.map((host) => serverOf(before + host + behind))];
};

const serverOf = (url: string): DatabaseServer => {
  const parsed = URL.parse(url);
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new StartError(
      'GW_DATABASE_URL is not an address such as postgresql://user:password@host:5432/database',
    );
  }
  const database = decodeURIComponent(parsed.pathname.slice(1));
  if (database === '') throw new StartError('GW_DATABASE_URL names no database after its host');
  return { name: `${parsed.host}/${database}`, address: { connectionString: withPlainSslMode(url) } };
};
