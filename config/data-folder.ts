/** The data folder. This module is loaded before all others and therefore imports only Node's own. */
import { join, resolve } from 'node:path';

/** Default of `GW_DATA_DIR`. */
export const usualDataFolder = '.data';

/** Folder of the compiled code of the gateway's modules. */
export const compileCacheIn = (dataFolder: string): string => join(resolve(dataFolder), 'compile-cache');
