/** Options of the processes that run test files. */

/** Folder of compiled modules, relative to the project's folder; also set in `ava.config.js`. */
export const compileCache = 'node_modules/.cache/compiled';

export const nodeOptions = [
  /**
   * V8 aborts by chance ("Check failed: jit_page.has_value()") when worker threads compile and free WebAssembly on a
   * processor with protection keys (PKU): https://github.com/nodejs/node/issues/64500. Code memory is then unprotected.
   */
  '--no-memory-protection-keys',
  /**
   * Each thread fills its heap with the modules of a gateway. Without room from the beginning, V8 would collect garbage
   * again and again during that, and find little.
   */
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  '--initial-old-space-size=200',
  /**
   * Threads that compile and collect garbage beside all others. The test files keep the processors busy already: with the
   * usual four, the same tests take a tenth more processor time.
   */
  '--v8-pool-size=1',
];
