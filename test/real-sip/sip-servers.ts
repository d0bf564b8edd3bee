/** Real drachtio-server and FreeSWITCH on loopback, on ports of this test file, from the project's own configuration. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ServerAddress } from '#sip/reconnect.ts';
import { stopProcess as endServerProcess } from '#src/servers/server-process.ts';
import { startDrachtio as startConfiguredDrachtio } from '#src/servers/start-drachtio.ts';
import { startFreeSwitch as startConfiguredFreeSwitch } from '#src/servers/start-freeswitch.ts';
import { endChildrenWithProcess } from './end-with-process.ts';
import { ownPort, ownRange } from './ports.ts';

const needed = ['drachtio', 'freeswitch', 'sipp', 'baresip', 'espeak-ng', 'sox', 'fs_cli'];

/** The required programs that are not installed. */
export const missingPrograms = (): string[] =>
  needed.filter(
    (name) => !(process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name))),
  );

export const endProcess = (child: ChildProcess, patienceMs = 1_000): Promise<void> =>
  endServerProcess(child, patienceMs);

// Applies also to gateways and other processes that tests start.
endChildrenWithProcess();

export const start = (
  program: string,
  args: readonly string[],
  logFile: string,
  environment: Record<string, string> = {},
): ChildProcess => {
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logFile);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  child.on('close', () => log.end());
  return child;
};

/** A FreeSWITCH instance of its own. */
export type RunningMediaServer = {
  address: ServerAddress;
  /** A response of the server's console. */
  console(command: string): Promise<string>;
  /** Number of channels, including pooled endpoints. */
  channels(): Promise<number>;
  /** Kills the server at once; further use requires its restart. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Freezes the server until it is resumed. */
  pause(): void;
  goOn(): void;
  close(): Promise<void>;
};

const startMediaServer = async (
  folder: string,
  { rtp, parkSec }: { rtp: { from: number; to: number }; parkSec: number },
): Promise<RunningMediaServer> => {
  const host = '127.0.0.1';
  const address = { host, port: await ownPort(), secret: 'test-freeswitch' };
  const sipPort = await ownPort();
  const name = `freeswitch-${address.port}`;

  const restart = async (): Promise<ChildProcess> => {
    const { child, ready } = startConfiguredFreeSwitch(
      {
        eventSocket: address,
        sip: { host, port: sipPort },
        publicAddress: null,
        clients: '127.0.0.1/32',
        parkSec,
        rtp,
      },
      join(folder, name),
      join(folder, `${name}.log`),
    );
    await ready;
    return child;
  };
  let running = await restart();

  const ask = async (command: string): Promise<string> => {
    const { port, secret } = address;
    const child = spawn('fs_cli', ['-H', host, '-P', String(port), '-p', secret, '-x', command]);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(child, 'close');
    return Buffer.concat(chunks).toString();
  };

  return {
    address,
    console: ask,
    channels: async () => Number(/^(\d+) total/m.exec(await ask('show channels count'))?.[1]),
    kill: () => endProcess(running, 0),
    async restart() {
      running = await restart();
    },
    pause: () => void running.kill('SIGSTOP'),
    goOn: () => void running.kill('SIGCONT'),
    close: () => endProcess(running),
  };
};

export type SipServers = {
  /** Folder for files of these servers and their far ends; removed by `close`. */
  folder: string;
  drachtio: ServerAddress;
  /** The first media server, and all of them. */
  freeSwitch: ServerAddress;
  mediaServers: readonly RunningMediaServer[];
  /** The SIP port of drachtio-server. */
  sipPort: number;
  /** A response of FreeSWITCH's console. */
  console(command: string): Promise<string>;
  /** Kills the server at once; further use requires its restart. */
  killFreeSwitch(): Promise<void>;
  restartFreeSwitch(): Promise<void>;
  killDrachtio(): Promise<void>;
  restartDrachtio(): Promise<void>;
  close(): Promise<void>;
};

/** `rtpPorts`: two for each simultaneous call on one media server. */
export const startServers = async ({
  rtpPorts = 200,
  parkSec = 30,
  mediaServers: count = 1,
} = {}): Promise<SipServers> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-sip-'));
  const sipPort = await ownPort();
  const drachtio = { host: '127.0.0.1', port: await ownPort(), secret: 'test-drachtio' };
  const address = '127.0.0.1';
  const startDrachtio = async (): Promise<ChildProcess> => {
    const { child, ready } = startConfiguredDrachtio(
      { control: drachtio, sip: { host: address, port: sipPort }, publicAddress: null, tls: null },
      join(folder, 'drachtio.log'),
    );
    await ready;
    return child;
  };

  const startNext = async (): Promise<RunningMediaServer> =>
    startMediaServer(folder, { rtp: await ownRange(rtpPorts), parkSec });

  let signalling = await startDrachtio();
  let first: RunningMediaServer;
  const mediaServers: RunningMediaServer[] = [];
  try {
    first = await startNext();
    mediaServers.push(first);
    while (mediaServers.length < count) mediaServers.push(await startNext());
  } catch (error) {
    await Promise.all([endProcess(signalling), ...mediaServers.map((each) => each.close())]);
    throw error;
  }

  return {
    folder,
    drachtio,
    freeSwitch: first.address,
    mediaServers,
    sipPort,
    console: first.console,
    killFreeSwitch: first.kill,
    restartFreeSwitch: first.restart,
    async killDrachtio() {
      await endProcess(signalling, 0);
    },
    async restartDrachtio() {
      signalling = await startDrachtio();
    },
    async close() {
      await Promise.all([endProcess(signalling), ...mediaServers.map((each) => each.close())]);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
