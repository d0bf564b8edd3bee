/**
 * Thousands of simulated calls that talk at the same time: 10,000, each with a turn of the other party every five
 * seconds. Measures what a turn waits for the gateway (see `turn.ts`), the time of API requests meanwhile, processor time
 * per turn and memory per call. Calls are not recorded; the agent is a separate program that takes 200 ms.
 *
 * `BENCH_CALLS` and `BENCH_TURN_SEC` set other numbers: 2,000 calls with a turn every 7.4 s have 271 turns a second.
 * The agent, the database and the client share the processors with the gateway: where they are saturated, the times say
 * only that.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { z } from 'zod';
import { findPostmaster } from '#src/persistence/embedded/postmaster.ts';
import type { Bench } from './bench.ts';
import type { GatewayProcess } from './gateway-process.ts';
import { percentile } from './percentile.ts';
import { processorMs, processorMsWithChildren } from './processor-time.ts';
import { collecting, readMemory, type Memory } from './read-memory.ts';
import { answerEvery, startTalkingGateway, talkingCallee } from './talking-gateway.ts';
import { fetchAgentTurns, pairTurns, readSpokenTurns } from './turn-times.ts';

const positive = z.coerce.number().positive();
const calls = positive.parse(process.env['BENCH_CALLS'] ?? 10_000);
const turnSec = positive.parse(process.env['BENCH_TURN_SEC'] ?? 5);

const neverAnswers = '01000000002';
const placedPerSecond = 200;
const warmUpCalls = 50;
/** Time from the last placed call to the measurement. */
const settleMs = 10_000;
const measuredMs = 30_000;

/**
 * The turns of the whole bench, with a minute in reserve. The script is not longer, because it is stored with the
 * progress of its call.
 */
const lastsSec = calls / placedPerSecond + (2 * settleMs + measuredMs) / 1_000 + 60;
const script = answerEvery(turnSec, lastsSec);
const requestsPerSecond = 20;
/** Calls whose turns are compared with the agent's records. */
const sampledCalls = 1_000;

const placed = z.object({ call_id: z.string() });

/** Sends a request at this rate, without waiting for earlier responses. Resolves to response times in milliseconds. */
const atRate = async (
  perSecond: number,
  count: number,
  send: (index: number) => Promise<void>,
): Promise<number[]> => {
  const times: number[] = [];
  const sent: Promise<void>[] = [];
  const timed = async (index: number): Promise<void> => {
    const begun = performance.now();
    await send(index);
    times.push(performance.now() - begun);
  };
  const begun = performance.now();
  while (sent.length < count) {
    while (sent.length < Math.min(count, ((performance.now() - begun) / 1_000) * perSecond)) {
      const one = timed(sent.length);
      // The error is thrown below; until then it would end the process before the gateway.
      one.catch(() => undefined);
      sent.push(one);
    }
    await pause(5);
  }
  await Promise.all(sent);
  return times;
};

/** Processor time of the gateway and of its database. */
const spentBy = async ({ pid, dataFolder }: GatewayProcess): Promise<{ node: number; database: number }> => {
  const postmaster = await findPostmaster(join(dataFolder, 'postgresql', 'cluster'));
  if (postmaster === undefined) throw new Error('The database does not run');
  return { node: await processorMs(pid), database: await processorMsWithChildren(postmaster.pid) };
};

export const benchManyCalls: Bench = async ({ started, print }) => {
  const { gateway, agentUrl } = await startTalkingGateway(started, {
    script,
    nodeArguments: collecting,
  });
  const { url, headers } = gateway;
  // Above the API's maximum.
  await gateway.database.execute('update phone_number set max_concurrent_calls = 100000');
  const pool = new Pool(url, { connections: 64, pipelining: 1 });
  started.defer(() => pool.destroy());
  const request = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> => {
    const response = await pool.request({
      method,
      path: `/api/v1/calls${path}`,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return JSON.parse(text);
  };
  const ids: string[] = [];
  const place = async (): Promise<void> => {
    ids.push(placed.parse(await request('POST', '', { to: talkingCallee })).call_id);
  };

  await atRate(placedPerSecond, warmUpCalls, place);
  await pause(settleMs);
  const before = await readMemory(gateway);
  await atRate(placedPerSecond, calls - warmUpCalls, place);
  await pause(settleMs);

  const from = Date.now();
  const spentBefore = await spentBy(gateway);
  const count = (requestsPerSecond * measuredMs) / 1_000;
  const [reads, creations] = await Promise.all([
    atRate(requestsPerSecond, count, async (index) => {
      await request('GET', `/${ids[(index * 7_919) % ids.length] ?? ''}`);
    }),
    atRate(requestsPerSecond / 2, count / 2, async () => {
      await request('POST', '', { to: neverAnswers });
    }),
  ]);
  const spent = await spentBy(gateway);
  const until = Date.now();
  const [averageLoad = 0] = loadavg();
  const after = await readMemory(gateway);
  const asked = await fetchAgentTurns(agentUrl);
  const spoken = asked.filter(({ arrivedAt }) => arrivedAt >= from && arrivedAt < until).length;
  const turns = pairTurns(
    await readSpokenTurns(gateway.database, { calls: sampledCalls }),
    asked,
    'left out',
  ).filter(({ endedAt }) => endedAt >= from && endedAt < until);
  const seconds = (until - from) / 1_000;
  const describe = (samples: readonly number[]): string =>
    `p50 ${percentile(samples, 0.5).toFixed(0)} ms, p99 ${percentile(samples, 0.99).toFixed(0)} ms`;
  const each = (kind: keyof Memory): string =>
    `${((after[kind] - before[kind]) / calls / 1000).toFixed(0)} kB`;
  const perTurn = (program: keyof typeof spent): string =>
    `${((spent[program] - spentBefore[program]) / spoken).toFixed(2)} ms`;
  print(
    `${calls} calls`,
    `${(spoken / seconds).toFixed(0)} turns a second (wanted: ${(calls / turnSec).toFixed(0)}), load ${averageLoad.toFixed(1)}`,
  );
  print(
    'added per turn',
    `${describe(turns.map(({ toAgentMs, toLineMs }) => toAgentMs + toLineMs))} (aim p99 ≤ 50 ms; ${turns.length} turns)`,
  );
  print('reading a call', `${describe(reads)} (aim p99 ≤ 100 ms)`);
  print('placing a call', `${describe(creations)} (aim p99 ≤ 100 ms)`);
  print(
    'processor time',
    `${perTurn('node')} a turn of the gateway, ${perTurn('database')} of the database, with ${requestsPerSecond * 1.5} requests a second`,
  );
  print(
    'memory per call',
    `${each('resident')} resident (aim ≤ 60 kB), ${each('held')} of it held by objects and buffers`,
  );
};
