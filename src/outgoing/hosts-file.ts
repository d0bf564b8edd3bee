import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isIP } from 'node:net';

/** Returns the addresses of a name in the order of the file. Names are in lower case. */
export type HostsFile = (name: string) => readonly string[];

const usualPath =
  process.platform === 'win32'
    ? join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

/** Parses the hosts file, whose lines are `address name name …`; `#` begins a comment (hosts(5)). */
export const parseHosts = (text: string): ReadonlyMap<string, readonly string[]> => {
  const addresses = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [content = ''] = line.split('#');
    const [address = '', ...names] = content.trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      addresses.set(key, [...(addresses.get(key) ?? []), address]);
    }
  }
  return addresses;
};

/**
 * Opens the hosts file and reads it again after each change. Reads are synchronous, because the shared threads may all
 * wait for look-ups, and the file is small. A missing file counts as empty.
 */
export const openHostsFile = (path = usualPath): HostsFile => {
  let version = '';
  let hosts = parseHosts('');
  return (name) => {
    const found = statSync(path, { throwIfNoEntry: false });
    const current = found === undefined ? '' : `${found.mtimeMs} ${found.size} ${found.ino}`;
    if (current !== version) {
      hosts = parseHosts(found === undefined ? '' : readFileSync(path, 'utf8'));
      version = current;
    }
    return hosts.get(name) ?? [];
  };
};
