/**
 * Processor time of an answered call, of all programs involved: the gateway with FreeSWITCH, the gateway that carries
 * the audio itself, and the bare system, alternating.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SipServers } from '#test/real-sip/sip-servers.ts';
import type { Bench } from '../bench.ts';
import { median } from '../percentile.ts';
import { placeLoad } from './load.ts';
import { readProgramTimes } from './program-times.ts';
import { bareSystem, gatewaySystem, type StartSystem, type System } from './systems.ts';

const rounds = 3;
const callsPerSecond = 5;
const calls = 50;
const callMs = 4_000;
/** FreeSWITCH needs time to release its calls. */
const restMs = 2_000;

/** Programs by share. Threads of the gateway have their own names; other programs are listed by theirs. */
const shares: Readonly<Record<string, readonly string[]>> = {
  FreeSWITCH: ['freeswitch'],
  drachtio: ['drachtio'],
  Node: ['node', 'MainThread'],
  PostgreSQL: ['postgres'],
};

export const benchProcessor =
  (servers: SipServers, trunkPort: number): Bench =>
  async ({ started, print }) => {
    const load = (system: System, count: number) =>
      placeLoad(servers.folder, {
        sipPort: servers.sipPort,
        localPort: trunkPort,
        number: system.number,
        callsPerSecond,
        calls: count,
        callMs,
      });

    /** Milliseconds per call, by share. */
    const measure = async (start: StartSystem): Promise<Map<string, number>> => {
      const system = await start(started);
      // Excludes code and connections that the first calls load once.
      await load(system, 10);
      await pause(restMs);
      const before = await readProgramTimes();
      const { failed } = await load(system, calls);
      await pause(restMs);
      const after = await readProgramTimes();
      await system.end();
      if (failed > 0) throw new Error(`${failed} calls failed`);
      const spent = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
      const figures = Object.entries(shares).map(
        ([share, names]) => [share, names.reduce((sum, name) => sum + spent(name), 0) / calls] as const,
      );
      const all = figures.reduce((sum, [, ms]) => sum + ms, 0);
      return new Map([...figures, ['all', all]]);
    };

    const systems: Readonly<Record<string, StartSystem>> = {
      'with FreeSWITCH': gatewaySystem(servers, trunkPort),
      'itself (direct)': gatewaySystem(servers, trunkPort, { GW_TRUNK_MEDIA: 'direct' }),
      'bare system': bareSystem(servers),
    };
    const measured = new Map<string, Map<string, number>[]>();
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, start] of Object.entries(systems)) {
        measured.set(name, [...(measured.get(name) ?? []), await measure(start)]);
      }
    }
    for (const [name, results] of measured) {
      const typical = [...Object.keys(shares), 'all'].map((share) => {
        const values = results.map((result) => result.get(share) ?? 0);
        const range = `${Math.min(...values).toFixed(1)}–${Math.max(...values).toFixed(1)}`;
        return `${share} ${median(values).toFixed(1)} (${range})`;
      });
      print(name, `${typical.join(', ')} ms of processor time a call of ${callMs / 1_000} s`);
    }
  };
