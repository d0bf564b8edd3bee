/** Imported into a Node process with `--expose-gc`: SIGUSR2 triggers a garbage collection. */
process.on('SIGUSR2', () => globalThis.gc?.());
