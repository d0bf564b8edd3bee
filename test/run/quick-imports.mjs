/**
 * AVA loads this module in the thread of each test file, before the file: imports are resolved as in a gateway
 * (`config/module-resolution.mjs`), and stack traces need no source maps, because TypeScript's types are only blanked.
 */
import { resolveQuickly } from '../../config/module-resolution.mjs';

process.setSourceMapsEnabled(false);
resolveQuickly(new URL('../..', import.meta.url).href);
