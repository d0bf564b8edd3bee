/**
 * The packages of a gateway in few files instead of some thousand modules, which take longer to find, read and link than
 * to run: calls of a killed gateway wait for this. `bundle-packages.mjs` writes the files for one lockfile. Without
 * files for the current lockfile, the packages themselves are loaded. This module is loaded before all others and is
 * therefore plain JavaScript (`src/main.mjs`).
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Imports that lead to the bundle. A package must be here with every path by which the code or a test imports it,
 * otherwise it would be loaded twice (test/start/bundled-packages.test.ts). Not here: packages that load files of their
 * own folders (WebAssembly), and those that few gateways load.
 */
export const bundledImports = [
  '@koa/router',
  '@mikro-orm/core',
  '@mikro-orm/migrations',
  '@mikro-orm/postgresql',
  '@modelcontextprotocol/sdk/client/index.js',
  '@modelcontextprotocol/sdk/client/stdio.js',
  '@modelcontextprotocol/sdk/client/streamableHttp.js',
  '@modelcontextprotocol/sdk/server/index.js',
  '@modelcontextprotocol/sdk/server/stdio.js',
  '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js',
  '@modelcontextprotocol/sdk/types.js',
  '@opentelemetry/api',
  '@statelyai/inspect',
  '@xstate/store',
  'drachtio-fsmrf',
  'drachtio-srf',
  'drachtio-srf/lib/dialog.js',
  'drachtio-srf/lib/drachtio-agent.js',
  'koa',
  'koa-helmet',
  'kysely',
  'libphonenumber-js/max',
  'pg',
  'pino',
  'prom-client',
  'proxy-addr',
  'rate-limiter-flexible',
  'undici',
  'ws',
  'xstate',
  'xstate/graph',
  'yaml',
  'zod',
  'zod-openapi',
];

/** Everything that the bundle depends on, relative to the project's folder. */
const sources = ['package-lock.json', 'config/bundled-packages.mjs', 'config/write-bundle.mjs'];

/**
 * The folder of the bundle for the current lockfile. In a folder `node_modules`, so that Node prints no deprecation
 * warnings about it. `root` is the URL of the project's folder.
 */
export const bundleFolder = (root) => {
  const hash = createHash('sha256');
  for (const path of sources) hash.update(readFileSync(fileURLToPath(new URL(path, root)))).update('\0');
  return new URL(`dist/node_modules/${hash.digest('hex').slice(0, 16)}/`, root);
};

/** List of the files of a bundle, written last. */
export const manifestName = 'bundle.json';

/** Modules in each file of a bundle, for tests. */
export const modulesName = 'modules.json';

/** Throws if a file of the bundle is missing or was not written completely. */
export const readManifest = (folder) => {
  const manifest = JSON.parse(readFileSync(fileURLToPath(new URL(manifestName, folder)), 'utf8'));
  for (const { file, size } of manifest.files)
    if (statSync(fileURLToPath(new URL(file, folder))).size !== size) throw new Error(`${file} is damaged`);
  return manifest;
};

/** Whether the bundle for the current lockfile is there. */
export const hasBundle = (root) => {
  try {
    readManifest(bundleFolder(root));
    return true;
  } catch {
    return false;
  }
};

/**
 * Whether modules were preloaded into this process, such as an instrumentation, which recognizes packages by their files
 * (guides/watching.md).
 */
export const hasPreloads = () =>
  /(^|\s)(-r|--require|--import|--(experimental-)?loader)\b/.test(
    [process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' '),
  );

/**
 * Resolves imports of bundled packages to the bundle in this thread from now on, if there is a usable one. `root` is the
 * URL of the project's folder.
 */
export const useBundle = (root) => {
  if (hasPreloads()) return;
  let folder, entries;
  try {
    folder = bundleFolder(root);
    ({ entries } = readManifest(folder));
  } catch {
    return;
  }
  const packages = `${root}node_modules/`;
  const target = (file) => ({ url: new URL(file, folder).href, format: 'module' });
  const byImport = new Map(entries.map(({ specifier, file }) => [specifier, target(file)]));
  // Packages outside of the bundle may import another version, and some load a package by `require`.
  const byUrl = new Map(entries.map(({ module, file }) => [new URL(module, root).href, target(file)]));
  module.registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '', conditions } = context;
      const isOwn = parentURL.startsWith(root) && !parentURL.startsWith(packages);
      const direct = isOwn && conditions.includes('import') ? byImport.get(specifier) : undefined;
      if (direct !== undefined) return { ...direct, shortCircuit: true };
      const found = next(specifier, context);
      return { ...found, ...byUrl.get(found.url) };
    },
  });
};
