/** The files of the console: their sizes, caching and build, and the accessibility of every page. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { shell as en } from '#src/console/language/en/shell.ts';
import { shell as ko } from '#src/console/language/ko/shell.ts';
import { fakeGateway } from '#test/api/fake-gateway.ts';
import { violationsOn } from '#test/helpers/browser/axe.ts';
import { sent, type Sent } from '#test/helpers/sent.ts';
import { everybodyCanUse } from './everybody-can-use.ts';
import { consoleTest, turnInto, turnTo, type ConsoleWorld } from './in-browser.ts';

// Build and first page

const built = new URL('../../dist/console/', import.meta.url);

test('the console has at most 250 kB compressed', async (t) => {
  const files = (await readdir(built)).filter((file) => !/\.(br|gz)$/.test(file));
  t.true(files.includes('index.html'), 'The console is not built; `npm test` builds it.');
  const sizes = await Promise.all(
    files.map(async (file) => gzipSync(await readFile(new URL(file, built))).length),
  );
  t.true(sizes.reduce((sum, size) => sum + size) < 250_000);
});

test('loads only files of the gateway, with long caching', async (t) => {
  const { client } = await fakeGateway(t);
  const anonymous = client.as(undefined);
  const page = await anonymous.get('/');
  t.false(/unsafe|https?:/.test(page.headers.get('content-security-policy') ?? 'unsafe'));
  const text = page.bytes.toString();
  t.false(/https?:\/\//.test(text));
  const parts = [...text.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path);
  // The script, what it shares with the API reference and with pages that are fetched later, the style and the icon.
  t.is(parts.length, 4);
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

test('does not build an existing console again', async (t) => {
  t.is((await runBuild(root)).stderr, '');
});

test('reports a failed console build and starts the gateway anyway', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-console-'));
  t.teardown(() => rm(folder, { recursive: true }));
  // All files that the build needs, except the packages.
  for (const path of [
    'package.json',
    'package-lock.json',
    'config/build-console.mjs',
    'config/one-at-a-time.mjs',
    'config/vite.ts',
    'src',
    'examples/rehearsals',
  ])
    await cp(new URL(path, root), join(folder, path), { recursive: true });
  const { stderr } = await runBuild(pathToFileURL(`${folder}/`));
  t.regex(stderr, /could not be built; the reason is above\. The gateway works without it\.\n$/);
});

consoleTest('paints the page before the API has responded', async (t, { open }) => {
  const page = await open({ isSignedIn: false });
  let letAnswer = (): void => {};
  const mayAnswer = new Promise<void>((resolve) => (letAnswer = resolve));
  await page.route(/\/(api|console\/session)/, async (route) => {
    await mayAnswer;
    await route.continue();
  });
  await page.reload();
  // The content security policy forbids the page to evaluate a condition again and again.
  await page.evaluate(`new Promise((painted) =>
    new PerformanceObserver((list) => {
      if (list.getEntriesByName('first-contentful-paint').length > 0) painted();
    }).observe({ type: 'paint', buffered: true }))`);
  letAnswer();
  await page.getByRole('heading', { level: 1 }).waitFor();
  t.pass();
});

// Compressed files

/** Maximum size of the first page, with all files and requests. */
const firstPageBytes = 90_000;

const partsOf = (page: Buffer): string[] =>
  [...page.toString().matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path = '']) => path);

/** Maximum size of the API reference with its document. */
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

const pages = ['/', '/docs', '/inspect'];

const everyFileOf = async (t: ExecutionContext, of: readonly string[]) =>
  (await Promise.all(of.map((page) => everyFile(t, page)))).flat();

test('sends every file with the best compression that the browser accepts', async (t) => {
  for (const [path, get] of await everyFileOf(t, pages)) {
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

test('caches files permanently, and never caches pages', async (t) => {
  for (const [path, get] of await everyFileOf(t, pages)) {
    const { headers } = await get('br');
    if (pages.includes(path)) {
      t.is(headers['cache-control'], 'no-store');
    } else {
      t.is(headers['cache-control'], 'public, max-age=31536000, immutable', path);
      t.regex(path, /-[\w-]{8}\.(js|css|svg)$/);
    }
  }
});

test('serves compressed copies only by the URL of the original', async (t) => {
  const { baseUrl } = await fakeGateway(t);
  for (const path of partsOf((await sent(`${baseUrl}/`)).body)) {
    t.is((await sent(`${baseUrl}${path}`)).status, 200, path);
    for (const ending of ['.br', '.gz']) t.is((await sent(`${baseUrl}${path}${ending}`)).status, 404, path);
  }
});

/** Names of the catalogues by language, as built. */
const catalogueFiles = async (): Promise<Readonly<Record<'en' | 'ko', string>>> => {
  const files = await readdir(built);
  const fileOf = (language: string): string =>
    files.find((file) => new RegExp(`^${language}-[\\w-]{8}\\.js$`).test(file)) ?? '';
  return { en: fileOf('en'), ko: fileOf('ko') };
};

test('the texts of a language are in its own file alone', async (t) => {
  const shared = (await Promise.all((await everyFile(t)).map(async ([, get]) => (await get()).body))).join(
    '',
  );
  const files = await catalogueFiles();
  for (const [language, text] of [
    ['en', en.signOutEverywhere],
    ['ko', ko.signOutEverywhere],
  ] as const) {
    t.true((await readFile(new URL(files[language], built), 'utf8')).includes(text), language);
    t.false(shared.includes(text), language);
  }
});

test('the files of the first page have at most 90 kB with gzip in each language', async (t) => {
  const sizes = await Promise.all(
    (await everyFile(t)).map(async ([, get]) => (await get('gzip')).body.length),
  );
  const pageBytes = sizes.reduce((all, size) => all + size);
  const { baseUrl } = await fakeGateway(t);
  for (const [language, file] of Object.entries(await catalogueFiles())) {
    const catalogue = await sent(`${baseUrl}/console/${file}`, { 'accept-encoding': 'gzip' });
    t.is(catalogue.status, 200, language);
    const sum = pageBytes + catalogue.body.length;
    t.log(language, sum);
    t.true(sum > 10_000 && sum < firstPageBytes, `${language}: ${sum} bytes`);
  }
});

/**
 * Counts transferred bytes of files since the last call, headers included, cached files excluded. Responses of the API
 * do not count, because their number depends on timing, nor do files that an earlier page had requested.
 */
const bytesOver = async (page: Page): Promise<() => number> => {
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.clearBrowserCache');
  let bytes = 0;
  const files = new Set<string>();
  network.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (!new URL(request.url).pathname.startsWith('/api/')) files.add(requestId);
  });
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength;
  });
  return () => {
    const sum = bytes;
    bytes = 0;
    return sum;
  };
};

consoleTest(
  'loading the first page transfers at most 90 kB with one catalogue alone, and a reload uses the cache',
  async (t, { open }) => {
    const files = await catalogueFiles();
    for (const [locale, own, other] of [
      ['en-US', files.en, files.ko],
      ['ko-KR', files.ko, files.en],
    ] as const) {
      const page = await open({ locale, isContextOwn: true });
      await page.getByRole('heading', { level: 1 }).waitFor();
      const bytes = await bytesOver(page);
      const asked = new Set<string>();
      page.on('request', (request) => asked.add(request.url().replace(/^.*\//, '')));
      const load = async (): Promise<number> => {
        bytes();
        await page.reload({ waitUntil: 'networkidle' });
        await page.getByRole('heading', { level: 1 }).waitFor();
        return bytes();
      };
      const first = await load();
      t.log(locale, first);
      t.true(first > 10_000 && first < firstPageBytes, `${locale}: ${first} bytes`);
      t.deepEqual([asked.has(own), asked.has(other)], [true, false], locale);
      const again = await load();
      t.true(again < 10_000, `${locale}: ${again} bytes for a page that was there already`);
    }
  },
);

consoleTest(
  'loading the API reference transfers at most 150 kB, also in Korean',
  async (t, { open, gateway }) => {
    for (const locale of ['en-US', 'ko-KR'] as const) {
      const page = await open({ locale, isContextOwn: true });
      const bytes = await bytesOver(page);
      await page.goto(`${gateway.credentials.base_url}/docs`, { waitUntil: 'networkidle' });
      await page.getByRole('heading', { level: 1 }).waitFor();
      const sum = bytes();
      t.log(locale, sum);
      t.true(sum > 10_000 && sum < referenceBytes, `${locale}: ${sum} bytes`);
    }
  },
);

// Accessibility

/** Creates one of everything, so that no page is empty. */
const furnish = async ({
  gateway: { admin, call, untilStatus, credentials },
}: ConsoleWorld): Promise<string[]> => {
  const ids = z.object({ id: z.string() });
  const trunk = await admin.post('/api/v1/admin/trunks', { name: 'carrier', host: 'sip.example.com' });
  const webhook = await admin.post('/api/v1/admin/webhooks', { url: 'http://127.0.0.1:9/events' });
  await admin.put(`/api/v1/admin/numbers/${credentials.number_id}/agents/outbound`, {
    agent: 'builtin',
    agent_type: 'langgraph',
    chat_url: 'http://127.0.0.1:9/',
    token: 'secret',
  });
  const busy = await call('01000000003');
  const polite = await call('01000000001');
  await untilStatus(busy, 'no_answer');
  await untilStatus(polite, 'completed');
  const number = `/numbers/${credentials.number_id}`;
  return [
    '/overview',
    '/calls',
    `/calls/${polite}`,
    '/place-call',
    '/numbers',
    '/numbers/new',
    `${number}/inbound`,
    `${number}/outbound`,
    `${number}/settings`,
    `${number}/latency`,
    '/agents',
    '/rehearsals',
    '/webhooks',
    '/webhooks/new',
    `/webhooks/${ids.parse(webhook.body).id}`,
    '/trunks',
    '/trunks/new',
    `/trunks/${ids.parse(trunk.body).id}`,
    '/audit',
    '/workspace',
    '/tokens',
    '/tokens/new',
    '/gateways',
  ];
};

const visitors = [
  { locale: 'ko-KR', width: 390, dark: false },
  { locale: 'en-US', width: 1280, dark: true },
] as const;

type Visitor = (typeof visitors)[number];

/** Chooses what shows further fields. Resolves to whether that has changed a form. */
const chooseAll = async (page: Page): Promise<boolean> => {
  let isChanged = false;
  for (const choice of ['endpoint', 'handshake', 'some'])
    for (const radio of await page.locator(`[type=radio][value=${choice}]`).all()) {
      if (await radio.isChecked()) continue;
      await radio.check();
      isChanged = true;
    }
  return isChanged;
};

/** Resolves after the next change of the address, when the page is painted. */
const nextAddress = `new Promise((resolve) =>
  addEventListener('hashchange', () => requestAnimationFrame(() => requestAnimationFrame(resolve)), { once: true }))`;

/** Leaves a changed form for another page: the question returns to the form first. */
const leaveForm = async (page: Page, path: string): Promise<void> => {
  await page.evaluate(`new Promise((resolve) => {
    const before = location.hash;
    addEventListener('hashchange', () => location.hash === before && resolve());
    location.hash = '${path}';
  })`);
  const isLeft = page.evaluate(nextAddress);
  await page.getByRole('dialog').locator('.danger').click();
  await isLeft;
};

/** Turns to a page without loading the document again, which keeps axe loaded. Resolves to whether a form is changed. */
const show = async (page: Page, path: string, isChanged: boolean): Promise<boolean> => {
  if (isChanged) {
    await leaveForm(page, path);
  } else {
    const isThere = page.evaluate(nextAddress);
    await turnTo(page, path);
    await isThere;
  }
  await page.locator('.loading').waitFor({ state: 'detached' });
  if (path.startsWith('/calls/'))
    await Promise.all(['.player', '.state-map'].map((part) => page.locator(part).waitFor()));
  return chooseAll(page);
};

/** Checks the page for the visitor who has seen the last one, and its look for the other one. Resolves to that one. */
const checkForBoth = async (
  t: ExecutionContext,
  page: Page,
  name: string,
  first: Visitor,
): Promise<Visitor> => {
  await everybodyCanUse(t, page, name);
  const second = visitors.find((one) => one !== first) ?? first;
  await turnInto(page, second);
  await everybodyCanUse(t, page, `${name}, ${second.locale}`, 'look');
  return second;
};

consoleTest('the check of the look finds pale text and a box that no key scrolls', async (t, { open }) => {
  const page = await open();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const found = async (): Promise<string[]> =>
    (await violationsOn(page, 'look')).map(({ id }) => id).toSorted();
  t.deepEqual(await found(), []);
  await page.evaluate(`(() => {
    const add = (style) => {
      const element = document.createElement('div');
      Object.assign(element.style, style);
      element.textContent = 'A few words. '.repeat(40);
      document.querySelector('#content').append(element);
    };
    add({ color: '#ccc', background: '#fff' });
    add({ color: '#000', background: '#fff', height: '3rem', overflow: 'scroll' });
  })()`);
  t.deepEqual(await found(), ['color-contrast', 'scrollable-region-focusable']);
});

consoleTest(
  'every page is accessible on telephone and desktop screens, in Korean and English, light and dark',
  async (t, world) => {
    const paths = await furnish(world);
    let visitor: Visitor = visitors[0];
    const page = await world.open({ ...visitor, isSignedIn: false });
    await page.getByRole('heading', { level: 1 }).waitFor();
    visitor = await checkForBoth(t, page, 'sign in', visitor);
    await page.locator('input[name=token]').fill(world.gateway.credentials.admin_token);
    await page.keyboard.press('Enter');
    await page.locator('.signed-in').waitFor({ state: 'attached' });
    let isChanged = false;
    for (const path of ['/nowhere', ...paths]) {
      isChanged = await show(page, path, isChanged);
      visitor = await checkForBoth(t, page, path, visitor);
    }
    // Otherwise it would still be at the question of a form.
    t.is(new URL(page.url()).hash, `#${paths.at(-1)}`);
  },
);
