/** Starts sipp; it is ready as soon as its port is open. */
import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { until } from './real-lines.ts';
import { start } from './sip-servers.ts';

type Transport = 'udp' | 'tcp';

/** True if a socket is bound to this port of loopback; for TCP, a listening one (state 0A, proc(5)). */
const isOpen = async (port: number, transport: Transport): Promise<boolean> => {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const table = await readFile(`/proc/net/${transport}`, 'utf8');
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .some(([, local, , state]) => local === address && (transport === 'udp' || state === '0A'));
};

/** Resolves when sipp accepts SIP at this port of loopback, or has exited. */
export const startSipp = async (
  args: readonly string[],
  { port, rtpPort, transport = 'udp' }: { port: number; rtpPort: number; transport?: Transport },
  logFile: string,
): Promise<ChildProcess> => {
  const ports = ['-i', '127.0.0.1', '-p', String(port), '-mp', String(rtpPort), '-nostdin'];
  const child = start('sipp', [...ports, ...args], logFile);
  await until(async () => child.exitCode !== null || (await isOpen(port, transport)));
  return child;
};
