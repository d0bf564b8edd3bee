/**
 * Calls per second that a gateway can begin, and the time of one request, compared to a bare Koa route that does one
 * committed INSERT through the same driver into the same database. The two alternate, so that a noisy neighbour affects
 * both, and the median of the rounds counts. The calls are not answered: they ring until the gateway ends.
 */
import type { Bench } from './bench.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { load, type LoadResult } from './load.ts';
import { median } from './percentile.ts';
import { processorMs } from './processor-time.ts';
import { startProgram } from './program.ts';

const neverAnswers = '01000000002';
const rounds = 5;
const request = { body: JSON.stringify({ to: neverAnswers }), requests: 1_200, connections: 16 };

export const benchCreateCall: Bench = async ({ started, print }) => {
  const { url, headers, ...gateway } = await startGatewayProcess(started);
  await gateway.admin('PATCH', `/numbers/${gateway.numberId}`, {
    max_concurrent_calls: 10_000,
    ring_timeout_sec: 180,
  });
  const koa = await startProgram(started, {
    file: 'bench/bare-koa.ts',
    parameters: (port) => ({ arguments: [String(port), gateway.dataFolder] }),
    readyPath: '/',
  });
  const loadKoa = () => load({ ...request, url: koa.url, path: '/', headers });
  const loadGateway = () => load({ ...request, url, path: '/api/v1/calls', headers });

  // Warm-up: both are still being compiled in the first round.
  await loadKoa();
  await loadGateway();
  const bare: LoadResult[] = [];
  const own: LoadResult[] = [];
  const spent = { koa: 0, gateway: 0 };
  const timed = async (whose: keyof typeof spent, pid: number, run: typeof loadKoa): Promise<LoadResult> => {
    const before = await processorMs(pid);
    const result = await run();
    spent[whose] += (await processorMs(pid)) - before;
    return result;
  };
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await timed('koa', koa.pid, loadKoa));
    own.push(await timed('gateway', gateway.pid, loadGateway));
  }
  const compare = (figure: keyof LoadResult) => {
    const typical = (results: readonly LoadResult[]) => median(results.map((result) => result[figure]));
    return { ours: typical(own), theirs: typical(bare) };
  };
  const perSecond = compare('perSecond');
  const [p50, p99] = [compare('p50'), compare('p99')];
  print(
    'create call',
    `${(perSecond.ours / perSecond.theirs).toFixed(2)} of the throughput of a bare Koa route with one INSERT (aim ≥ 0.5): ${perSecond.ours.toFixed(0)}/s against ${perSecond.theirs.toFixed(0)}/s`,
  );
  print(
    'create call, time',
    `p99 ${(p99.ours / p99.theirs).toFixed(1)} × the bare route's: ${p99.ours.toFixed(1)} ms against ${p99.theirs.toFixed(1)} ms; p50 ${p50.ours.toFixed(1)} ms against ${p50.theirs.toFixed(1)} ms`,
  );
  const each = (whose: keyof typeof spent): string =>
    ((spent[whose] / rounds / request.requests) * 1_000).toFixed(0);
  print(
    'create call, processor',
    `${each('gateway')} µs of the gateway's program for each request, ${each('koa')} µs of the bare one`,
  );
};
