/** Default of `GW_DATA_DIR`. */
export const usualDataFolder: '.data';

/** Folder of the compiled code of the gateway's modules. */
export const compileCacheIn: (dataFolder: string) => string;
