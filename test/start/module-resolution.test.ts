import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';

const compared = z.object({ imports: z.number(), differing: z.array(z.unknown()) });

const loaded = z.object({ modules: z.number(), mostInOneTurn: z.number() });

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

test('loads the modules of the API one by one, and the event loop continues after each', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [program('count-loading-turns.mjs')]);
  const { modules, mostInOneTurn } = loaded.parse(JSON.parse(stdout));
  t.true(modules > 150, `${modules} modules`);
  t.is(mostInOneTurn, 1);
});
