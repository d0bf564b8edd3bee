/**
 * Starts the gateway. Calls of a killed process wait for this start, so all modules are loaded by the compiled code that
 * an earlier start has stored in the data folder. This module and those it imports are plain JavaScript, because Node
 * would load its TypeScript compiler for modules without stored code. A missing data folder is not created here, because
 * its permissions are set later.
 */
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { compileCacheIn, usualDataFolder } from '../config/data-folder.mjs';
import { useBundle } from '../config/bundled-packages.mjs';
import { resolveQuickly } from '../config/module-resolution.mjs';

const dataFolder = process.env.GW_DATA_DIR ?? usualDataFolder;
if (existsSync(dataFolder)) enableCompileCache(compileCacheIn(dataFolder));
const root = new URL('..', import.meta.url).href;
useBundle(root);
const quick = resolveQuickly(root);

const { runGateway } = await import('./run-gateway.ts');
await runGateway(quick);
