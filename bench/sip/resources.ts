/**
 * Resources of a gateway per call with a hundred concurrent calls: memory, and processor time while they are in
 * progress.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SipServers } from '#test/real-sip/sip-servers.ts';
import type { Bench } from '../bench.ts';
import { readMemory } from '../read-memory.ts';
import { placeLoad } from './load.ts';
import { readProcessUse } from './process-use.ts';
import { gatewaySystem } from './systems.ts';

const calls = 100;
const callsPerSecond = 10;
const watchedMs = 10_000;

export const benchResources =
  (servers: SipServers, trunkPort: number): Bench =>
  async ({ started, print }) => {
    const gateway = await gatewaySystem(servers, trunkPort)(started);
    const load = { sipPort: servers.sipPort, localPort: trunkPort, number: gateway.number, callsPerSecond };
    // Excludes code and connections that the first calls load once.
    await placeLoad(servers.folder, { ...load, calls: 10, callMs: 1_000 });
    const before = await readMemory(gateway);
    const rampMs = (calls / callsPerSecond) * 1_000;
    const placed = placeLoad(servers.folder, { ...load, calls, callMs: rampMs + watchedMs + 8_000 });
    await pause(rampMs + 2_000);
    const first = await readProcessUse(gateway.pid);
    await pause(watchedMs);
    const last = await readProcessUse(gateway.pid);
    const during = await readMemory(gateway);
    const { failed } = await placed;
    if (failed > 0) throw new Error(`${failed} calls failed`);
    const processorShare = (last.processorMs - first.processorMs) / watchedMs;
    print(
      'a call of 100',
      `${((during.resident - before.resident) / calls / 1_000).toFixed(0)} kB resident, ${((during.held - before.held) / calls / 1_000).toFixed(0)} kB held; ${((processorShare / calls) * 100).toFixed(2)} % of a processor`,
    );
  };
