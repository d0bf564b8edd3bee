/**
 * Resolution of imports without the file system: calls of a killed gateway wait for this. Node would check for each
 * import that the file exists, resolve symbolic links in its path and search the package.json that applies, which is a
 * third of the time of loading. A relative import of an ES module and an own one (`#src/…`) have only one possible
 * target, whose absence the load reports. This module is loaded before all others and is therefore plain JavaScript
 * (`src/main.mjs`).
 */
import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * Returns the specifiers of the static imports of a module, except those of types. In formatted code, an import ends
 * the line on which it begins or a line that begins with `} from`.
 */
const importsIn = (source) => {
  const found = [];
  let isOfTypes = false;
  for (const line of source.split('\n')) {
    const begins = line.startsWith('import ') || line.startsWith('export ');
    if (begins) isOfTypes = line.startsWith('import type ') || line.startsWith('export type ');
    if (isOfTypes || !(begins || line.startsWith('} from ')) || !line.endsWith(';')) continue;
    const quote = line.at(-2);
    if (quote !== "'" && quote !== '"') continue;
    if (line.startsWith(`import ${quote}`) || line.includes(` from ${quote}`))
      found.push(line.split(quote).at(-2));
  }
  return found;
};

/** Resolves imports of this thread quickly from now on. `root` is the URL of the folder with the package.json. */
export const resolveQuickly = (root) => {
  const packages = `${root}node_modules/`;
  const bundle = `${root}dist/`;
  const isOwn = (url) => url.startsWith(root) && !url.startsWith(packages) && !url.startsWith(bundle);
  const isRelative = (specifier) => /^\.\.?\//.test(specifier);
  /** Modules that were resolved. Node loads a module in the same turn of the event loop. */
  const loaded = new Set();
  // Format that the package.json would give: the search for it takes as long as the rest of a resolution.
  const target = (url) => {
    loaded.add(url);
    return {
      url,
      shortCircuit: true,
      ...(url.endsWith('.ts') && isOwn(url) ? { format: 'module-typescript' } : {}),
    };
  };
  /** Packages that own modules import. Packages may import other versions of the same ones. */
  const known = new Map();
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const { parentURL, conditions } = context;
      // A `require` has other rules: extensions and folders are searched.
      if (parentURL === undefined || !conditions.includes('import')) return next(specifier, context);
      if (isRelative(specifier)) return target(new URL(specifier, parentURL).href);
      if (!isOwn(parentURL)) return next(specifier, context);
      if (specifier.startsWith('#')) return target(root + specifier.slice(1));
      if (specifier.startsWith(root)) return target(specifier);
      const resolved = known.get(specifier) ?? next(specifier, context);
      known.set(specifier, resolved);
      return { ...resolved, shortCircuit: true };
    },
  });

  /** Returns the URL of an imported module; undefined if it is loaded already or is loaded with its importer. */
  const toLoad = (specifier, importer) => {
    if (specifier.startsWith('node:')) return undefined;
    const isPackage = !isRelative(specifier) && !specifier.startsWith('#');
    if (isPackage)
      return isOwn(importer) && !known.has(specifier) ? import.meta.resolve(specifier) : undefined;
    const url = isRelative(specifier) ? new URL(specifier, importer).href : root + specifier.slice(1);
    return loaded.has(url) ? undefined : url;
  };

  return {
    /** Ends the quick resolution. */
    deregister: () => hooks.deregister(),
    /**
     * Loads a module and those that it imports one at a time, each after its own imports, and lets the event loop
     * continue after each. Node loads and runs a module with all of its imports in one turn, for which calls in
     * progress would wait. Never rejects: the following import of the module reports errors.
     */
    async importInPieces(entry) {
      const visited = new Set();
      const visit = async (url) => {
        if (visited.has(url)) return;
        visited.add(url);
        try {
          for (const specifier of importsIn(await readFile(fileURLToPath(url), 'utf8'))) {
            const imported = toLoad(specifier, url);
            if (imported !== undefined) await visit(imported);
          }
          await import(url);
        } catch {
          // The import of the entry throws the same error.
        }
        await setImmediate();
      };
      await visit(entry);
    },
  };
};
