/**
 * Starts the gateway. Calls of a killed process wait for this start, so its modules come from a script with compiled
 * code if there is one for the current sources. Otherwise they are loaded one by one, by the compiled code that an
 * earlier start has stored in the data folder. This module and those it imports are plain JavaScript, because Node
 * would load its TypeScript compiler for modules without stored code. A missing data folder is not created here, because
 * its permissions are set later.
 */
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { compileCacheIn, usualDataFolder } from '../config/data-folder.mjs';
import { useScript } from '../config/gateway-script.mjs';

const dataFolder = process.env.GW_DATA_DIR || usualDataFolder;
if (existsSync(dataFolder)) enableCompileCache(compileCacheIn(dataFolder));
const root = new URL('..', import.meta.url).href;

/** Prepares this thread for loading the modules one by one. */
const loadOneByOne = async () => {
  const { useBundle } = await import('../config/bundled-packages.mjs');
  const { resolveQuickly } = await import('../config/module-resolution.mjs');
  useBundle(root);
  return resolveQuickly(root);
};

const { script, code } = useScript(root);
const { importInPieces, deregister } = script ?? (await loadOneByOne());
const { runGateway } = script?.load('src/run-gateway.ts') ?? (await import('./run-gateway.ts'));
await runGateway({ importInPieces, deregister, code });
