import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { z } from 'zod';
import { fakeGateway } from '#test/api/fake-gateway.ts';
import { consoleTest } from './in-browser.ts';

const built = new URL('../../dist/console/', import.meta.url);

test('all of the console is small', async (t) => {
  const files = await readdir(built);
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
  t.is(parts.length, 3);
  for (const path of parts) {
    const { status, headers } = await anonymous.get(path);
    t.is(status, 200, path);
    t.regex(headers.get('cache-control') ?? '', /immutable/);
  }
  for (const path of ['index.html', '.sources', '..%2f..%2fpackage.json', 'none.js', 'constructor'])
    t.is((await anonymous.get(`/console/${path}`)).status, 404, path);
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
