/** The console and the API reference are sent compressed, and loaded once. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { fakeGateway } from '#test/api/fake-gateway.ts';
import { sent, type Sent } from '#test/helpers/sent.ts';
import { consoleTest } from './in-browser.ts';

/** How much the first page may be, with everything it loads and asks. */
const firstPageBytes = 90_000;

const partsOf = (page: Buffer): string[] =>
  [...page.toString().matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path);

/** The API reference, with its document. */
const referenceBytes = 150_000;

const everyFile = async (
  t: ExecutionContext,
  page = '/',
): Promise<[string, (encoding?: string) => Promise<Sent>][]> => {
  const { baseUrl } = await fakeGateway(t);
  const plain = await sent(`${baseUrl}${page}`);
  return [page, ...partsOf(plain.body)].map((path) => [
    path,
    (encoding) => sent(`${baseUrl}${path}`, encoding === undefined ? {} : { 'accept-encoding': encoding }),
  ]);
};

test('every file is sent as small as the browser takes it', async (t) => {
  for (const [path, get] of [...(await everyFile(t)), ...(await everyFile(t, '/docs'))]) {
    const plain = await get();
    t.is(plain.headers['content-encoding'], undefined, path);
    const brotli = await get('gzip, deflate, br, zstd');
    t.is(brotli.headers['content-encoding'], 'br', path);
    t.deepEqual(brotliDecompressSync(brotli.body), plain.body, path);
    for (const accepted of ['gzip, deflate', 'br;q=0, gzip']) {
      const gzip = await get(accepted);
      t.is(gzip.headers['content-encoding'], 'gzip', path);
      t.deepEqual(gunzipSync(gzip.body), plain.body, path);
    }
    t.is((await get('deflate')).headers['content-encoding'], undefined, path);
    for (const { headers, body } of [plain, brotli]) {
      t.is(headers['vary'], 'Accept-Encoding', path);
      t.is(headers['content-length'], String(body.length), path);
    }
    t.true(brotli.body.length < plain.body.length, path);
  }
});

test('a file is kept for ever, and the page that names it not at all', async (t) => {
  for (const [path, get] of [...(await everyFile(t)), ...(await everyFile(t, '/docs'))]) {
    const { headers } = await get('br');
    if (path === '/' || path === '/docs') {
      t.is(headers['cache-control'], 'no-store');
    } else {
      t.is(headers['cache-control'], 'public, max-age=31536000, immutable', path);
      t.regex(path, /-[\w-]{8}\.(js|css|svg)$/);
    }
  }
});

test('the compressed copies have no address of their own', async (t) => {
  const { baseUrl } = await fakeGateway(t);
  for (const path of partsOf((await sent(`${baseUrl}/`)).body)) {
    t.is((await sent(`${baseUrl}${path}`)).status, 200, path);
    for (const ending of ['.br', '.gz']) t.is((await sent(`${baseUrl}${path}${ending}`)).status, 404, path);
  }
});

test('what the first page loads is small, without brotli as well', async (t) => {
  const sizes = await Promise.all(
    (await everyFile(t)).map(async ([, get]) => (await get('gzip')).body.length),
  );
  const sum = sizes.reduce((all, size) => all + size);
  t.true(sum > 10_000 && sum < firstPageBytes, `${sum} bytes`);
});

/** Answers how many bytes came over the line, heads included, without what the browser had kept, since it was asked last. */
const bytesOver = async (page: Page): Promise<() => number> => {
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.clearBrowserCache');
  let bytes = 0;
  network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  return () => {
    const sum = bytes;
    bytes = 0;
    return sum;
  };
};

consoleTest('the first page is small over the line, and its files come once', async (t, { open }) => {
  const page = await open();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const bytes = await bytesOver(page);
  const load = async (): Promise<number> => {
    bytes();
    await page.reload({ waitUntil: 'networkidle' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    return bytes();
  };
  const first = await load();
  t.true(first > 10_000 && first < firstPageBytes, `${first} bytes`);
  const again = await load();
  t.true(again < 10_000, `${again} bytes for a page that was there already`);
});

consoleTest('the API reference is small over the line, in Korean as well', async (t, { open, gateway }) => {
  for (const locale of ['en-US', 'ko-KR'] as const) {
    const page = await open({ locale });
    const bytes = await bytesOver(page);
    await page.goto(`${gateway.credentials.base_url}/docs`, { waitUntil: 'networkidle' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const sum = bytes();
    t.log(locale, sum);
    t.true(sum > 10_000 && sum < referenceBytes, `${locale}: ${sum} bytes`);
  }
});
