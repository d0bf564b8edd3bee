/**
 * Memory growth of this process while fifty calls speak to a recognizer that accepts connections but neither reads nor
 * responds. After fifteen seconds the gateway abandons a connection, and the next one receives all buffered audio. The
 * resident memory includes what the process itself needs once, such as compiled code, and garbage; at the end, garbage
 * is collected and the buffers are counted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pino from 'pino';
import { speechEngines } from '#config/policy.ts';
import { systemClock } from '#src/clocks.ts';
import { createCircuitBreaker } from '#src/domain/circuit-breaker.ts';
import { createEngineClient } from '#src/speech/engine-client.ts';
import { failOverRecognizer } from '#src/speech/fail-over-recognizer.ts';
import { vosk } from '#src/speech/vosk.ts';
import type { Bench } from './bench.ts';
import { startProgram } from './program.ts';

const calls = 50;
const sampleRate = 8_000;
const frameMs = 20;
const frame = Int16Array.from({ length: (sampleRate * frameMs) / 1_000 }, (_, at) => 1_000 * Math.sin(at));
const looksMs = [10_000, 20_000, 40_000];

export const benchHangingRecognizer: Bench = async ({ started, print }) => {
  const { limits, failOver } = speechEngines;
  const logger = pino({ level: 'silent' });
  const client = createEngineClient({ connectMs: limits.connectMs });
  started.defer(() => client.close());
  // In its own process, because what it receives is no memory of the gateway.
  const server = await startProgram(started, {
    file: 'bench/hanging-server.ts',
    parameters: (port) => ({ arguments: [String(port)] }),
    readyPath: '/',
  });
  const url = server.url.replace('http:', 'ws:');
  const engine = vosk({ client, clock: systemClock, limits, logger }, { url });
  const breaker = createCircuitBreaker(systemClock, failOver.coolDown);
  const recognizer = failOverRecognizer([{ engine, breaker }], {
    clock: systemClock,
    numbers: failOver,
    logger,
  });

  const before = process.memoryUsage.rss();
  const buffersBefore = process.memoryUsage().arrayBuffers;
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
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const buffersKb = (process.memoryUsage().arrayBuffers - buffersBefore) / calls / 1_000;
  print(
    'hanging recognizer',
    `${grown.join(', ')} resident for each of ${calls} calls; ${buffersKb.toFixed(0)} kB of buffers in use at the end`,
  );
};
