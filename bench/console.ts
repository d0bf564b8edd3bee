/**
 * Time from the request of the console's first page until it is interactive: the heading is shown and the page's thread
 * is free. Compared, in turns, to a bare page that shows a heading after one request. Each load has an empty cache. The
 * processor time is that of the page's thread. The median of several pairs counts.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { loadavg } from 'node:os';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';
import { z } from 'zod';
import { anyBrowser, browserFlags } from '#test/helpers/browser/chromium.ts';
import type { Bench } from './bench.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { median } from './percentile.ts';

const rounds = 15;

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
    const wallMs = z.number().parse(await page.evaluate('globalThis.interactiveAt'));
    const { metrics } = await session.send('Performance.getMetrics');
    const spent = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    return { wallMs, processorMs: spent * 1_000 };
  } finally {
    await page.close();
  }
};

const signedIn = async (browser: Browser, url: string, token: string): Promise<BrowserContext> => {
  const context = await browser.newContext({ locale: 'ko-KR' });
  const response = await context.request.post(`${url}/console/session`, {
    headers: { origin: url, 'x-trunkline-console': '1' },
    data: { token },
  });
  if (!response.ok()) throw new Error(`The sign-in failed: ${response.status()}`);
  return context;
};

export const benchConsole: Bench = async ({ started, print }) => {
  if (anyBrowser === undefined) return print('console', 'skipped: Chromium is not installed');
  const { url, adminHeaders } = await startGatewayProcess(started);
  const bareUrl = await startBarePage(started);
  const browser = await chromium.launch({ executablePath: anyBrowser, args: browserFlags });
  started.defer(() => browser.close());
  const token = (adminHeaders['authorization'] ?? '').replace('Bearer ', '');
  const context = await signedIn(browser, url, token);

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
