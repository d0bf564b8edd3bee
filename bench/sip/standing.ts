/**
 * Cost of calls in progress, each with a caller who talks two seconds in five: memory of the gateway's process, and
 * processor time of all programs; for both ways to carry the audio, with and without a recording and a recognizer.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { WebSocketServer } from 'ws';
import type { SipServers } from '#test/real-sip/sip-servers.ts';
import type { Bench } from '../bench.ts';
import { readMemory } from '../read-memory.ts';
import { placeLoad } from './load.ts';
import { readProcessUse } from './process-use.ts';
import { readProgramTimes } from './program-times.ts';
import { carriers, gatewaySystem } from './systems.ts';

const calls = 50;
const callsPerSecond = 5;
const watchedMs = 15_000;
/** Time for the greeting. */
const settleMs = 8_000;
const programs = ['freeswitch', 'drachtio', 'node', 'MainThread', 'postgres'];
const words = 'I would like to know when you are open on Saturdays, and whether I can park there.';

const run = promisify(execFile);

/** The callers' speech as played by `talking.xml`: raw PCMU. */
const makeVoice = async (folder: string): Promise<void> => {
  const spoken = join(folder, 'talking.wav');
  await run('espeak-ng', ['-v', 'en', '-s', '220', '-w', spoken, words]);
  await run(
    'sox',
    [spoken, '-t', 'ul', '-r', '8000', '-c', '1', join(folder, 'talking.ul')].concat([
      'trim',
      '0',
      '2',
      'pad',
      '0',
      '3',
    ]),
  );
};

/** A recognizer that accepts audio and never returns words. */
const openRecognizer = async (started: AsyncDisposableStack): Promise<string> => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  started.defer(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  server.on('connection', (client) => client.on('message', () => client.send('{"partial": ""}')));
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The machine gave no port');
  return `ws://127.0.0.1:${address.port}`;
};

/** Processor time in milliseconds of all programs that carry calls. */
const spent = async (): Promise<number> => {
  const times = await readProgramTimes();
  return programs.reduce((sum, name) => sum + (times.get(name) ?? 0), 0);
};

export const benchStanding =
  (servers: SipServers, trunkPort: number): Bench =>
  async ({ started, print }) => {
    await makeVoice(servers.folder);
    const hearing = { GW_RECOGNIZERS: 'vosk', GW_VOSK_URL: await openRecognizer(started) };

    const measure = async (
      carrier: string,
      settings: Readonly<Record<string, string>>,
      isRecorded: boolean,
    ) => {
      const gateway = await gatewaySystem(servers, trunkPort, settings, isRecorded)(started);
      const load = { sipPort: servers.sipPort, localPort: trunkPort, number: gateway.number, callsPerSecond };
      // Excludes code and connections that the first calls load once.
      await placeLoad(servers.folder, { ...load, calls: 10, callMs: 2_000, isTalking: true });
      const before = await readMemory(gateway);
      const rampMs = (calls / callsPerSecond) * 1_000;
      const callMs = rampMs + settleMs + watchedMs + 10_000;
      const placed = placeLoad(servers.folder, { ...load, calls, callMs, isTalking: true });
      await pause(rampMs + settleMs);
      const first = await spent();
      await pause(watchedMs);
      const last = await spent();
      const { residentBytes } = await readProcessUse(gateway.pid);
      const during = await readMemory(gateway);
      const { failed } = await placed;
      await gateway.end();
      if (failed > 0) throw new Error(`${failed} calls failed`);
      const each = (bytes: number): string => `${(bytes / calls / 1_000).toFixed(0)} kB`;
      print(
        carrier,
        `${isRecorded ? 'recorded and recognized' : 'neither recorded nor recognized'}: ${(((last - first) / watchedMs / calls) * 100).toFixed(2)} % of a processor for each of ${calls} calls; ${each(residentBytes - before.resident)} resident before any collection of garbage, ${each(during.resident - before.resident)} after it, ${each(during.held - before.held)} held`,
      );
    };

    for (const [carrier, settings] of Object.entries(carriers)) {
      await measure(carrier, settings, false);
      await measure(carrier, { ...settings, ...hearing }, true);
    }
  };
