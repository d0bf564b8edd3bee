/**
 * A thousand simulated calls whose gateway is killed and which another gateway on the same database takes over: the
 * time from the kill, and the cost for the second gateway and the database.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { prepareSocketFolder } from '#src/persistence/embedded/socket-folder.ts';
import { z } from 'zod';
import type { Bench } from './bench.ts';
import { makeDataFolder } from './data-folder.ts';
import { gatewayProgram, startGatewayProcess } from './gateway-process.ts';
import { load } from './load.ts';
import { processorMs } from './processor-time.ts';
import { startProgram } from './program.ts';

const silentCallee = '01000000006';
const calls = 1_000;
const lookMs = 50;
const longestMs = 60_000;
/** Time for the agents' first words. */
const settleMs = 8_000;

/** PostgreSQL's processes report their transactions once a second. */
const toldMs = 1_500;

const counted = z.object({ count: z.number() });

const masterKey = Buffer.alloc(32, 7).toString('base64');

export const benchTakeOver: Bench = async ({ started, print }) => {
  const taking = await startGatewayProcess(started, {
    settings: { GW_NODE: 'taking', GW_MASTER_KEY: masterKey },
  });
  await taking.admin('PATCH', `/numbers/${taking.numberId}`, {
    max_concurrent_calls: 10_000,
    silence_timeout_sec: 600,
  });
  const host = await prepareSocketFolder(join(taking.dataFolder, 'postgresql'));
  const dying = await startProgram(
    started,
    gatewayProgram(makeDataFolder(started), {
      GW_NODE: 'dying',
      GW_MASTER_KEY: masterKey,
      GW_DATABASE_URL: `postgresql://localhost/postgres?${new URLSearchParams({ host, user: 'postgres' }).toString()}`,
    }),
  );
  const countIn = async (from: string): Promise<number> => {
    const [row] = await taking.database.execute(`select count(*)::integer as count from ${from}`);
    return counted.parse(row).count;
  };
  const body = JSON.stringify({ to: silentCallee });
  const { headers } = taking;
  await load({ url: dying.url, path: '/api/v1/calls', headers, body, requests: calls, connections: 16 });
  await pause(settleMs);
  const inProgress = await countIn("call where status = 'active' and node = 'dying'");
  if (inProgress !== calls) throw new Error(`only ${inProgress} calls are in progress`);

  const transactions = async (): Promise<number> => {
    await pause(toldMs);
    const [row] = await taking.database.execute(
      'select xact_commit::integer as count from pg_stat_database where datname = current_database()',
    );
    return counted.parse(row).count;
  };
  const committed = await transactions();
  const before = await processorMs(taking.pid);
  const killedAt = performance.now();
  process.kill(dying.pid, 'SIGKILL');
  let firstMs: number | null = null;
  let looks = 0;
  for (;;) {
    const taken = await countIn("call_fact where type = 'call.taken_over'");
    looks += 1;
    const sinceMs = performance.now() - killedAt;
    if (taken > 0) firstMs ??= sinceMs;
    if (taken === calls) break;
    if (sinceMs > longestMs) throw new Error(`only ${taken} calls go on`);
    await pause(lookMs);
  }
  const lastMs = performance.now() - killedAt;
  const spentMs = (await processorMs(taking.pid)) - before;
  const transactionsEach = ((await transactions()) - committed - looks) / calls;
  print(
    'taking over',
    `${calls} calls go on ${(lastMs / 1_000).toFixed(1)} s after the kill (aim ≤ 1.5 s), the first ${((firstMs ?? lastMs) / 1_000).toFixed(1)} s after it; ${((lastMs - (firstMs ?? lastMs)) / 1_000).toFixed(1)} s from the first to the last; ${(spentMs / calls).toFixed(1)} ms of processor time and ${transactionsEach.toFixed(1)} transactions of the database a call`,
  );
};
