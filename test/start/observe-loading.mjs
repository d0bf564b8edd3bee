/**
 * Loads the modules of a gateway with the quick resolution as a restarted gateway does: those before its resumed calls,
 * then those during these calls. Prints as JSON
 *
 * - the number of imports, and those that Node's own resolution resolves differently;
 * - the packages and the modules of Node that are loaded before the calls;
 * - whether packages are loaded from the bundle, and the modules that are loaded from there and by themselves as well;
 * - of the modules that are loaded during the calls: the number of own ones, and the highest number in one turn of the
 *   event loop.
 *
 * Runs in its own process with `--experimental-import-meta-resolve`.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { bundleFolder, modulesName, useBundle } from '../../config/bundled-packages.mjs';
import { resolveQuickly } from '../../config/module-resolution.mjs';

const root = new URL('../..', import.meta.url).href;
const packages = `${root}node_modules/`;
const bundle = bundleFolder(root);
const bundledModules = JSON.parse(readFileSync(new URL(modulesName, bundle), 'utf8'));
useBundle(root);
const quick = resolveQuickly(root);

let turn = 0;
const countTurns = () => {
  turn += 1;
  next = setImmediate(countTurns);
};
let next = setImmediate(countTurns);

/** Modules of packages in a file, relative to the project's folder. */
const modulesIn = (url) => {
  if (url.startsWith(bundle.href)) return bundledModules[url.slice(bundle.href.length)] ?? [];
  return url.startsWith(packages) ? [url.slice(root.length)] : [];
};

const packageOf = (module) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1];

const imports = new Map();
const before = new Set();
const loaded = new Set();
const loadedIn = new Map();
let isBefore = true;
let isDuring = false;
const observing = registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL, conditions } = context;
    const found = nextResolve(specifier, context);
    if (isBefore && found.url.startsWith('node:') && conditions.includes('import')) before.add(found.url);
    if (parentURL !== undefined && conditions.includes('import'))
      imports.set(JSON.stringify([specifier, parentURL]), found.url);
    return found;
  },
  load(url, context, nextLoad) {
    const isOwn = url.startsWith(root) && !url.startsWith(packages) && !url.startsWith(bundle.href);
    if (isOwn && isDuring) loadedIn.set(turn, (loadedIn.get(turn) ?? 0) + 1);
    loaded.add(url);
    if (isBefore) for (const module of modulesIn(url)) before.add(packageOf(module));
    return nextLoad(url, context);
  },
});
// Joined names: the linter would check plain JavaScript, too, with the types of modules that it finds here.
for (const entry of ['src/run-gateway.ts', 'src/gateway.ts']) await import(root + entry);
isBefore = false;
for (const entry of ['sip/drachtio/drachtio-lines.ts', 'sip/simulator/simulator-lines.ts'])
  await import(root + entry);
isDuring = true;
for (const entry of ['src/parts/http.ts', 'src/api/mcp/answer-message.ts']) {
  await quick.importInPieces(root + entry);
  await import(root + entry);
}
observing.deregister();
quick.deregister();
clearImmediate(next);

const differing = [...imports].filter(([asked, url]) => import.meta.resolve(...JSON.parse(asked)) !== url);
const inBundle = new Set([...loaded].filter((url) => url.startsWith(bundle.href)).flatMap(modulesIn));
const counts = [...loadedIn.values()];
process.stdout.write(
  JSON.stringify({
    imports: imports.size,
    differing,
    before: [...before],
    bundled: inBundle.size,
    twice: [...inBundle].filter((module) => loaded.has(root + module)),
    modules: counts.reduce((sum, count) => sum + count, 0),
    mostInOneTurn: Math.max(...counts),
  }),
);
