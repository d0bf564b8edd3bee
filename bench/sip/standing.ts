/**
 * Cost of calls in progress, each with a caller who talks two seconds in five: memory of the gateway's process, and
 * processor time of all programs; for the bare system and both ways to carry the audio, with and without a recording
 * and a recognizer. In turns, for several rounds.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { WebSocketServer } from 'ws';
import type { SipServers } from '#test/real-sip/sip-servers.ts';
import type { Bench } from '../bench.ts';
import { median } from '../percentile.ts';
import { readMemory } from '../read-memory.ts';
import { placeLoad } from './load.ts';
import { readProcessUse } from './process-use.ts';
import { readProgramTimes } from './program-times.ts';
import { bareSystem, carriers, gatewaySystem, type StartSystem } from './systems.ts';

const rounds = 3;
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

/** Kinds of measured systems, by their treatment of calls. */
const kinds = {
  /** The minimal server, whose memory is not measured. */
  bare: 'neither recorded nor recognized',
  plain: 'neither recorded nor recognized',
  recorded: 'recorded and recognized',
} as const;

type Variant = {
  name: string;
  kind: keyof typeof kinds;
  start: StartSystem;
  /** A value per round: per cent of a processor, and kilobytes, for each call. */
  figures: { processor: number[]; uncollected: number[]; resident: number[]; held: number[] };
};

const variant = (name: string, kind: Variant['kind'], start: StartSystem): Variant => ({
  name,
  kind,
  start,
  figures: { processor: [], uncollected: [], resident: [], held: [] },
});

/** The median and, in parentheses, the range. */
const shown = (values: readonly number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

export const benchStanding =
  (servers: SipServers, trunkPort: number): Bench =>
  async ({ started, print }) => {
    await makeVoice(servers.folder);
    const hearing = { GW_RECOGNIZERS: 'vosk', GW_VOSK_URL: await openRecognizer(started) };

    /** Adds the figures of one round. */
    const measure = async ({ start, kind, figures }: Variant): Promise<void> => {
      const system = await start(started);
      const load = { sipPort: servers.sipPort, localPort: trunkPort, number: system.number, callsPerSecond };
      // Excludes code and connections that the first calls load once.
      await placeLoad(servers.folder, { ...load, calls: 10, callMs: 2_000, isTalking: true });
      const before = kind === 'bare' ? null : await readMemory(system);
      const rampMs = (calls / callsPerSecond) * 1_000;
      const callMs = rampMs + settleMs + watchedMs + 10_000;
      const placed = placeLoad(servers.folder, { ...load, calls, callMs, isTalking: true });
      await pause(rampMs + settleMs);
      const first = await spent();
      await pause(watchedMs);
      const last = await spent();
      figures.processor.push(((last - first) / watchedMs / calls) * 100);
      if (before !== null) {
        const { residentBytes } = await readProcessUse(system.pid);
        const during = await readMemory(system);
        const each = (bytes: number): number => bytes / calls / 1_000;
        figures.uncollected.push(each(residentBytes - before.resident));
        figures.resident.push(each(during.resident - before.resident));
        figures.held.push(each(during.held - before.held));
      }
      const { failed } = await placed;
      await system.end();
      if (failed > 0) throw new Error(`${failed} calls failed`);
    };

    const variants = [
      variant('bare system', 'bare', bareSystem(servers)),
      ...Object.entries(carriers).flatMap(([carrier, settings]) => [
        variant(carrier, 'plain', gatewaySystem(servers, trunkPort, settings)),
        variant(carrier, 'recorded', gatewaySystem(servers, trunkPort, { ...settings, ...hearing }, true)),
      ]),
    ];
    for (let round = 0; round < rounds; round += 1) {
      for (const each of variants) await measure(each);
    }
    for (const { name, kind, figures } of variants) {
      const share = `${kinds[kind]}: ${shown(figures.processor, 2)} % of a processor for each of ${calls} calls`;
      const memory = `; ${shown(figures.uncollected, 0)} kB resident before any collection of garbage, ${shown(figures.resident, 0)} kB after it, ${shown(figures.held, 0)} kB held`;
      print(name, `${share}${kind === 'bare' ? '' : memory}`);
    }
  };
