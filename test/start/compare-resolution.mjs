/**
 * Loads the gateway's modules with the quick resolution, then compares each import with Node's own resolution. Prints
 * the number of imports and the differing ones as JSON. Runs in its own process with
 * `--experimental-import-meta-resolve`.
 */
import { registerHooks } from 'node:module';
import { resolveQuickly } from '../../config/module-resolution.mjs';

const imports = new Map();
const quick = resolveQuickly(new URL('../..', import.meta.url).href);
const recording = registerHooks({
  resolve(specifier, context, next) {
    const { parentURL, conditions } = context;
    const found = next(specifier, context);
    if (parentURL !== undefined && conditions.includes('import'))
      imports.set(JSON.stringify([specifier, parentURL]), found.url);
    return found;
  },
});
for (const entry of process.argv.slice(2)) await import(entry);
recording.deregister();
quick.deregister();

const differing = [...imports].filter(([asked, url]) => import.meta.resolve(...JSON.parse(asked)) !== url);
process.stdout.write(JSON.stringify({ imports: imports.size, differing }));
