/** Regularity of audio that the gateway carries itself, while its main thread is working and while it is blocked. */
import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { z } from 'zod';
import { createDirectEndpoint } from '#sip/rtp/direct-endpoint.ts';
import { createMediaThread } from '#sip/media-thread/media-thread.ts';
import { steadyClock } from '#src/clocks.ts';
import type { Bench } from './bench.ts';
import { percentile } from './percentile.ts';
import { startProgram } from './program.ts';

const calls = 50;
const seconds = 20;
const stallMs = 100;

const standStill = (milliseconds: number): void => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
};

const gapsOf = async (url: string): Promise<number[]> =>
  z.array(z.number()).parse(await (await fetch(url)).json());

export const benchSoundGaps: Bench = async ({ started, print }) => {
  const receiver = await startProgram(started, {
    file: 'bench/rtp-receiver.ts',
    parameters: (port) => ({ arguments: [String(port)] }),
    readyPath: '/',
  });
  const thread = createMediaThread({
    ports: { from: 26_000, to: 26_398 },
    logger: pino({ level: 'silent' }),
  });
  started.defer(() => thread.close());
  const speech = new Int16Array(8_000 * 10).fill(1_000);
  const sayAgain: (() => void)[] = [];
  for (let call = 0; call < calls; call += 1) {
    const options = { thread, address: '127.0.0.1', clock: steadyClock, rtpTimeoutMs: 0 };
    const endpoint = await createDirectEndpoint(undefined, { codecs: null, srtp: 'off' }, options);
    started.defer(() => endpoint.destroy());
    const path = await endpoint.connect({ onAudio() {}, onLost() {} }, 8_000);
    const there = `m=audio ${new URL(receiver.url).port}`;
    await endpoint.takeAnswer(endpoint.localSdp.replace(/^m=audio \d+/m, there));
    sayAgain.push(() => path.send(speech));
  }
  for (const [how, stalls] of [
    ['nothing else to do', false],
    [`the main thread stands still for ${stallMs} ms each second`, true],
  ] as const) {
    for (const say of sayAgain) for (let times = 0; times < (seconds + 10) / 10; times += 1) say();
    await pause(1_000);
    await gapsOf(receiver.url);
    for (let second = 0; second < seconds; second += 1) {
      if (stalls) standStill(stallMs);
      await pause(1_000 - (stalls ? stallMs : 0));
    }
    const gaps = await gapsOf(receiver.url);
    const at = (share: number): string => percentile(gaps, share).toFixed(1);
    const whole = (100 * gaps.length) / ((calls * seconds * 1_000) / 20);
    print(
      'gaps of sound sent',
      `${calls} calls, ${how}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms, ${whole.toFixed(1)} % of the packets (aim p99 ≤ 30 ms)`,
    );
  }
};
