/**
 * Answered calls per second: the bare system, the gateway with FreeSWITCH and the gateway as carrier, in turns, for
 * several rounds; medians. In each round a system is started, answers the first calls after its start, which are
 * measured by themselves, and climbs a ladder of rates. A rate is sustained if no call fails and 95 of 100 calls are
 * answered within `answerLimitMs`; a rate that is not sustained is tried a second time before the climb ends. Calls
 * last a few seconds, so that dozens to hundreds are in progress at once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SipServers } from '#test/real-sip/sip-servers.ts';
import type { Bench } from '../bench.ts';
import { median, percentile } from '../percentile.ts';
import { placeLoad, type LoadResult } from './load.ts';
import { bareSystem, gatewaySystem, type StartSystem } from './systems.ts';

const rounds = 3;
const rates = [10, 20, 25, 30, 35, 40, 50, 60, 80, 100, 120, 140, 160];
const mostTries = 2;
const callMs = 4_000;
const seconds = 8;
const answerLimitMs = 200;
/** FreeSWITCH needs time to release its calls. */
const restMs = 1_500;
const firstCalls = { callsPerSecond: 5, calls: 20 };

/** Percentiles of the time to an answer in milliseconds. */
type AnswerTimes = { p50: number; p95: number };

type Climb = {
  first: AnswerTimes;
  /** Highest sustained rate; 0 if none was. */
  most: number;
  /** Times until the answer, by sustained rate of calls. */
  held: Map<number, AnswerTimes>;
};

const timesOf = ({ answerMs }: LoadResult): AnswerTimes => ({
  p50: percentile(answerMs, 0.5),
  p95: percentile(answerMs, 0.95),
});

const isHeld = (result: LoadResult): boolean => result.failed === 0 && timesOf(result).p95 <= answerLimitMs;

const shown = ({ p50, p95 }: AnswerTimes): string => `p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`;

/** Medians of each percentile. */
const medians = (times: readonly AnswerTimes[]): AnswerTimes => ({
  p50: median(times.map(({ p50 }) => p50)),
  p95: median(times.map(({ p95 }) => p95)),
});

export const benchCapacity =
  (servers: SipServers, trunkPort: number): Bench =>
  async ({ started, print }) => {
    const climb = async (start: StartSystem): Promise<Climb> => {
      const system = await start(started);
      const place = async (load: { callsPerSecond: number; calls: number }): Promise<LoadResult> => {
        const { sipPort, folder } = servers;
        const result = await placeLoad(folder, {
          ...load,
          sipPort,
          localPort: trunkPort,
          number: system.number,
          callMs,
        });
        await pause(restMs);
        return result;
      };
      /** The first sustained try of this rate. */
      const hold = async (rate: number): Promise<AnswerTimes | null> => {
        for (let tries = 0; tries < mostTries; tries += 1) {
          const result = await place({ callsPerSecond: rate, calls: rate * seconds });
          if (isHeld(result)) return timesOf(result);
        }
        return null;
      };
      const first = timesOf(await place(firstCalls));
      const held = new Map<number, AnswerTimes>();
      for (const rate of rates) {
        const times = await hold(rate);
        if (times === null) break;
        held.set(rate, times);
      }
      await system.end();
      return { first, most: Math.max(0, ...held.keys()), held };
    };

    const bareName = 'bare system';
    const systems: Readonly<Record<string, StartSystem>> = {
      [bareName]: bareSystem(servers),
      'with FreeSWITCH': gatewaySystem(servers, trunkPort),
      'itself (direct)': gatewaySystem(servers, trunkPort, { GW_TRUNK_MEDIA: 'direct' }),
    };
    const climbs = new Map<string, Climb[]>(Object.keys(systems).map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, start] of Object.entries(systems)) climbs.get(name)?.push(await climb(start));
    }

    const mostOf = (name: string): number => median((climbs.get(name) ?? []).map(({ most }) => most));
    const bareMost = mostOf(bareName);
    for (const [name, all] of climbs) {
      const each = all.map(({ most }) => most).join(', ');
      const ratio = name === bareName ? '' : `, ${(mostOf(name) / bareMost).toFixed(2)} of the bare system`;
      print(name, `${mostOf(name)} answered calls/s (${each}; the ladder ends at ${rates.at(-1)})${ratio}`);
      print('  first calls', `to the answer ${shown(medians(all.map(({ first }) => first)))}`);
      for (const rate of rates) {
        const times = all.map(({ held }) => held.get(rate)).filter((held) => held !== undefined);
        // A median needs every round.
        if (times.length === rounds) print(`  at ${rate} calls/s`, `to the answer ${shown(medians(times))}`);
      }
    }
  };
