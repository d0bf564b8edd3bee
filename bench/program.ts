/** A Node program in a process of its own, which says that it is ready by answering at an address. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '#test/helpers/free-port.ts';

export type Program = {
  pid: number;
  url: string;
  /** From the start of the process to its first answer. */
  readyMs: number;
  /** Resolves when the process is gone. */
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
    // Nobody listens yet.
    return false;
  }
};

export type ProgramOptions = {
  /** Given to Node itself. */
  nodeArguments?: readonly string[];
  /** Relative to the project's folder. */
  file: string;
  parameters: (port: number) => { arguments?: string[]; environment?: Record<string, string> };
  /** Answered with a success when the program is ready. */
  readyPath: string;
};

/** The program belongs to `started` from its first moment. Rejects when it ends before it is ready. */
export const startProgram = async (
  started: AsyncDisposableStack,
  program: ProgramOptions,
): Promise<Program> => {
  const port = await freePort();
  const { arguments: given = [], environment = {} } = program.parameters(port);
  const url = `http://127.0.0.1:${port}`;
  started.defer(() => end());
  const begun = performance.now();
  const child = spawn(process.execPath, [...(program.nodeArguments ?? []), program.file, ...given], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
    // A group of its own: Ctrl-C reaches it through this process, which ends everything in order.
    detached: true,
  });
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  /** What a program leaves behind that was ended in the midst of its start, such as the making of a database. */
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

  await once(child, 'spawn');
  while (!(await answers(`${url}${program.readyPath}`))) {
    if (isOver()) throw new Error(`${program.file} ended before it was ready`);
    if (performance.now() - begun > startTimeoutMs) throw new Error(`${program.file} does not get ready`);
    await pause(pollMs);
  }
  if (child.pid === undefined) throw new Error(`${program.file} has no process`);
  return { pid: child.pid, url, readyMs: performance.now() - begun, end };
};
