import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';

const compared = z.object({ imports: z.number(), differing: z.array(z.unknown()) });

const loaded = z.object({ before: z.array(z.string()), modules: z.number(), mostInOneTurn: z.number() });

const program = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

test('the quick resolution finds the same modules as Node', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--experimental-import-meta-resolve',
    program('compare-resolution.mjs'),
    '#src/gateway.ts',
    '#src/parts/http.ts',
    '#sip/drachtio/drachtio-lines.ts',
    '#sip/simulator/simulator-lines.ts',
  ]);
  const { imports, differing } = compared.parse(JSON.parse(stdout));
  t.true(imports > 1_000, `${imports} imports`);
  t.deepEqual(differing, []);
});

/** Packages of work that can wait until the calls of a killed gateway continue. */
const later = [
  '@koa/router',
  '@modelcontextprotocol/sdk',
  'koa',
  'pino-pretty',
  'undici',
  'wasm-media-encoders',
];

test('loads few packages before resumed calls, and the API one module at a time during them', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [program('count-loading-turns.mjs')]);
  const { before, modules, mostInOneTurn } = loaded.parse(JSON.parse(stdout));
  t.true(before.includes('xstate'));
  t.deepEqual(
    before.filter((name) => later.includes(name)),
    [],
  );
  t.true(modules > 150, `${modules} modules`);
  t.is(mostInOneTurn, 1);
});
