/** The document is sent as small as the client takes it. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import test from 'ava';
import { sent } from '#test/helpers/sent.ts';
import { fakeGateway } from './fake-gateway.ts';

test('the document is compressed for who takes it', async (t) => {
  const { baseUrl } = await fakeGateway(t);
  for (const path of ['/openapi.json']) {
    const plain = await sent(`${baseUrl}${path}`);
    t.is(plain.headers['content-encoding'], undefined, path);
    const brotli = await sent(`${baseUrl}${path}`, { 'accept-encoding': 'gzip, br' });
    t.is(brotli.headers['content-encoding'], 'br', path);
    t.deepEqual(brotliDecompressSync(brotli.body), plain.body, path);
    const gzipped = await sent(`${baseUrl}${path}`, { 'accept-encoding': 'gzip' });
    t.is(gzipped.headers['content-encoding'], 'gzip', path);
    t.deepEqual(gunzipSync(gzipped.body), plain.body, path);
    for (const { headers } of [plain, brotli, gzipped]) t.is(headers['vary'], 'Accept-Encoding', path);
    t.true(brotli.body.length * 3 < plain.body.length, `${path}: ${brotli.body.length} bytes`);
    t.log(path, brotli.body.length, gzipped.body.length, plain.body.length);
  }
});
