/**
 * The data folder. This module is loaded before all others and therefore imports only Node's own, and is plain
 * JavaScript (`src/main.mjs`). Its types are in `data-folder.d.mts`.
 */
import { join, resolve } from 'node:path';

export const usualDataFolder = '.data';

export const compileCacheIn = (dataFolder) => join(resolve(dataFolder), 'compile-cache');
