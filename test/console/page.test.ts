import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { z } from 'zod';
import { fakeGateway } from '#test/api/fake-gateway.ts';
import { consoleTest } from './in-browser.ts';

const built = new URL('../../dist/console/', import.meta.url);

test('all of the console is small', async (t) => {
  const files = (await readdir(built)).filter((file) => !/\.(br|gz)$/.test(file));
  t.true(files.includes('index.html'), 'The console is not built; `npm test` builds it.');
  const sizes = await Promise.all(
    files.map(async (file) => gzipSync(await readFile(new URL(file, built))).length),
  );
  t.true(sizes.reduce((sum, size) => sum + size) < 250_000);
});

test('everything that the page loads comes from the gateway, and is kept for long', async (t) => {
  const { client } = await fakeGateway(t);
  const anonymous = client.as(undefined);
  const page = await anonymous.get('/');
  t.false(/unsafe|https?:/.test(page.headers.get('content-security-policy') ?? 'unsafe'));
  const text = page.bytes.toString();
  t.false(/https?:\/\//.test(text));
  const parts = [...text.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path);
  // The script, what it shares with the API reference and with a page that is fetched, the style and the icon.
  t.is(parts.length, 5);
  for (const path of parts) {
    const { status, headers } = await anonymous.get(path);
    t.is(status, 200, path);
    t.regex(headers.get('cache-control') ?? '', /immutable/);
  }
  for (const path of ['index.html', '.sources', '..%2f..%2fpackage.json', 'none.js', 'constructor'])
    t.is((await anonymous.get(`/console/${path}`)).status, 404, path);
});

const root = new URL('../../', import.meta.url);

const runBuild = async (folder: URL): Promise<{ stderr: string }> =>
  promisify(execFile)(process.execPath, [fileURLToPath(new URL('config/build-console.mjs', folder))]);

test('a console that is there is not built again', async (t) => {
  t.is((await runBuild(root)).stderr, '');
});

test('a build that fails stops nothing, and says so', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-console-'));
  t.teardown(() => rm(folder, { recursive: true }));
  // Everything but the packages.
  for (const path of [
    'package.json',
    'package-lock.json',
    'config/build-console.mjs',
    'config/one-at-a-time.mjs',
    'config/vite.ts',
    'src',
  ])
    await cp(new URL(path, root), join(folder, path), { recursive: true });
  const { stderr } = await runBuild(pathToFileURL(`${folder}/`));
  t.regex(stderr, /could not be built; the reason is above\. The gateway works without it\.\n$/);
});

consoleTest('something is seen within a second', async (t, { open }) => {
  const page = await open({ isSignedIn: false });
  const paints: number[] = [];
  // A machine that does something else for a moment says nothing about the page: the best of a few counts.
  for (let round = 0; round < 3; round++) {
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    const [paint] = z
      .array(z.number())
      .parse(
        await page.evaluate(
          "performance.getEntriesByName('first-contentful-paint').map((one) => one.startTime)",
        ),
      );
    if (paint !== undefined) paints.push(paint);
  }
  t.true(Math.min(...paints) < 1_000, `${paints.join(', ')} ms`);
});
