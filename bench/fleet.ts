/**
 * The page of the calls by state with 2,000 calls in progress, each with a turn every twenty seconds: what the page costs
 * the gateway, its database and the thread of the browser's page. Periods with and without the page, in turns; medians.
 * The counts change at most once a second, so a frame costs at most what the page's thread spends in a second.
 *
 * `BENCH_CALLS` sets another number. Needs Chromium.
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
import { startTalkingGateway, talkingCallee } from './talking-gateway.ts';

const calls = z.coerce
  .number()
  .positive()
  .parse(process.env['BENCH_CALLS'] ?? 2_000);
const turnSec = 20;
const rounds = 6;
const periodMs = 15_000;
const placedAtOnce = 20;
const settleMs = 10_000;
/** Reads of the past, and the interval at which the page reads it. */
const reads = 10;
const historySec = 60;
const frameMs = 16;
const mostShare = 0.02;

const script = [
  { listen: true },
  ...Array.from({ length: 60 }, () => [
    { wait_sec: turnSec },
    { say: '네, 오후 세 시가 좋겠습니다.' },
  ]).flat(),
];

/** Thread time of a page since its beginning, in milliseconds. */
const threadMs = async (session: CDPSession): Promise<number> => {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
};

export const benchFleet: Bench = async ({ started, print }) => {
  if (anyBrowser === undefined) return print('fleet', 'skipped: Chromium is not installed');
  const { gateway } = await startTalkingGateway(started, { script, reply: '예약을 확인해 드리겠습니다.' });
  const { url, headers, pid, dataFolder, adminHeaders } = gateway;
  await gateway.database.execute('update phone_number set max_concurrent_calls = 100000');
  const postmaster = await findPostmaster(join(dataFolder, 'postgresql', 'cluster'));
  if (postmaster === undefined) throw new Error('The database does not run');
  const place = async (): Promise<void> => {
    const body = JSON.stringify({ to: talkingCallee });
    const response = await fetch(`${url}/api/v1/calls`, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`A call was not placed: ${response.status} ${text}`);
  };
  for (let placed = 0; placed < calls; placed += placedAtOnce)
    await Promise.all(Array.from({ length: Math.min(placedAtOnce, calls - placed) }, place));

  const browser = await chromium.launch({ executablePath: anyBrowser, args: browserFlags });
  started.defer(() => browser.close());
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const token = (adminHeaders['authorization'] ?? '').replace('Bearer ', '');
  const signIn = await context.request.post(`${url}/console/session`, {
    headers: { origin: url, 'x-trunkline-console': '1' },
    data: { token },
  });
  if (!signIn.ok()) throw new Error(`The sign-in failed: ${signIn.status()}`);
  await pause(settleMs);

  const spent = async () => ({
    node: await processorMs(pid),
    database: await processorMsWithChildren(postmaster.pid),
  });
  /** Processor time in milliseconds per second of a period. */
  const during = async (period: () => Promise<void>) => {
    const [before, from] = [await spent(), performance.now()];
    await period();
    const [after, seconds] = [await spent(), (performance.now() - from) / 1_000];
    return {
      node: (after.node - before.node) / seconds,
      database: (after.database - before.database) / seconds,
    };
  };
  const threads: number[] = [];
  const without: Awaited<ReturnType<typeof during>>[] = [];
  const withPage: typeof without = [];
  for (let round = 0; round < rounds; round += 1) {
    without.push(await during(() => pause(periodMs).then(() => undefined)));
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.goto(`${url}/#/fleet`);
    await page.locator('.chart .busy').first().waitFor();
    withPage.push(
      await during(async () => {
        const [before, from] = [await threadMs(session), performance.now()];
        await pause(periodMs);
        threads.push(((await threadMs(session)) - before) / ((performance.now() - from) / 1_000));
      }),
    );
    await page.close();
  }
  const extra = (of: 'node' | 'database'): number =>
    median(withPage.map((one, index) => one[of] - (without[index]?.[of] ?? 0)));
  /** Processor time of one read of the past, in milliseconds. */
  const ofRead = async (): Promise<{ node: number; database: number }> => {
    const before = await spent();
    const asOf = new Set<unknown>();
    for (let read = 0; read < reads; read += 1) {
      // Each period has a result of its own, so that every request runs the statement.
      const response = await fetch(`${url}/api/v1/admin/fleet?minutes=${1_440 - read}`, {
        headers: adminHeaders,
      });
      asOf.add(z.object({ until: z.string() }).parse(await response.json()).until);
    }
    if (asOf.size < reads) throw new Error('The past was not read each time');
    const after = await spent();
    return {
      node: (after.node - before.node) / reads,
      database: (after.database - before.database) / reads,
    };
  };
  const readsFrom = performance.now();
  const withReads = await ofRead();
  const secondsOfRead = (performance.now() - readsFrom) / 1_000 / reads;
  const ofOthers = (of: 'node' | 'database'): number => median(without.map((one) => one[of])) * secondsOfRead;
  const read = {
    node: withReads.node - ofOthers('node'),
    database: withReads.database - ofOthers('database'),
  };
  const perSecond = median(threads);
  const load = `load ${(loadavg()[0] ?? 0).toFixed(1)}`;
  print(
    `fleet, ${calls} calls`,
    `page: at most ${perSecond.toFixed(1)} ms a frame, ${(perSecond / frameMs).toFixed(2)} of the ${frameMs} ms of one; ${load}`,
  );
  print(
    `fleet, ${calls} calls`,
    `gateway: ${extra('node').toFixed(1)} ms a second more, ${(extra('node') / (mostShare * 1_000)).toFixed(2)} of the ${mostShare * 100} % (without the page ${median(without.map(({ node }) => node)).toFixed(0)} ms a second); ` +
      `database ${extra('database').toFixed(1)} ms a second more`,
  );
  print(
    `fleet, ${calls} calls`,
    `a read of the past: gateway ${read.node.toFixed(1)} ms, database ${read.database.toFixed(0)} ms; ` +
      `once in ${historySec} s, ${(read.node / historySec).toFixed(2)} and ${(read.database / historySec).toFixed(1)} ms a second`,
  );
};
