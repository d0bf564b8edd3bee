/**
 * Memory growth of this process while fifty calls speak to a recognizer that accepts connections but neither reads nor
 * responds. After fifteen seconds the gateway abandons a connection, and the next one receives all buffered audio.
 */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import pino from 'pino';
import { WebSocketServer } from 'ws';
import { speechEngines } from '#config/policy.ts';
import { systemClock } from '#src/clocks.ts';
import { createCircuitBreaker } from '#src/domain/circuit-breaker.ts';
import { createEngineClient } from '#src/speech/engine-client.ts';
import { failOverRecognizer } from '#src/speech/fail-over-recognizer.ts';
import { vosk } from '#src/speech/vosk.ts';
import type { Bench } from './bench.ts';

const calls = 50;
const sampleRate = 8_000;
const frameMs = 20;
const frame = Int16Array.from({ length: (sampleRate * frameMs) / 1_000 }, (_, at) => 1_000 * Math.sin(at));
const looksMs = [10_000, 20_000, 40_000];

const openHangingServer = async (started: AsyncDisposableStack): Promise<string> => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  started.defer(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  server.on('connection', (_socket, { socket }) => socket.pause());
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The machine gave no port');
  return `ws://127.0.0.1:${address.port}`;
};

export const benchHangingRecognizer: Bench = async ({ started, print }) => {
  const { limits, failOver } = speechEngines;
  const logger = pino({ level: 'silent' });
  const client = createEngineClient({ connectMs: limits.connectMs });
  started.defer(() => client.close());
  const url = await openHangingServer(started);
  const engine = vosk({ client, clock: systemClock, limits, logger }, { url });
  const breaker = createCircuitBreaker(systemClock, failOver.coolDown);
  const recognizer = failOverRecognizer([{ engine, breaker }], {
    clock: systemClock,
    numbers: failOver,
    logger,
  });

  const before = process.memoryUsage.rss();
  const recognitions = Array.from({ length: calls }, () =>
    recognizer.open({ language: 'en-US', sampleRate, turnEnds: false }, () => {}),
  );
  started.defer(() => recognitions.forEach((recognition) => recognition.close()));
  const talking = setInterval(() => {
    for (const recognition of recognitions) recognition.write(frame);
  }, frameMs);
  started.defer(() => clearInterval(talking));

  const grown: string[] = [];
  let passedMs = 0;
  for (const lookMs of looksMs) {
    await pause(lookMs - passedMs);
    passedMs = lookMs;
    const eachKb = (process.memoryUsage.rss() - before) / calls / 1_000;
    grown.push(`${eachKb.toFixed(0)} kB after ${lookMs / 1_000} s`);
  }
  print('hanging recognizer', `${grown.join(', ')} resident for each of ${calls} calls`);
};
