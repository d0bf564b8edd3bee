/**
 * Starts the gateway. Calls of a killed process wait for this start, so all modules are loaded by the compiled code that
 * an earlier start has stored in the data folder. A missing data folder is not created here, because its permissions
 * are set later.
 */
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { compileCacheIn, usualDataFolder } from '#config/data-folder.ts';

const dataFolder = process.env['GW_DATA_DIR'] ?? usualDataFolder;
if (existsSync(dataFolder)) enableCompileCache(compileCacheIn(dataFolder));

await import('./run-gateway.ts');
