/**
 * AVA loads this module in the thread of each test file, before the file: imports are resolved as in a gateway
 * (`config/module-resolution.mjs`), and stack traces need no source maps, because TypeScript's types are only blanked.
 *
 * In the thread of a file of `test/together`, the imported test files get their own `test` (`tests-of-file.ts`) as `ava`.
 */
import { registerHooks } from 'node:module';
import { useBundle } from '../../config/bundled-packages.mjs';
import { resolveQuickly } from '../../config/module-resolution.mjs';

const root = new URL('../..', import.meta.url).href;
process.setSourceMapsEnabled(false);
useBundle(root);
resolveQuickly(root);

const tests = `${root}test/`;
const ending = '.test.ts';
/** URLs of the test files of this thread, without their ending. */
const together = new Set();

/** The test file that a module belongs to: the module itself, or the one after which its folder is named. */
const fileOf = (url) => {
  const own = url.slice(0, -ending.length);
  const member = together.has(own) ? own : [...together].find((one) => url.startsWith(`${one}/`));
  return member === undefined ? '' : `${member.slice(tests.length)}${ending}`;
};

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    if (parentURL.startsWith(`${tests}together/`)) {
      const resolved = next(specifier, context);
      if (resolved.url.endsWith(ending)) together.add(resolved.url.slice(0, -ending.length));
      return resolved;
    }
    const isTest = parentURL.startsWith(tests) && !parentURL.startsWith(`${tests}run/`);
    if (specifier !== 'ava' || !isTest || together.size === 0) return next(specifier, context);
    const url = `${tests}run/tests-of-file.ts?file=${encodeURIComponent(fileOf(parentURL))}`;
    return { url, format: 'module-typescript', shortCircuit: true };
  },
});
