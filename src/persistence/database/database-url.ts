/**
 * Database URL in libpq's format: `postgresql://user:password@host:port/database`, with several servers of one database
 * as `host:port,host:port`.
 */
import { StartError } from '#src/domain/start-error.ts';
import type { DatabaseServer } from './database-servers.ts';

/**
 * `pg` treats these modes as `verify-full` and warns that a later version will not. Writing `verify-full` explicitly
 * preserves the present meaning; with `uselibpqcompat` the operator requests libpq's meaning.
 */
const withPlainSslMode = (url: string): string =>
  /[?&]uselibpqcompat=/.test(url)
    ? url
    : url.replaceAll(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');

const servers = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** Throws a StartError that does not contain the password. */
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
