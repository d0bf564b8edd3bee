/**
 * A soak: standing calls whose agent speaks a counting tone without end, and short calls beside them, with each carrier
 * in turn or with `BENCH_CARRIER`; what the gateway holds, from time to time, and whether every frame arrived whole at
 * the far end. The standing calls are replaced one after the other, because no call may last longer than half an hour.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { SipServers } from '#test/real-sip/sip-servers.ts';
import { startUdpEnd } from '#test/real-sip/udp-end.ts';
import type { Bench } from '../bench.ts';
import { median } from '../percentile.ts';
import { readMemory } from '../read-memory.ts';
import { startCountingEars, type CountingEars, type EarReport } from './counting-ears.ts';
import { faults, faultsOf, nothingCounted, type Counted } from './counting-tone.ts';
import { partText, startCountingVoice } from './counting-voice.ts';
import { placeLoad } from './load.ts';
import { countUdpSockets, readProcessUse } from './process-use.ts';
import { carriers, gatewaySystem, type GatewaySystem } from './systems.ts';

const durationMs = Number(process.env['BENCH_MINUTES'] ?? 60) * 60_000;
const standing = Number(process.env['BENCH_CALLS'] ?? 100);
/** The carrier with the name in `BENCH_CARRIER`, or all. */
const chosenCarriers = () => {
  const name = process.env['BENCH_CARRIER'];
  const chosen = Object.entries(carriers).filter(([carrier]) => name === undefined || carrier === name);
  if (chosen.length === 0)
    throw new Error(`BENCH_CARRIER must be one of: ${Object.keys(carriers).join(', ')}`);
  return chosen;
};
/**
 * Short calls per second. By default they take, with a hundred standing calls, some 60 % of two processors: 0.72 % of
 * one for a standing call and 80 ms for a short one with FreeSWITCH, 0.3 % and 45 ms without (2026-11-27).
 */
const rateOf = (settings: Readonly<Record<string, string>>): number =>
  Number(process.env['BENCH_RATE'] ?? (settings['GW_TRUNK_MEDIA'] === 'direct' ? 18 : 6));

const shortMs = 4_000;
const sliceMs = Math.max(15_000, durationMs / 20);
const slices = Math.max(3, Math.round(durationMs / sliceMs));
/** Time without short calls before each look, after which what they leave behind is gone. */
const restMs = Math.min(20_000, sliceMs / 4);
/** No more than two calls are replaced in a second. */
const lifeMs = Math.min(900_000, Math.max(durationMs / 3, standing * 500));
const mostDurationSec = 1_800;

const tickMs = 500;
const placedPerTick = 3;
const rampLimitMs = 120_000;
/** Parts that are asked for before the present one has ended. */
const partsAhead = 2;

const ear = (index: number): string => `0109000${String(index).padStart(4, '0')}`;
const earOf = (number: string): number => Number(number.slice(-4));

const placed = z.object({ call_id: z.string() });
const callRecord = z.object({ ended_at: z.string().nullable() });

type StandingCall = { id: string; said: number; endsAt: number };

/** The standing calls, by ear. `tick` places, lets speak and, if it may, ends what is due; the next one places again. */
const createStandingCalls = (gateway: GatewaySystem, ears: CountingEars) => {
  const calls = new Map<number, StandingCall>();
  const lives = new Map<number, number>();
  let refused = 0;
  let lost = 0;

  const request = (method: 'GET' | 'POST', path: string, body?: object): Promise<Response> =>
    fetch(`${gateway.url}/api/v1/calls${path}`, {
      method,
      headers: gateway.headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  const place = async (index: number): Promise<void> => {
    const count = lives.get(index) ?? 0;
    // First lives of all lengths, so that later on the calls are of every age.
    const life = count === 0 ? (lifeMs * (index + 1)) / standing : lifeMs;
    ears.begin(index);
    const response = await request('POST', '', {
      to: ear(index),
      language: 'en',
      max_duration_sec: mostDurationSec,
    });
    const answer: unknown = await response.json();
    if (response.status !== 201) {
      refused += 1;
      return;
    }
    lives.set(index, count + 1);
    const { call_id: id } = placed.parse(answer);
    calls.set(index, { id, said: 0, endsAt: Date.now() + Math.max(life, 2 * tickMs) });
  };

  const end = async (index: number, { id }: StandingCall): Promise<void> => {
    ears.end(index);
    calls.delete(index);
    const response = await request('POST', `/${id}/hangup`, { immediate: true });
    await response.arrayBuffer();
  };

  /** A refused request means that the call is not answered yet, or has ended by itself. */
  const look = async (index: number, { id }: StandingCall): Promise<void> => {
    const { ended_at } = callRecord.parse(await (await request('GET', `/${id}`)).json());
    if (ended_at === null) return;
    ears.end(index);
    calls.delete(index);
    lost += 1;
  };

  const speakOn = async (index: number, call: StandingCall, begun: number): Promise<void> => {
    while (call.said < begun + partsAhead) {
      const response = await request('POST', `/${call.id}/say`, { text: partText(call.said) });
      await response.arrayBuffer();
      if (response.status !== 202) return look(index, call);
      call.said += 1;
    }
  };

  return {
    async tick(mayEnd: boolean): Promise<void> {
      const reports = await ears.report();
      const due: Promise<void>[] = [];
      let placing = 0;
      for (const [index, { begun }] of reports.entries()) {
        const call = calls.get(index);
        if (call !== undefined)
          due.push(mayEnd && Date.now() >= call.endsAt ? end(index, call) : speakOn(index, call, begun));
        else if (placing < placedPerTick) {
          placing += 1;
          due.push(place(index));
        }
      }
      await Promise.all(due);
    },
    endAll: async () => void (await Promise.all([...calls].map(([index, call]) => end(index, call)))),
    count: () => calls.size,
    /** Calls that were not placed, and calls that ended by themselves. */
    failures: () => ({ refused, lost }),
    replaced: () => [...lives.values()].reduce((sum, count) => sum + Math.max(0, count - 1), 0),
  };
};

/** Figures of the gateway that are to remain flat. */
type Look = Record<
  'memory held' | 'memory resident' | 'files' | 'UDP sockets' | 'timers' | 'channels',
  number
>;

const names = ['memory held', 'memory resident', 'files', 'UDP sockets', 'timers', 'channels'] as const;
const isMemory = (name: keyof Look): boolean => name.startsWith('memory');
const shown = (name: keyof Look, value: number): string =>
  isMemory(name) ? `${(value / 1_000_000).toFixed(1)} MB` : String(value);

/** A twentieth more is within the differences of two moments, and two more of a few may be a connection or a check. */
const isFlat = (name: keyof Look, first: number, last: number): boolean =>
  last <= Math.max(first * 1.05, isMemory(name) ? 0 : first + 2);

const sumOf = (reports: readonly EarReport[]): Counted => {
  const sum = nothingCounted();
  for (const { counted } of reports)
    for (const name of ['whole', ...faults] as const) sum[name] += counted[name];
  return sum;
};

const inWords = (counted: Counted): string => faults.map((fault) => `${fault} ${counted[fault]}`).join(', ');

export const benchStandingSoak =
  (servers: SipServers, trunkPort: number): Bench =>
  async ({ started, print }) => {
    const voice = await startCountingVoice(started);

    const soak = async (carrier: string, settings: Readonly<Record<string, string>>): Promise<boolean> => {
      const callsPerSecond = rateOf(settings);
      const ears = await startCountingEars(started, standing);
      const far = await startUdpEnd({ ear: (user) => ears.ports[earOf(user)] ?? 0 });
      started.defer(far.close);
      const gateway = await gatewaySystem(servers, far.port, { ...settings, ...voice })(started);
      const calls = createStandingCalls(gateway, ears);
      let isOver = false;
      let isResting = true;

      const keepCalls = async (): Promise<void> => {
        while (!isOver) {
          await calls.tick(!isResting);
          await pause(tickMs);
        }
      };

      const look = async (): Promise<Look> => {
        const { held, resident } = await readMemory(gateway);
        const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
        const timers = /^nodejs_active_resources\{type="Timeout"\} (\d+)$/m.exec(metrics)?.[1];
        const channels = /^(\d+) total/m.exec(await servers.console('show channels count'))?.[1];
        return {
          'memory held': held,
          'memory resident': resident,
          files: (await readProcessUse(gateway.pid)).openFiles,
          'UDP sockets': await countUdpSockets(gateway.pid),
          timers: Number(timers ?? 0),
          channels: Number(channels),
        };
      };

      const short = async (forMs: number): Promise<{ calls: number; failed: number }> => {
        const count = Math.max(1, Math.round((callsPerSecond * forMs) / 1_000));
        const { sipPort, folder } = servers;
        const load = { sipPort, localPort: trunkPort, number: gateway.number, callsPerSecond };
        const { failed } = await placeLoad(folder, { ...load, calls: count, callMs: shortMs });
        return { calls: count, failed };
      };

      const watch = async (): Promise<{ looks: Look[]; failed: number }> => {
        const rampEnd = Date.now() + rampLimitMs;
        while ((await ears.report()).some(({ begun }) => begun === 0) && Date.now() < rampEnd)
          await pause(tickMs);
        isResting = false;
        // Excludes code and connections that the first calls load once.
        await short(sliceMs / 3);
        const looks: Look[] = [];
        let failed = 0;
        const begun = Date.now();
        for (let slice = 1; slice <= slices; slice += 1) {
          const placedCalls = await short(Math.max(1_000, sliceMs - shortMs - restMs));
          failed += placedCalls.failed;
          // No call is being replaced while they are counted.
          isResting = true;
          await pause(Math.max(0, begun + slice * sliceMs - Date.now()));
          const seen = await look();
          isResting = false;
          looks.push(seen);
          const reports = await ears.report();
          const counted = sumOf(reports);
          const wrong = reports.filter((report) => faultsOf(report.counted) > 0).length;
          print(
            `  ${((Date.now() - begun) / 60_000).toFixed(1)} min`,
            `${names.map((name) => `${name} ${shown(name, seen[name])}`).join(', ')}; ${calls.count()} standing calls, ${placedCalls.calls} short ones, ${placedCalls.failed} of them failed; ${counted.whole} frames whole, faults at ${wrong} ears; load average ${loadavg()[0]?.toFixed(1)}`,
          );
        }
        return { looks, failed };
      };

      print('standing soak', `${carrier}: ${standing} standing calls, ${callsPerSecond} short calls/s`);
      const [{ looks, failed }] = await Promise.all([watch().finally(() => (isOver = true)), keepCalls()]);
      const reports = await ears.report();
      await calls.endAll();
      await gateway.end();

      const third = Math.floor(slices / 3);
      let isGood = true;
      const judge = (figure: string, text: string, isMet: boolean): void => {
        isGood &&= isMet;
        print(`  ${figure}`, `${text}: ${isMet ? 'yes' : '**no**'}`);
      };
      for (const name of names) {
        const first = median(looks.slice(0, third).map((seen) => seen[name]));
        const last = median(looks.slice(-third).map((seen) => seen[name]));
        judge(name, `${shown(name, first)} → ${shown(name, last)}, flat`, isFlat(name, first, last));
      }
      const { refused, lost } = calls.failures();
      judge(
        'calls',
        `${calls.replaced()} standing calls replaced, ${refused} refused, ${lost} ended by themselves; ${failed} short calls failed, none lost`,
        refused + lost + failed === 0,
      );
      const counted = sumOf(reports);
      const packets = reports.reduce((sum, { lostPackets }) => sum + lostPackets, 0);
      const faulty = [...reports.entries()].filter(([, report]) => faultsOf(report.counted) > 0);
      judge(
        'frames',
        `${counted.whole} whole; ${inWords(counted)}; ${packets} packets missing by their numbers; faults at ${faulty.length} of ${standing} ears, every frame whole`,
        faultsOf(counted) === 0 && counted.whole > 0,
      );
      for (const [index, report] of faulty) print(`    ear ${index}`, inWords(report.counted));
      return isGood;
    };

    let isGood = true;
    for (const [carrier, settings] of chosenCarriers()) isGood = (await soak(carrier, settings)) && isGood;
    if (!isGood) process.exitCode = 1;
  };
