/** Name of PocketSphinx's program. */
export const pocketsphinxProgram = 'pocketsphinx_continuous';
