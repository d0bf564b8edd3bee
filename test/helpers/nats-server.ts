/** A NATS server for tests on loopback; requires Debian's package `nats-server`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
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
  // -1: any free port, which the server prints.
  const wanted = ['--addr', '127.0.0.1', '--port', String(options.port ?? -1)];
  const child = spawn(program ?? 'nats-server', [...wanted, ...token], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await until('the NATS server is ready', () => printed.includes('Server is ready') || undefined);
  const [, port] = /client connections on 127\.0\.0\.1:(\d+)/.exec(printed) ?? [];
  if (port === undefined) throw new Error(`The NATS server said nothing of its port: ${printed}`);
  return {
    port: Number(port),
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
