/** A NATS server for tests on loopback; requires Debian's package `nats-server`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ownPort } from './own-port.ts';
import { until } from './until.ts';

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
const program = folders.map((folder) => join(folder, 'nats-server')).find((path) => existsSync(path));

export const hasNatsServer = program !== undefined;

export type NatsServer = { port: number; stop(): Promise<void> };

/** Starts a NATS server; resolves when it accepts connections. */
export const startNatsServer = async (
  options: { port?: number; token?: string } = {},
): Promise<NatsServer> => {
  const token = options.token === undefined ? [] : ['--auth', options.token];
  const port = options.port ?? (await ownPort());
  const wanted = ['--addr', '127.0.0.1', '--port', String(port)];
  const child = spawn(program ?? 'nats-server', [...wanted, ...token], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await until('the NATS server is ready', () => printed.includes('Server is ready') || undefined);
  return {
    port,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
