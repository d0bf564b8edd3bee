/**
 * Create-call throughput and p99, against a bare Koa route that does one committed INSERT through the same driver and
 * into the same kind of database. The two take turns, so that a noisy neighbour meets both.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { GatewayProcess } from './gateway-process.ts';
import { load, type LoadResult } from './load.ts';

const connections = 16;
const requestsARound = 1_500;
const rounds = 4;

const best = (results: readonly LoadResult[]): LoadResult => ({
  perSecond: Math.max(...results.map(({ perSecond }) => perSecond)),
  p50: Math.min(...results.map(({ p50 }) => p50)),
  p99: Math.min(...results.map(({ p99 }) => p99)),
});

export const benchCreateCall = async (gateway: GatewayProcess): Promise<string[]> => {
  await gateway.admin('PATCH', `/numbers/${gateway.number_id}`, {
    max_concurrent_calls: 10_000,
    ring_timeout_sec: 180,
    recording_enabled: false,
  });
  const baseline = spawn(
    process.execPath,
    [fileURLToPath(new URL('bare-koa.ts', import.meta.url)), gateway.dataFolder],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const port = await new Promise<string>((resolve) =>
    baseline.stdout.once('data', (line) => resolve(String(line).trim())),
  );
  const json = { 'content-type': 'application/json' };
  const bareRound = () =>
    load({
      url: `http://127.0.0.1:${port}`,
      path: '/',
      headers: json,
      body: '{"to":"01000000002"}',
      requests: requestsARound,
      connections,
      expect: 201,
    });
  const gatewayRound = () =>
    load({
      url: gateway.base_url,
      path: '/api/v1/calls',
      headers: { ...json, authorization: `Bearer ${gateway.number_key}` },
      body: '{"to":"01000000002"}',
      requests: requestsARound,
      connections,
      expect: 201,
    });
  const bare: LoadResult[] = [];
  const own: LoadResult[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await bareRound());
    own.push(await gatewayRound());
  }
  baseline.kill('SIGTERM');
  const [a, b] = [best(bare), best(own)];
  return [
    `create call          ${(b.perSecond / a.perSecond).toFixed(2)} × the throughput of a bare Koa route with one INSERT (aim ≥ 0.5): ${b.perSecond.toFixed(0)}/s against ${a.perSecond.toFixed(0)}/s`,
    `create call p99      ${(b.p99 / a.p99).toFixed(2)} × the bare route's: ${b.p99.toFixed(1)} ms against ${a.p99.toFixed(1)} ms (p50 ${b.p50.toFixed(1)} against ${a.p50.toFixed(1)})`,
  ];
};
