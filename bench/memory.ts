/** Memory of a call in progress, at two sizes; the callee answers and stays silent. */
import type { GatewayProcess } from './gateway-process.ts';
import { load } from './load.ts';

const sizes = [1_000, 5_000];
const settleMs = 4_000;

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

export const benchMemory = async (gateway: GatewayProcess): Promise<string[]> => {
  await gateway.admin('PATCH', `/numbers/${gateway.number_id}`, {
    max_concurrent_calls: 10_000,
    silence_timeout_sec: 600,
    recording_enabled: true,
  });
  const place = (requests: number) =>
    load({
      url: gateway.base_url,
      path: '/api/v1/calls',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.number_key}` },
      body: '{"to":"01000000006"}',
      requests,
      connections: 16,
      expect: 201,
    });
  // What the first calls load once (code, pools) is not counted to the others.
  await place(50);
  await pause(settleMs);
  const before = await gateway.residentBytes();
  const lines: string[] = [];
  let inProgress = 0;
  for (const size of sizes) {
    await place(size - inProgress);
    inProgress = size;
    await pause(settleMs);
    const each = ((await gateway.residentBytes()) - before) / size;
    lines.push(
      `memory per call      ${(each / 1000).toFixed(0)} kB resident at ${size} calls in progress (aim ≤ 100 kB; the process itself: ${(before / 1e6).toFixed(0)} MB)`,
    );
  }
  return lines;
};
