/** Imported into a Node that runs with `--expose-gc`: SIGUSR2 makes it collect its garbage at once. */
process.on('SIGUSR2', () => globalThis.gc?.());
