import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';

const compared = z.object({ imports: z.number(), differing: z.array(z.unknown()) });

test('the quick resolution finds the same modules as Node', async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--experimental-import-meta-resolve',
    fileURLToPath(new URL('compare-resolution.mjs', import.meta.url)),
    '#src/gateway.ts',
    '#src/parts/http.ts',
    '#sip/drachtio/drachtio-lines.ts',
    '#sip/simulator/simulator-lines.ts',
  ]);
  const { imports, differing } = compared.parse(JSON.parse(stdout));
  t.true(imports > 1_000, `${imports} imports`);
  t.deepEqual(differing, []);
});
