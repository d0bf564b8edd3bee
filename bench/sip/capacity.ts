/**
 * Calls per second and the time to an answer, compared to the bare system, which alternates with the gateway at each
 * rate. A rate is sustained if no call fails and 95 of 100 calls are answered within `answerLimitMs`. Calls last a few
 * seconds, so that dozens are in progress at once.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SipServers } from '#test/real-sip/sip-servers.ts';
import type { Bench } from '../bench.ts';
import { percentile } from '../percentile.ts';
import { placeLoad, type LoadResult } from './load.ts';
import { bareSystem, gatewaySystem, type StartSystem } from './systems.ts';

const rates = [5, 10, 15, 20, 25, 30, 35, 40];
const callMs = 4_000;
const seconds = 8;
const answerLimitMs = 200;
/** FreeSWITCH needs time to release its calls. */
const restMs = 1_500;

type Held = { rate: number; p50: number; p95: number };

const isHeld = ({ failed, answerMs }: LoadResult): boolean =>
  failed === 0 && percentile(answerMs, 0.95) <= answerLimitMs;

export const benchCapacity =
  (servers: SipServers, trunkPort: number): Bench =>
  async ({ started, print }) => {
    /** The highest sustained rate, and the answer times at the lowest rate. */
    const climb = async (start: StartSystem): Promise<{ most: number; held: Held[] }> => {
      const system = await start(started);
      const held: Held[] = [];
      for (const rate of rates) {
        const result = await placeLoad(servers.folder, {
          sipPort: servers.sipPort,
          localPort: trunkPort,
          number: system.number,
          callsPerSecond: rate,
          calls: rate * seconds,
          callMs,
        });
        await pause(restMs);
        if (!isHeld(result)) break;
        held.push({ rate, p50: percentile(result.answerMs, 0.5), p95: percentile(result.answerMs, 0.95) });
      }
      await system.end();
      return { most: held.at(-1)?.rate ?? 0, held };
    };
    const bare = await climb(bareSystem(servers));
    const gateway = await climb(gatewaySystem(servers, trunkPort));
    print(
      'answered calls',
      `${(gateway.most / bare.most).toFixed(2)} of the bare system (${gateway.most}/s against ${bare.most}/s; aim ≥ 0.8)`,
    );
    for (const { rate, p50, p95 } of gateway.held) {
      const other = bare.held.find((each) => each.rate === rate);
      if (other !== undefined)
        print(
          `  at ${rate} calls/s`,
          `to the answer p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms; bare p50 ${other.p50.toFixed(0)} ms, p95 ${other.p95.toFixed(0)} ms`,
        );
    }
  };
