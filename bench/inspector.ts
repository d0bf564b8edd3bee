/**
 * The inspectors with 300 calls in progress, each with a turn every ten seconds: the console's list of calls, its
 * inspector of one call, and the page of the Stately inspector with all calls, whose inspector is a page of this bench,
 * because stately.ai cannot be reached. Bytes when a page is opened and per second, time until it is usable, frames while
 * it is scrolled and searched, memory of the page, and processor time of the gateway in short windows, in turns. Last, a
 * viewer that stops reading: memory of the gateway.
 *
 * `BENCH_CALLS`, `BENCH_ROUNDS` and `BENCH_MINUTES` (of the page's memory) set other numbers. Needs Chromium.
 */
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { anyBrowser, browserFlags } from '#test/helpers/browser/chromium.ts';
import type { Bench } from './bench.ts';
import { median, percentile } from './percentile.ts';
import { processorMs } from './processor-time.ts';
import { collecting, readMemory } from './read-memory.ts';
import { signIn } from './sign-in.ts';
import { answerEvery, startTalkingGateway, talkingCallee } from './talking-gateway.ts';
import { describeSpread, measureInTurns, moreThan, ratesOf } from './windows.ts';

const positive = z.coerce.number().positive();
const calls = positive.parse(process.env['BENCH_CALLS'] ?? 300);
const rounds = positive.parse(process.env['BENCH_ROUNDS'] ?? 10);
const minutes = positive.parse(process.env['BENCH_MINUTES'] ?? 3);
const turnSec = 10;
const windowMs = 3_000;
const settleMs = 1_000;
const countedMs = 10_000;
const looks = 5;
const frameMs = 1_000 / 60;

/** Longer than the bench. */
const callSec = 1_800;
/** A script has at most 200 steps. */
const script = answerEvery(turnSec, 99 * turnSec);

/** Stands in for the Stately inspector: it announces itself and counts the actors and messages that it receives. */
const statelyPage = `<!doctype html><html lang="en"><title>Inspector</title><body><script>
  let calls = 0;
  let messages = 0;
  addEventListener('message', ({ data }) => {
    messages += 1;
    if (data.type === '@xstate.actor' && data.rootId === data.sessionId) calls += 1;
    document.body.dataset.calls = calls;
    document.body.dataset.messages = messages;
  });
  (opener ?? parent).postMessage({ type: '@statelyai.connected' }, '*');
</script></body></html>`;

/** Counts the bytes that a page receives from the API and over websockets. */
const countBytes = async (page: Page) => {
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  const bytes = { api: 0, socket: 0, requests: 0 };
  const ofApi = new Set<string>();
  network.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (!new URL(request.url).pathname.startsWith('/api/')) return;
    ofApi.add(requestId);
    bytes.requests += 1;
  });
  network.on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (ofApi.has(requestId)) bytes.api += dataLength;
  });
  network.on('Network.webSocketFrameReceived', ({ response }) => {
    bytes.socket += response.payloadData.length;
  });
  return {
    sum: () => bytes.api + bytes.socket,
    describe: () =>
      `${(bytes.api / 1_000).toFixed(0)} kB of the API in ${bytes.requests} requests, ${(bytes.socket / 1_000).toFixed(0)} kB over websockets`,
  };
};

const frames = z.array(z.number());

/** Times between the frames of a page while something is done with it, in milliseconds. */
const framesDuring = async (page: Page, act: () => Promise<void>): Promise<number[]> => {
  await page.evaluate(`(() => {
    globalThis.frames = [];
    let before = performance.now();
    const frame = (now) => {
      globalThis.frames.push(now - before);
      before = now;
      globalThis.nextFrame = requestAnimationFrame(frame);
    };
    globalThis.nextFrame = requestAnimationFrame(frame);
  })()`);
  await act();
  return frames.parse(
    await page.evaluate('cancelAnimationFrame(globalThis.nextFrame), globalThis.frames.slice(1)'),
  );
};

const describeFrames = (times: readonly number[]): string =>
  `${times.length} frames, p50 ${percentile(times, 0.5).toFixed(0)} ms, p95 ${percentile(times, 0.95).toFixed(0)} ms, longest ${Math.max(...times).toFixed(0)} ms (${(times.filter((time) => time > 2 * frameMs).length / times.length).toFixed(2)} of them late)`;

const heapMb = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
};

export const benchInspector: Bench = async ({ started, print }) => {
  if (anyBrowser === undefined) return print('inspector', 'skipped: Chromium is not installed');
  const { gateway } = await startTalkingGateway(started, {
    script,
    nodeArguments: collecting,
    settings: { GW_INSPECT: '1' },
  });
  const { url, headers, pid, adminHeaders } = gateway;
  const name = `inspector, ${calls} calls`;
  const ids: string[] = [];
  const place = async (): Promise<void> => {
    const body = JSON.stringify({ to: talkingCallee, max_duration_sec: callSec });
    const response = await fetch(`${url}/api/v1/calls`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`A call was not placed: ${response.status} ${await response.text()}`);
    ids.push(z.object({ call_id: z.string() }).parse(await response.json()).call_id);
  };
  // Evenly over the time of a turn.
  for (let placed = 0; placed < calls; placed += 1) {
    await place();
    await pause((turnSec * 1_000) / calls / 2);
  }
  await pause(2 * turnSec * 1_000);

  const browser = await chromium.launch({ executablePath: anyBrowser, args: browserFlags });
  started.defer(() => browser.close());
  const context: BrowserContext = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    locale: 'en-US',
  });
  await context.route('https://stately.ai/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'access-control-allow-origin': '*' },
      body: statelyPage,
    }),
  );
  const token = (adminHeaders['authorization'] ?? '').replace('Bearer ', '');
  await signIn(context, url, token);

  const oneCall = `/#/inspect/${ids[Math.floor(calls / 2)] ?? ''}`;
  const pages = {
    list: {
      path: '/#/inspect',
      isUsable: (page: Page) => page.locator('.inspected-calls a').first().waitFor(),
    },
    own: {
      path: oneCall,
      isUsable: (page: Page) => page.locator('.inspector-entries li').first().waitFor(),
    },
    stately: {
      path: '/inspect',
      isUsable: (page: Page) =>
        page.frameLocator('iframe').locator(`body[data-calls="${calls}"]`).waitFor({ state: 'attached' }),
    },
  } as const;
  type PageName = keyof typeof pages;

  const open = async (which: PageName): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${url}${pages[which].path}`, { waitUntil: 'commit' });
    await pages[which].isUsable(page);
    return page;
  };

  /** Opens the page once, and describes what that took. */
  const opening = async (which: PageName): Promise<Page> => {
    const page = await context.newPage();
    const bytes = await countBytes(page);
    const from = performance.now();
    await page.goto(`${url}${pages[which].path}`, { waitUntil: 'commit' });
    await pages[which].isUsable(page);
    const usableMs = performance.now() - from;
    print(name, `${which}: usable after ${usableMs.toFixed(0)} ms, ${bytes.describe()}`);
    const before = bytes.sum();
    await pause(countedMs);
    print(name, `${which}: ${((bytes.sum() - before) / countedMs).toFixed(1)} kB a second`);
    return page;
  };

  for (const which of ['list', 'own', 'stately'] as const) {
    // The first one is not measured: it compiles the gateway's code and fills the browser's cache.
    await (await open(which)).close();
    const page = await opening(which);
    if (which === 'stately') {
      await page.close();
      continue;
    }
    const idle = await framesDuring(page, () => pause(3_000).then(() => undefined));
    print(name, `${which}, idle: ${describeFrames(idle)}`);
    const scrolled = await framesDuring(page, async () => {
      for (let step = 0; step < 60; step += 1) {
        await page.mouse.wheel(0, step < 30 ? 300 : -300);
        await pause(30);
      }
    });
    print(name, `${which}, scrolled: ${describeFrames(scrolled)}`);
    const searched = await framesDuring(page, async () => {
      await page.getByRole('searchbox').pressSequentially('conversation', { delay: 60 });
      await page.getByRole('searchbox').fill('');
    });
    print(name, `${which}, searched: ${describeFrames(searched)}`);
    const atFirst = await heapMb(page);
    await pause(minutes * 60_000);
    print(
      name,
      `${which}: ${atFirst.toFixed(1)} MB, after ${minutes} min ${(await heapMb(page)).toFixed(1)} MB`,
    );
    await page.close();
  }

  const opened = (which: PageName) => async () => {
    const page = await open(which);
    return { end: () => page.close() };
  };
  const windows = await measureInTurns({
    conditions: [
      { name: 'none', begin: async () => ({}) },
      { name: 'list', begin: opened('list') },
      { name: 'own', begin: opened('own') },
      { name: 'stately', begin: opened('stately') },
    ],
    spent: async () => ({ node: await processorMs(pid) }),
    rounds,
    windowMs,
    settleMs,
  });
  const bare = ratesOf(windows('none'), 'node');
  for (const which of ['list', 'own', 'stately'] as const)
    print(
      name,
      `${which}: gateway ${describeSpread(moreThan(ratesOf(windows(which), 'node'), bare))} a second more (without ${median(bare).toFixed(0)} ms)`,
    );

  const viewer = new WebSocket(`${url.replace(/^http/, 'ws')}/inspect?token=${token}&definitions=once`);
  started.defer(() => viewer.terminate());
  viewer.on('error', () => undefined);
  await once(viewer, 'open');
  await pause(5_000);
  /** Most that the gateway holds more than at the beginning, in `looks` looks of three seconds each. */
  const mostMore = async (): Promise<number> => {
    const before = await readMemory(gateway);
    let most = 0;
    for (let look = 0; look < looks; look += 1)
      most = Math.max(most, (await readMemory(gateway)).held - before.held);
    return most / 1e6;
  };
  // The calls themselves hold more with each turn.
  const whileReading = await mostMore();
  viewer.pause();
  const closing = once(viewer, 'close').then(() => 'closed');
  const whileStopped = await mostMore();
  viewer.resume();
  const outcome = await Promise.race([closing, pause(5_000).then(() => 'open')]);
  print(
    name,
    `a viewer that stops reading: at most ${whileStopped.toFixed(1)} MB more held by the gateway (while it reads ${whileReading.toFixed(1)} MB); its connection is ${outcome} afterwards; load ${(loadavg()[0] ?? 0).toFixed(1)}`,
  );
};
