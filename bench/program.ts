/** A Node program in its own process, which is ready when it responds at an address or opens its port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ownPort } from '#test/helpers/own-port.ts';

export type Program = {
  pid: number;
  url: string;
  /** Time from the start of the process until it was ready. */
  readyMs: number;
  /** Resolves when the process has ended. */
  end(): Promise<void>;
};

const root = fileURLToPath(new URL('..', import.meta.url));
const pollMs = 5;
const startTimeoutMs = 60_000;
const endTimeoutMs = 40_000;

const answers = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // The port is not open yet.
    return false;
  }
};

const isOpen = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    // The port is not open yet.
    return false;
  } finally {
    socket.destroy();
  }
};

export type ProgramOptions = {
  /** Arguments of Node itself. */
  nodeArguments?: readonly string[];
  /** Relative to the project's root folder. */
  file: string;
  parameters: (port: number) => { arguments?: string[]; environment?: Record<string, string> };
  /** Path that returns success when the program is ready; `null` if it is ready when its port is open. */
  readyPath: string | null;
};

/** The program belongs to `started` from its first moment. Rejects if it ends before it is ready. */
export const startProgram = async (
  started: AsyncDisposableStack,
  program: ProgramOptions,
): Promise<Program> => {
  const port = await ownPort();
  const { arguments: given = [], environment = {} } = program.parameters(port);
  const url = `http://127.0.0.1:${port}`;
  started.defer(() => end());
  const begun = performance.now();
  const child = spawn(process.execPath, [...(program.nodeArguments ?? []), program.file, ...given], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
    // Separate process group: Ctrl-C reaches the program only through this process, which ends everything in order.
    detached: true,
  });
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  /**
   * Kills the rest of the process group: children of a program that was ended during its start, such as a database
   * being created.
   */
  const killRest = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  };
  const end = async (): Promise<void> => {
    if (isOver()) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    const limit = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs);
    await exit;
    clearTimeout(limit);
    killRest();
  };

  const { readyPath } = program;
  const isReady = (): Promise<boolean> => (readyPath === null ? isOpen(port) : answers(`${url}${readyPath}`));
  await once(child, 'spawn');
  while (!(await isReady())) {
    if (isOver()) throw new Error(`${program.file} ended before it was ready`);
    if (performance.now() - begun > startTimeoutMs) throw new Error(`${program.file} does not get ready`);
    await pause(pollMs);
  }
  if (child.pid === undefined) throw new Error(`${program.file} has no process`);
  return { pid: child.pid, url, readyMs: performance.now() - begun, end };
};
