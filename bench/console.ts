/**
 * Time from the request of the console's first page until it is interactive: the heading is shown and the page's thread
 * is free. Compared, in turns, to a bare page that shows a heading after one request. Each load has an empty cache. The
 * processor time is that of the page's thread. The median of several pairs counts.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { loadavg } from 'node:os';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { z } from 'zod';
import { anyBrowser, browserFlags } from '#test/helpers/browser/chromium.ts';
import type { Bench } from './bench.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { median } from './percentile.ts';
import { signIn } from './sign-in.ts';

const rounds = 15;

/** Time limit of one load in milliseconds. */
const longestMs = 30_000;

const barePage = `<!doctype html><html lang="en"><title>Bare</title><script type="module">
  const text = await (await fetch('/text')).text();
  document.body.innerHTML = '<h1>' + text + '</h1>';
</script><body></body></html>`;

const startBarePage = async (started: AsyncDisposableStack): Promise<string> => {
  const server = createServer((request, response) => {
    response.setHeader('content-type', request.url === '/text' ? 'text/plain' : 'text/html');
    response.end(request.url === '/text' ? 'Bare' : barePage);
  }).listen(0, '127.0.0.1');
  started.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return `http://127.0.0.1:${address.port}/`;
};

/** Resolves in the page when it shows this part and its thread is free, to the milliseconds since its request. */
const interactiveAt = (part: string): string => `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector('${part}') === null) return false;
    setTimeout(() => resolve(performance.now()), 0);
    return true;
  };
  if (look()) return;
  const observer = new MutationObserver(() => { if (look()) observer.disconnect(); });
  observer.observe(document, { childList: true, subtree: true });
})`;

/** Rejects when a load takes too long, with the text of the page, so that a page that shows something else ends the bench. */
const withinLimit = async <Result>(page: Page, part: string, work: Promise<Result>): Promise<Result> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const fail = (text: string): void =>
      reject(new Error(`no ${part} within ${longestMs} ms at ${page.url()}: ${text.slice(0, 300)}`));
    page
      .locator('body')
      .innerText({ timeout: 1_000 })
      .then(fail, () => fail('the page does not answer'));
  }, longestMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

type Load = { wallMs: number; processorMs: number };

const load = async (context: BrowserContext, url: string, part: string): Promise<Load> => {
  const page = await context.newPage();
  try {
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.addInitScript(`globalThis.interactiveAt = ${interactiveAt(part)};`);
    await page.goto(url, { waitUntil: 'commit' });
    const shown = page.evaluate('globalThis.interactiveAt');
    const wallMs = z.number().parse(await withinLimit(page, part, shown));
    const { metrics } = await session.send('Performance.getMetrics');
    const spent = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    return { wallMs, processorMs: spent * 1_000 };
  } finally {
    await page.close();
  }
};

export const benchConsole: Bench = async ({ started, print }) => {
  if (anyBrowser === undefined) return print('console', 'skipped: Chromium is not installed');
  const { url, adminHeaders } = await startGatewayProcess(started);
  const bareUrl = await startBarePage(started);
  const browser = await chromium.launch({ executablePath: anyBrowser, args: browserFlags });
  started.defer(() => browser.close());
  const token = (adminHeaders['authorization'] ?? '').replace('Bearer ', '');
  const context = await browser.newContext({ locale: 'ko-KR' });
  await signIn(context, url, token);

  // The first pair starts the processes of the browser and compiles the gateway's code.
  const pair = async (path: string): Promise<[Load, Load]> => [
    await load(context, bareUrl, 'h1'),
    await load(context, `${url}/${path}`, '#content h1'),
  ];
  for (const path of ['#/overview', '#/calls']) {
    await pair(path);
    const pairs: [Load, Load][] = [];
    for (let round = 0; round < rounds; round += 1) pairs.push(await pair(path));
    const medianOf = (side: 0 | 1, of: keyof Load): number => median(pairs.map((loads) => loads[side][of]));
    print(
      `console ${path}`,
      `interactive after ${medianOf(1, 'wallMs').toFixed(0)} ms (bare page ${medianOf(0, 'wallMs').toFixed(0)} ms), ` +
        `${medianOf(1, 'processorMs').toFixed(0)} ms of processor time (bare page ${medianOf(0, 'processorMs').toFixed(0)} ms), ` +
        `load ${(loadavg()[0] ?? 0).toFixed(1)}`,
    );
  }
};
