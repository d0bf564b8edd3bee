/** Real drachtio-server and FreeSWITCH on loopback, on free ports, from the project's own configuration. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { probeMediaServer } from '#sip/drachtio/probe-media-server.ts';
import type { ServerAddress } from '#sip/drachtio/signalling.ts';

const configFolder = fileURLToPath(new URL('../../config', import.meta.url));
const needed = ['drachtio', 'freeswitch', 'sipp', 'baresip', 'espeak-ng', 'sox', 'fs_cli'];

/** What of the needed programs is not installed. */
export const missingPrograms = (): string[] =>
  needed.filter(
    (name) => !(process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name))),
  );

/** Whether the port is free for UDP, too. */
const isFreeForUdp = async (port: number): Promise<boolean> => {
  const socket = createSocket('udp4');
  try {
    socket.bind(port, '127.0.0.1');
    await once(socket, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
};

/** A port of loopback that is free for UDP and TCP. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('No port');
    const isFree = await isFreeForUdp(address.port);
    server.close();
    if (isFree) return address.port;
  }
};

/** TERM, then KILL: FreeSWITCH takes half a minute to end while mod_audio_fork is loaded. */
export const endProcess = async (child: ChildProcess, patienceMs = 1_000): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await exited;
  clearTimeout(timer);
};

const children = new Set<ChildProcess>();

// A test run that breaks off leaves nothing behind.
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

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
  children.add(child);
  child.once('exit', () => children.delete(child));
  const log = createWriteStream(logFile);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  child.on('close', () => log.end());
  return child;
};

const untilReady = async (what: string, child: ChildProcess, probe: () => Promise<void>): Promise<void> => {
  const end = Date.now() + 30_000;
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      if (child.exitCode !== null || Date.now() > end)
        throw new Error(`${what} did not start`, { cause: error });
      await delay(100);
    }
  }
};

const canConnect = async (port: number): Promise<void> => {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
};

export type SipServers = {
  /** Where these servers and their far ends leave files; gone after `close`. */
  folder: string;
  drachtio: ServerAddress;
  freeSwitch: ServerAddress;
  /** Where drachtio-server takes SIP. */
  sipPort: number;
  /** An answer of FreeSWITCH's console. */
  console(command: string): Promise<string>;
  /** It dies at once; what follows needs its restart. */
  killFreeSwitch(): Promise<void>;
  restartFreeSwitch(): Promise<void>;
  killDrachtio(): Promise<void>;
  restartDrachtio(): Promise<void>;
  close(): Promise<void>;
};

export const startServers = async (): Promise<SipServers> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-sip-'));
  const sipPort = await freePort();
  const drachtio = { host: '127.0.0.1', port: await freePort(), secret: 'test-drachtio' };
  const freeSwitch = { host: '127.0.0.1', port: await freePort(), secret: 'test-freeswitch' };
  const mediaSipPort = await freePort();
  const rtpFrom = 40_000 + 200 * Math.floor(Math.random() * 100);

  const startDrachtio = async (): Promise<ChildProcess> => {
    const child = start(
      'drachtio',
      [
        ['-f', join(configFolder, 'drachtio/drachtio.conf.xml')],
        ['--contact', `sip:127.0.0.1:${sipPort};transport=udp,tcp`],
        ['--address', '127.0.0.1', '--port', String(drachtio.port), '--secret', drachtio.secret],
      ].flat(),
      join(folder, 'drachtio.log'),
    );
    await untilReady('drachtio-server', child, () => canConnect(drachtio.port));
    return child;
  };

  const startFreeSwitch = async (): Promise<ChildProcess> => {
    const folders = [
      'log',
      'db',
      'run',
      'certs',
      'temp',
      'recordings',
      'storage',
      'cache',
      'sounds',
      'scripts',
    ];
    for (const name of folders) await mkdir(join(folder, 'freeswitch', name), { recursive: true });
    const child = start(
      'freeswitch',
      [
        ['-nf', '-nonat', '-nc', '-np', '-conf', join(configFolder, 'freeswitch')],
        ...folders.map((name) => [`-${name}`, join(folder, 'freeswitch', name)]),
      ].flat(),
      join(folder, 'freeswitch.log'),
      {
        GW_FREESWITCH_PORT: String(freeSwitch.port),
        GW_FREESWITCH_SECRET: freeSwitch.secret,
        GW_FREESWITCH_SIP_PORT: String(mediaSipPort),
        GW_FREESWITCH_RTP_FROM: String(rtpFrom),
        GW_FREESWITCH_RTP_TO: String(rtpFrom + 198),
      },
    );
    await untilReady('FreeSWITCH', child, () => probeMediaServer(freeSwitch, 'drachtio_mrf'));
    return child;
  };

  let signalling = await startDrachtio();
  let media: ChildProcess;
  try {
    media = await startFreeSwitch();
  } catch (error) {
    await endProcess(signalling);
    throw error;
  }

  return {
    folder,
    drachtio,
    freeSwitch,
    sipPort,
    async console(command) {
      const { host, port, secret } = freeSwitch;
      const child = spawn('fs_cli', ['-H', host, '-P', String(port), '-p', secret, '-x', command]);
      const chunks: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
      await once(child, 'close');
      return Buffer.concat(chunks).toString();
    },
    async killFreeSwitch() {
      await endProcess(media, 0);
    },
    async restartFreeSwitch() {
      media = await startFreeSwitch();
    },
    async killDrachtio() {
      await endProcess(signalling, 0);
    },
    async restartDrachtio() {
      signalling = await startDrachtio();
    },
    async close() {
      await Promise.all([endProcess(signalling), endProcess(media)]);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
