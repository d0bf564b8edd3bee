/** Leftovers of two thousand short calls. */
import { setTimeout as pause } from 'node:timers/promises';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { SipServers } from '#test/real-sip/sip-servers.ts';
import type { Bench } from '../bench.ts';
import { readMemory } from '../read-memory.ts';
import { placeLoad } from './load.ts';
import { readProcessUse } from './process-use.ts';
import { gatewaySystem } from './systems.ts';

const calls = 2_000;
const callsPerSecond = 10;
const callMs = 500;
const warmUp = 200;
/** Time after which everything that ends by itself has ended, including keep-alive connections. */
const restMs = 20_000;

export const benchSoak =
  (servers: SipServers, trunkPort: number): Bench =>
  async ({ started, print }) => {
    const gateway = await gatewaySystem(servers, trunkPort)(started);
    const load = {
      sipPort: servers.sipPort,
      localPort: trunkPort,
      number: gateway.number,
      callsPerSecond,
      callMs,
    };
    const look = async () => {
      await pause(restMs);
      const channels = /^(\d+) total/m.exec(await servers.console('show channels count'))?.[1];
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      const timers = /^nodejs_active_resources\{type="Timeout"\} (\d+)$/m.exec(metrics)?.[1];
      return {
        memory: await readMemory(gateway),
        use: await readProcessUse(gateway.pid),
        channels: Number(channels),
        timers: Number(timers ?? 0),
        temporaryFiles: (await readdir(tmpdir())).length,
      };
    };
    await placeLoad(servers.folder, { ...load, calls: warmUp });
    const before = await look();
    const { failed } = await placeLoad(servers.folder, { ...load, calls });
    const after = await look();
    const change = (one: number, other: number): string => `${one} → ${other}`;
    print('soak', `${calls} calls, ${failed} of them failed`);
    print('  channels', change(before.channels, after.channels));
    print('  files, sockets', change(before.use.openFiles, after.use.openFiles));
    print('  timers', change(before.timers, after.timers));
    print('  temporary files', change(before.temporaryFiles, after.temporaryFiles));
    print(
      '  memory',
      `${((after.memory.held - before.memory.held) / calls / 1_000).toFixed(2)} kB held and ${((after.memory.resident - before.memory.resident) / calls / 1_000).toFixed(2)} kB resident more for each call`,
    );
  };
