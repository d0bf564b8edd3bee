import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';

const observed = z.object({
  imports: z.number(),
  differing: z.array(z.unknown()),
  before: z.array(z.string()),
  bundled: z.number(),
  twice: z.array(z.string()),
  modules: z.number(),
  mostInOneTurn: z.number(),
});

const run = promisify(execFile);

const observe = async (): Promise<z.infer<typeof observed>> => {
  await run(process.execPath, [fileURLToPath(new URL('../../config/bundle-packages.mjs', import.meta.url))]);
  const program = fileURLToPath(new URL('observe-loading.mjs', import.meta.url));
  const { stdout } = await run(process.execPath, ['--experimental-import-meta-resolve', program]);
  return observed.parse(JSON.parse(stdout));
};

/** All tests use one process, because it loads all modules of a gateway. */
let observation: Promise<z.infer<typeof observed>> | undefined;
const loading = () => (observation ??= observe());

test('the quick resolution finds the same modules as Node', async (t) => {
  const { imports, differing } = await loading();
  t.true(imports > 1_000, `${imports} imports`);
  t.deepEqual(differing, []);
});

test('loads bundled packages only from the bundle', async (t) => {
  const { bundled, twice } = await loading();
  t.true(bundled > 1_000, `${bundled} modules`);
  t.deepEqual(twice, []);
});

/** Packages and modules of Node for work that can wait until the calls of a killed gateway continue. */
const later = [
  '@koa/router',
  '@modelcontextprotocol/sdk',
  'koa',
  // As a module, it loads Node's own HTTP client.
  'node:http',
  'pino-pretty',
  'undici',
  'wasm-media-encoders',
];

test('loads few packages before resumed calls', async (t) => {
  const { before } = await loading();
  t.true(before.includes('xstate'));
  t.deepEqual(
    before.filter((name) => later.includes(name)),
    [],
  );
});

test('loads the API one module at a time during resumed calls', async (t) => {
  const { modules, mostInOneTurn } = await loading();
  t.true(modules > 150, `${modules} modules`);
  t.is(mostInOneTurn, 1);
});
