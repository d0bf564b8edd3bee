/**
 * Resolution of imports without the file system: calls of a killed gateway wait for this. Node would check for each
 * import that the file exists, resolve symbolic links in its path and search the package.json that applies, which is a
 * third of the time of loading. A relative import of an ES module and an own one (`#src/…`) have only one possible
 * target, whose absence the load reports. This module is loaded before all others and is therefore plain JavaScript
 * (`src/main.mjs`).
 */
import { registerHooks } from 'node:module';

/**
 * Resolves imports of this thread quickly from now on. `root` is the URL of the folder with the package.json. Returns
 * the hooks, which can be deregistered.
 */
export const resolveQuickly = (root) => {
  const packages = `${root}node_modules/`;
  const isOwn = (url) => url.startsWith(root) && !url.startsWith(packages);
  // Format that the package.json would give: the search for it takes as long as the rest of a resolution.
  const target = (url) => ({
    url,
    shortCircuit: true,
    ...(url.endsWith('.ts') && isOwn(url) ? { format: 'module-typescript' } : {}),
  });
  /** Packages that own modules import. Packages may import other versions of the same ones. */
  const known = new Map();
  return registerHooks({
    resolve(specifier, context, next) {
      const { parentURL, conditions } = context;
      // A `require` has other rules: extensions and folders are searched.
      if (parentURL === undefined || !conditions.includes('import')) return next(specifier, context);
      if (/^\.\.?\//.test(specifier)) return target(new URL(specifier, parentURL).href);
      if (!isOwn(parentURL)) return next(specifier, context);
      if (specifier.startsWith('#')) return target(root + specifier.slice(1));
      const resolved = known.get(specifier) ?? next(specifier, context);
      known.set(specifier, resolved);
      return { ...resolved, shortCircuit: true };
    },
  });
};
