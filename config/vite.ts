import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const folder = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * Builds the console, the API reference and the page of the Stately inspector into files that the gateway serves. No content is inlined, because their
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
      input: ['index', 'docs', 'stately'].map((page) => folder(`src/console/${page}.html`)),
      // Two files of shared modules, instead of one for each combination of pages that share some: those that the first
      // page or the API reference needs, and those that only pages loaded on demand need.
      output: {
        codeSplitting: {
          groups: [
            { name: 'shared', tags: ['$initial'], minShareCount: 2, priority: 1 },
            { name: 'pages', minShareCount: 2 },
          ],
        },
      },
    },
  },
});
