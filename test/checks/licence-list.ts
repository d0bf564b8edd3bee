/** Lists the packages that are installed with the gateway by licence, read from `package-lock.json`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

export const licencesPage = 'guides/licences.md';

/** Generated part of the page. */
const between = /(?<=<!-- listed: begin -->\n)[^]*(?=<!-- listed: end -->)/;

/** Licences of packages whose package.json has no licence field, with their source. */
const saidElsewhere: Readonly<Record<string, string>> = {
  // From the end of its Readme.md.
  only: 'MIT',
};

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({ license: z.string().optional(), dev: z.boolean().optional(), link: z.boolean().optional() }),
  ),
});

/** Returns package names by licence, without development dependencies. */
export const packagesByLicence = (lock: unknown): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, Set<string>>();
  for (const [path, { license, dev, link }] of Object.entries(lockFile.parse(lock).packages)) {
    const at = path.lastIndexOf('node_modules/');
    if (at === -1 || dev === true || link === true) continue;
    const name = path.slice(at + 'node_modules/'.length);
    const licence = license ?? saidElsewhere[name];
    if (licence === undefined) throw new Error(`No licence is known for ${name}`);
    const names = found.get(licence) ?? new Set();
    found.set(licence, names.add(name));
  }
  return new Map(
    [...found]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([licence, names]) => [licence, [...names].toSorted()]),
  );
};

const listed = (): string => {
  const file = fileURLToPath(new URL('../../package-lock.json', import.meta.url));
  const lock: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return [...packagesByLicence(lock)]
    .map(([licence, names]) => `**${licence}**: ${names.map((name) => `\`${name}\``).join(', ')}.\n`)
    .join('\n');
};

/** Returns the page with a current list. */
export const withList = (page: string): string => page.replace(between, () => `\n${listed()}\n`);
