/** Runs the server of an installed example project on loopback. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '#test/helpers/until.ts';
import { readNotes, type Note } from './notes.ts';

export type RealAgentServer = {
  /** The base URL of its API: the chat URL of a binding. */
  url: string;
  /** The model's records of this call. */
  notesOf(callId: string): Note[];
  close(): Promise<void>;
};

/** Stops a server with its child processes. */
const endGroup = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    signalGroup(child, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), 3_000);
    await exited;
    clearTimeout(timer);
  }
  signalGroup(child, 'SIGKILL');
};

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};

const answers = async (url: string): Promise<true | undefined> => {
  try {
    return (await fetch(url)).ok || undefined;
  } catch {
    return undefined;
  }
};

/**
 * Runs a server that writes into `ownFolder`, which `close` removes. The server is ready when its path `health`
 * responds.
 */
export const runServer = async (options: {
  ownFolder: string;
  workingFolder: string;
  args: readonly string[];
  environment: Record<string, string>;
  port: number;
  health: string;
}): Promise<RealAgentServer> => {
  const { ownFolder, workingFolder, args, environment, port, health } = options;
  const url = `http://127.0.0.1:${port}`;
  const notesFile = join(ownFolder, 'notes');
  const logFile = join(ownFolder, 'log');
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, args, {
    cwd: workingFolder,
    env: { ...process.env, ...environment, MODEL_NOTES: notesFile },
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  // An aborted test run leaves nothing behind.
  const kill = (): void => signalGroup(child, 'SIGKILL');
  process.once('exit', kill);

  const close = async (): Promise<void> => {
    await endGroup(child);
    process.off('exit', kill);
    await rm(ownFolder, { recursive: true, force: true });
  };
  try {
    await until(
      'the server is ready',
      () => {
        if (child.exitCode !== null) throw new Error('The server has ended');
        return answers(`${url}${health}`);
      },
      60_000,
    );
  } catch (cause) {
    const said = readFileSync(logFile, 'utf8').slice(-2_000);
    await close();
    throw new Error(`The server did not start: ${said}`, { cause });
  }
  return {
    url,
    notesOf: (callId) => (existsSync(notesFile) ? readNotes(readFileSync(notesFile, 'utf8'), callId) : []),
    close,
  };
};
