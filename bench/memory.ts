/**
 * Memory of a call in progress: growth of the gateway's process divided by the number of calls. The callee has answered
 * and is silent, the built-in agent has spoken, the call is recorded. Reports two values: resident memory as the system
 * sees it, including heap space allocated while thousands of calls were being placed, and the size of objects and
 * buffers after a collection. The database's processes are not included.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { startGatewayProcess } from './gateway-process.ts';
import { load } from './load.ts';
import { collecting, readMemory, type Memory } from './read-memory.ts';

const silentCallee = '01000000006';
const sizes = [1_000, 5_000];
const warmUpCalls = 100;
/** Time for the agent's first words. */
const settleMs = 8_000;
export const benchMemory: Bench = async ({ started, print }) => {
  const { pid, url, headers, ...gateway } = await startGatewayProcess(started, {
    nodeArguments: collecting,
  });
  await gateway.admin('PATCH', `/numbers/${gateway.numberId}`, {
    max_concurrent_calls: 10_000,
    silence_timeout_sec: 600,
  });
  const body = JSON.stringify({ to: silentCallee });
  const place = async (requests: number): Promise<void> => {
    await load({ url, path: '/api/v1/calls', headers, body, requests, connections: 16 });
    await pause(settleMs);
  };
  const countInProgress = async (): Promise<number> =>
    (await gateway.database.execute("select 1 from call where status = 'active'")).length;

  // Excludes what the first calls load once (code, connections).
  await place(warmUpCalls);
  const before = await readMemory({ pid, url });
  let placed = 0;
  for (const size of sizes) {
    await place(size - placed);
    placed = size;
    const inProgress = await countInProgress();
    if (inProgress !== size + warmUpCalls) throw new Error(`only ${inProgress} calls are in progress`);
    const now = await readMemory({ pid, url });
    const each = (kind: keyof Memory): string =>
      `${((now[kind] - before[kind]) / size / 1000).toFixed(0)} kB`;
    print(
      'memory per call',
      `${each('resident')} resident at ${size} calls in progress (aim ≤ 100 kB), ${each('held')} of it held by objects; the gateway without them ${(before.resident / 1e6).toFixed(0)} MB`,
    );
  }
};
