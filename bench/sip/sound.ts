/**
 * The agent's voice at the far end: how soon it is silent after a stop, and how regular its packets are while the
 * gateway's main thread stalls. With FreeSWITCH, and carried by the gateway itself.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Line } from '#machines/line.ts';
import type { SipServers } from '#test/real-sip/sip-servers.ts';
import type { Bench } from '../bench.ts';
import { percentile } from '../percentile.ts';
import { sharedNow, startEar, type Ear } from './ear.ts';
import { standingCall } from './standing-call.ts';

const rounds = 20;
const frameMs = 20;
const words =
  'This is a rather long sentence, which takes a few seconds, and then some more of them. '.repeat(6);

/** Times from each stop to the end of the last packet with a voice. */
const stopping = async (line: Line, ear: Ear): Promise<number[]> => {
  const figures: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    line.tell({ type: 'say', utterance: round, text: words });
    await pause(700 + 7 * round);
    const stoppedAt = sharedNow();
    line.tell({ type: 'stopTalking' });
    await pause(400);
    const last = (await ear.heard()).findLast(({ isVoice }) => isVoice);
    figures.push(Math.max(0, (last?.at ?? Number.NaN) + frameMs - stoppedAt));
  }
  return figures;
};

/** Gaps between packets while the main thread is blocked for this long every half second. */
const stalling = async (line: Line, ear: Ear, stallMs: number): Promise<number[]> => {
  line.tell({ type: 'say', utterance: 100 + stallMs, text: words });
  await pause(700);
  await ear.heard();
  for (let round = 0; round < rounds; round += 1) {
    const end = performance.now() + stallMs;
    while (performance.now() < end);
    await pause(500 - stallMs);
  }
  const heard = await ear.heard();
  line.tell({ type: 'stopTalking' });
  return heard.slice(1).map(({ at }, index) => at - (heard[index]?.at ?? at));
};

const inWords = (figures: readonly number[]): string =>
  [0.5, 0.99, 1].map((share) => percentile(figures, share).toFixed(0)).join(' / ');

export const benchSound =
  (servers: SipServers): Bench =>
  async ({ started, print }) => {
    for (const media of ['freeswitch', 'direct'] as const) {
      const ear = await startEar();
      started.defer(ear.close);
      const line = await standingCall({ servers, media, bargeIn: 'off', ear, started });
      print(`stop, ${media}`, `silence after p50 / p99 / most ${inWords(await stopping(line, ear))} ms`);
      for (const stallMs of [0, 100, 200])
        print(
          `packets, ${media}`,
          `p50 / p99 / most ${inWords(await stalling(line, ear, stallMs))} ms apart while the main thread stalls for ${stallMs} ms`,
        );
    }
  };
