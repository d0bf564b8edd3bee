/** The script of this gateway (config/gateway-script.mjs), written for the current sources. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';

const observed = z.object({
  modules: z.number(),
  inOneTurn: z.array(z.string()),
  before: z.array(z.string()),
  partsBefore: z.array(z.number()),
  own: z.number(),
  alone: z.array(z.string()),
  differing: z.array(z.string()),
  reassigned: z.array(z.string()),
});

const run = promisify(execFile);
const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const observe = async (): Promise<z.infer<typeof observed>> => {
  await run(process.execPath, [pathOf('../../config/compile-gateway.mjs'), '--here', '--without-practice']);
  const { stdout } = await run(process.execPath, [pathOf('observe-script.mjs')]);
  return observed.parse(JSON.parse(stdout));
};

/** All tests use one process, because it loads all modules of a gateway. */
let observation: Promise<z.infer<typeof observed>> | undefined;
const loading = () => (observation ??= observe());

test('has the modules of the gateway with the exports that Node finds', async (t) => {
  const { own, differing } = await loading();
  t.true(own > 500, `${own} modules`);
  t.deepEqual(differing, []);
});

test('loads no module a second time by itself', async (t) => {
  t.deepEqual((await loading()).alone, []);
});

test('loads the API one module at a time during resumed calls', async (t) => {
  const { modules, inOneTurn } = await loading();
  t.true(modules > 150, `${modules} modules`);
  t.is(inOneTurn.length, 1, inOneTurn.join(' '));
});

test('reads the first part and runs few modules before resumed calls', async (t) => {
  const { before, partsBefore } = await loading();
  t.deepEqual(partsBefore, [0]);
  t.true(before.includes('src/gateway.ts'));
  const later =
    /src\/(parts\/http|recordings\/s3-store|speech\/deepgram|cluster\/nats-wake-ups)\.ts|koa|undici|modelcontext/;
  t.deepEqual(
    before.filter((path) => later.test(path)),
    [],
  );
});

test('no package changes an exported variable after it was loaded', async (t) => {
  t.deepEqual((await loading()).reassigned, []);
});
