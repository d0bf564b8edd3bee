/**
 * The page of the calls by state with 2,000 calls in progress, each with a turn every twenty seconds: what the page costs
 * the gateway, its database and the thread of the browser's page. Short windows in turns: without a watcher, with the
 * stream of the live counts alone, with the whole page, and with reads of the past. Medians of the differences within a
 * round. The calls are placed evenly over the time of a turn, so that each window has as many turns.
 *
 * The counts change at most once a second, so a frame costs at most what the page's thread spends in a second.
 *
 * `BENCH_CALLS` and `BENCH_ROUNDS` set other numbers. Needs Chromium.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium, type BrowserContext, type CDPSession } from 'playwright-core';
import { z } from 'zod';
import { findPostmaster } from '#src/persistence/embedded/postmaster.ts';
import { anyBrowser, browserFlags } from '#test/helpers/browser/chromium.ts';
import type { Bench } from './bench.ts';
import { median } from './percentile.ts';
import { processorMs, processorMsWithChildren } from './processor-time.ts';
import { signIn } from './sign-in.ts';
import { answerEvery, startTalkingGateway, talkingCallee } from './talking-gateway.ts';
import { describeSpread, measureInTurns, moreThan, ratesOf } from './windows.ts';

const positive = z.coerce.number().positive();
const calls = positive.parse(process.env['BENCH_CALLS'] ?? 2_000);
const rounds = positive.parse(process.env['BENCH_ROUNDS'] ?? 24);
const turnSec = 20;
const windowMs = 3_000;
const settleMs = 500;
/** Reads of the past in a window, and the interval in seconds at which the page reads it. */
const reads = 3;
const historySec = 60;
const frameMs = 16;
/** Milliseconds a second: 2 % of a processor. */
const mostMs = 20;

/** Longer than all rounds. */
const callSec = 1_800;
const script = answerEvery(turnSec, callSec);

/** Thread time of a page since its beginning, in milliseconds. */
const threadMs = async (session: CDPSession): Promise<number> => {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
};

export const benchFleet: Bench = async ({ started, print }) => {
  if (anyBrowser === undefined) return print('fleet', 'skipped: Chromium is not installed');
  const { gateway } = await startTalkingGateway(started, { script });
  const { url, headers, pid, dataFolder, adminHeaders } = gateway;
  await gateway.database.execute('update phone_number set max_concurrent_calls = 100000');
  const postmaster = await findPostmaster(join(dataFolder, 'postgresql', 'cluster'));
  if (postmaster === undefined) throw new Error('The database does not run');
  const place = async (): Promise<void> => {
    const body = JSON.stringify({ to: talkingCallee, max_duration_sec: callSec });
    const response = await fetch(`${url}/api/v1/calls`, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`A call was not placed: ${response.status} ${text}`);
  };
  const placingFrom = performance.now();
  const placed: Promise<void>[] = [];
  while (placed.length < calls) {
    const due = Math.ceil(((performance.now() - placingFrom) / 1_000 / turnSec) * calls);
    while (placed.length < Math.min(calls, due)) {
      const one = place();
      // The error is thrown below; until then it would end the process before the gateway.
      one.catch(() => undefined);
      placed.push(one);
    }
    await pause(5);
  }
  await Promise.all(placed);

  const browser = await chromium.launch({ executablePath: anyBrowser, args: browserFlags });
  started.defer(() => browser.close());
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const token = (adminHeaders['authorization'] ?? '').replace('Bearer ', '');
  await signIn(context, url, token);

  const spent = async () => ({
    node: await processorMs(pid),
    database: await processorMsWithChildren(postmaster.pid),
  });
  const history = z.object({ until: z.string() });
  const readPast = async (minutes: number): Promise<string> => {
    const response = await fetch(`${url}/api/v1/admin/fleet?minutes=${minutes}`, { headers: adminHeaders });
    return history.parse(await response.json()).until;
  };

  /** The stream of the live counts, as the page reads it. */
  const openCounts = async () => {
    const leaving = new AbortController();
    const { body } = await fetch(`${url}/api/v1/admin/fleet`, {
      headers: { ...adminHeaders, accept: 'text/event-stream' },
      signal: leaving.signal,
    });
    if (body === null) throw new Error('The counts are not streamed');
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let chunks = 0;
    let counted = '';
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        chunks += 1;
        counted = /"calls":(\d+)/.exec(decoder.decode(value))?.[1] ?? counted;
      }
    })().catch(() => undefined);
    return {
      during: async () => {
        const before = chunks;
        await pause(windowMs);
        if (chunks === before) throw new Error('The counts did not change in a window');
        if (Number(counted) < calls) throw new Error(`Only ${counted} calls are in progress`);
      },
      async end() {
        leaving.abort();
        await reading;
      },
    };
  };

  const threads: number[] = [];
  const openings: { ms: number; seconds: number }[] = [];
  const openPage = async () => {
    const [before, from] = [await processorMs(pid), performance.now()];
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const past = page.waitForResponse((response) => response.url().includes('/api/v1/admin/fleet?minutes='));
    await page.goto(`${url}/#/fleet`);
    await page.locator('.state-map .busy').first().waitFor();
    await (await past).finished();
    openings.push({
      ms: (await processorMs(pid)) - before,
      seconds: (performance.now() - from) / 1_000,
    });
    return {
      async during() {
        const [threadBefore, threadFrom] = [await threadMs(session), performance.now()];
        await pause(windowMs);
        const ms = (await threadMs(session)) - threadBefore;
        threads.push(ms / ((performance.now() - threadFrom) / 1_000));
      },
      end: () => page.close(),
    };
  };

  // Each read has a period of its own, so that every request runs the statement.
  let minutes = 1_440;
  const readsOfPast = async () => ({
    async during() {
      const until = new Set<string>();
      for (let read = 0; read < reads; read += 1) until.add(await readPast((minutes -= 1)));
      if (until.size < reads) throw new Error('The past was not read each time');
    },
  });

  const windows = await measureInTurns({
    conditions: [
      { name: 'none', begin: async () => ({}) },
      { name: 'counts', begin: openCounts },
      { name: 'page', begin: openPage },
      { name: 'past', begin: readsOfPast },
    ],
    spent,
    rounds,
    windowMs,
    settleMs,
  });

  const ratesWith = (name: 'none' | 'counts' | 'page' | 'past', of: 'node' | 'database'): number[] =>
    ratesOf(windows(name), of);
  const more = (name: 'counts' | 'page', than: 'none' | 'counts', of: 'node' | 'database'): string =>
    describeSpread(moreThan(ratesWith(name, of), ratesWith(than, of)));
  /** Processor time of one read of the past in each round. */
  const ofRead = (of: 'node' | 'database'): number[] => {
    const rates = moreThan(ratesWith('past', of), ratesWith('none', of));
    return rates.map((rate, round) => (rate * (windows('past')[round]?.seconds ?? Number.NaN)) / reads);
  };
  const bare = median(ratesWith('none', 'node'));
  const pastMs = median(ofRead('node')) / historySec;
  const wholeMs = median(moreThan(ratesWith('page', 'node'), ratesWith('none', 'node'))) + pastMs;
  const opening = median(openings.map(({ ms, seconds }) => ms - seconds * bare));
  const perSecond = median(threads);
  const name = `fleet, ${calls} calls`;
  print(
    name,
    `live counts: gateway ${more('counts', 'none', 'node')} a second, database ${more('counts', 'none', 'database')}`,
  );
  print(
    name,
    `page: gateway ${more('page', 'none', 'node')} a second, database ${more('page', 'none', 'database')}`,
  );
  print(name, `everything else of the page: gateway ${more('page', 'counts', 'node')} a second`);
  print(
    name,
    `a read of the past: gateway ${describeSpread(ofRead('node'))}, database ${describeSpread(ofRead('database'))}; ` +
      `once in ${historySec} s, gateway ${pastMs.toFixed(1)} ms a second`,
  );
  print(
    name,
    `in all: gateway ${wholeMs.toFixed(1)} ms a second, ${(wholeMs / mostMs).toFixed(2)} of ${mostMs} ms; without the page ${bare.toFixed(0)} ms ` +
      `(first half of the rounds ${median(ratesWith('none', 'node').slice(0, rounds / 2)).toFixed(0)}); opening the page ${opening.toFixed(0)} ms; load ${(loadavg()[0] ?? 0).toFixed(1)}`,
  );
  print(
    name,
    `page: at most ${perSecond.toFixed(1)} ms a frame, ${(perSecond / frameMs).toFixed(2)} of the ${frameMs} ms of one`,
  );
};
