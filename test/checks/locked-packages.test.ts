/** Checks that packages are locked by hash, come from the registry, and run no install scripts. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const dependencies = z.record(z.string(), z.string()).default({});
const manifest = z
  .object({ dependencies, devDependencies: dependencies, optionalDependencies: dependencies })
  .parse(JSON.parse(read('package.json')));
const direct = {
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...manifest.optionalDependencies,
};

const lockfile = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string().optional(),
        integrity: z.string().optional(),
        resolved: z.string().optional(),
        link: z.boolean().optional(),
        dev: z.boolean().default(false),
        devOptional: z.boolean().default(false),
      }),
    ),
  })
  .parse(JSON.parse(read('package-lock.json')));

/** Packages from the registry, without the project and its workspace. */
const locked = Object.entries(lockfile.packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && link !== true,
);

test('direct dependencies have exact versions', (t) => {
  for (const [name, version] of Object.entries(direct)) t.regex(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
});

test('every package is locked by hash and comes from the registry', (t) => {
  t.true(locked.length > Object.keys(direct).length);
  for (const [path, { integrity = '', resolved, version = '' }] of locked) {
    t.regex(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/, path);
    t.regex(version, /^\d+\.\d+\.\d+/, path);
    // npm omits the address of the configured registry.
    t.regex(resolved ?? 'https://', /^https:\/\//, path);
  }
});

test('packages are installed without install scripts', (t) => {
  const installing = ['config/install.mjs', 'config/Dockerfile', 'test/real-agents/prepare-project.ts'];
  for (const path of installing) t.regex(read(path), /--ignore-scripts/, path);
  for (const line of read('config/Dockerfile').split('\n'))
    if (/npm (ci|install)/.test(line)) t.regex(line, /--ignore-scripts/);
});

test('list-components lists every runtime package with hash and licence, and no development dependency', async (t) => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'list-components'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { components } = z
    .object({
      components: z.array(
        z.object({
          name: z.string(),
          version: z.string(),
          hashes: z.array(z.unknown()).optional(),
          licenses: z.array(z.unknown()).optional(),
        }),
      ),
    })
    .parse(JSON.parse(stdout));
  const inList = new Set(components.map(({ name, version }) => `${name} ${version}`));
  for (const [path, { version = '', dev, devOptional }] of locked) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (!dev && !devOptional) t.true(inList.has(`${name} ${version}`), path);
    else if (dev && name in manifest.devDependencies) t.false(inList.has(`${name} ${version}`), path);
  }
  t.deepEqual(
    components.filter(({ hashes, licenses }) => hashes === undefined && licenses === undefined),
    [],
  );
});
