/**
 * Starts programs for the threads of a test run: starting one copies the memory map of the process that starts it, and that
 * of a test run has gigabytes. Writes the path of its socket to stdout. Ends with its stdin, and therefore with the
 * process that started it; programs end with the connection that asked for them.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { lineOf, request, type Told } from './program-messages.ts';

const sockets = new Set<Socket>();

const serve = async (socket: Socket): Promise<void> => {
  const running = new Map<number, ChildProcess>();
  const tell = (told: Told): void => {
    if (socket.writable) socket.write(lineOf(told));
  };
  sockets.add(socket);
  socket.on('close', () => {
    sockets.delete(socket);
    for (const child of running.values()) child.kill('SIGKILL');
  });
  for await (const line of createInterface({ input: socket })) {
    const asked = request.parse(JSON.parse(line));
    const { id } = asked;
    if ('signal' in asked) {
      running.get(id)?.kill(asked.signal);
      continue;
    }
    const { command, parameters, cwd, env } = asked;
    const child = spawn(command, parameters, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    running.set(id, child);
    for (const from of ['stdout', 'stderr'] as const)
      child[from].setEncoding('utf8').on('data', (text: string) => tell({ id, from, text }));
    child.on('error', (error) => tell({ id, failed: error.message }));
    child.on('close', (code, signal) => {
      running.delete(id);
      tell({ id, code, signal });
    });
  }
};

const folder = await mkdtemp(join(tmpdir(), 'trunkline-programs-'));
const server = createServer((socket) => {
  // A reset connection is over like any other.
  serve(socket).catch(() => socket.destroy());
});
server.listen(join(folder, 'socket'));
await once(server, 'listening');
process.stdin.resume();
const isOver = once(process.stdin, 'end');
process.stdout.write(`${join(folder, 'socket')}\n`);
await isOver;
server.close();
for (const socket of sockets) socket.destroy();
await rm(folder, { recursive: true, force: true });
