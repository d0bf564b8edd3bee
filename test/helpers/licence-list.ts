/** The packages that are installed with the gateway, by their licence: made from `package-lock.json`. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

export const licencesPage = 'guides/licences.md';

/** What stands between these lines of the page is made here. */
const between = /(?<=<!-- listed: begin -->\n)[^]*(?=<!-- listed: end -->)/;

/** Packages that do not say their licence where others do, and where they say it. */
const saidElsewhere: Readonly<Record<string, string>> = {
  // At the end of its Readme.md.
  only: 'MIT',
};

const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({ license: z.string().optional(), dev: z.boolean().optional(), link: z.boolean().optional() }),
  ),
});

/** The packages by their licences. What only developers install is left out. */
export const packagesByLicence = (lock: unknown): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, Set<string>>();
  for (const [path, { license, dev, link }] of Object.entries(lockFile.parse(lock).packages)) {
    const at = path.lastIndexOf('node_modules/');
    if (at === -1 || dev === true || link === true) continue;
    const name = path.slice(at + 'node_modules/'.length);
    const licence = license ?? saidElsewhere[name];
    if (licence === undefined) throw new Error(`Nobody knows the licence of ${name}`);
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

/** The page with the packages of today. */
export const withList = (page: string): string => page.replace(between, () => `\n${listed()}\n`);
