import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const folder = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * Builds the console and the API reference into files that the gateway serves. No content is inlined, because their
 * content security policy forbids that.
 */
export default defineConfig({
  root: folder('src/console'),
  base: '/console/',
  publicDir: false,
  cacheDir: folder('node_modules/.vite'),
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: folder('dist/console'),
    emptyOutDir: true,
    assetsDir: '',
    assetsInlineLimit: 0,
    target: 'es2023',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: [folder('src/console/index.html'), folder('src/console/docs.html')],
      // One file contains all shared modules, instead of one file for each combination of pages that share some.
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } },
    },
  },
});
