/**
 * Where the database is, as libpq writes it: `postgresql://user:password@host:port/database`, with several servers of
 * one database as `host:port,host:port`.
 */
import { StartError } from '#src/domain/start-error.ts';
import type { DatabaseServer } from './database-servers.ts';

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
  return { name: `${parsed.host}/${database}`, address: { connectionString: url } };
};
