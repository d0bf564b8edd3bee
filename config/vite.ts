import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const folder = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * The console and the API reference, built into files that the gateway serves itself. Nothing inline: their policy allows
 * none of that.
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
      // One file for all that pages share, instead of one for each set of pages that share something.
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } },
    },
  },
});
