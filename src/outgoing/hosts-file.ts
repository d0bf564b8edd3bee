import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isIP } from 'node:net';

/** The addresses of a name, in the file's order; none for a name that is not in it. Names are in lower case. */
export type HostsFile = (name: string) => readonly string[];

const usualPath =
  process.platform === 'win32'
    ? join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'drivers', 'etc', 'hosts')
    : '/etc/hosts';

/** Lines are `address name name …`; `#` begins a comment (hosts(5)). */
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
 * Reads the machine's hosts file, again when it was changed. At once and not by way of the shared threads: they may all
 * be held up by somebody's look-up, and a small local file is not worth waiting for one. An absent file names nobody.
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
