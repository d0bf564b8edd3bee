/** A server as a child process with a log file of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const readyWithinMs = 30_000;

/**
 * Runs a start script, which replaces itself with the server. Process lists do not show the variables in `environment`.
 */
export const spawnScript = (
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  logFile: string,
): ChildProcess => {
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawn('sh', [script, ...args], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', log, log],
    });
  } finally {
    closeSync(log);
  }
};

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Stops a process by SIGTERM, then by SIGKILL after `patienceMs`: FreeSWITCH takes some seconds to exit. */
export const stopProcess = async (child: ChildProcess, patienceMs: number): Promise<void> => {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await exited;
  clearTimeout(timer);
};

/** Repeats a check until it succeeds. Rejects when the server exits, or after half a minute. */
export const untilReady = async (
  name: string,
  child: ChildProcess,
  probe: () => Promise<void>,
): Promise<void> => {
  const end = Date.now() + readyWithinMs;
  for (;;) {
    try {
      return await probe();
    } catch (cause) {
      if (hasEnded(child) || Date.now() > end) throw new Error(`${name} did not start`, { cause });
      await delay(100);
    }
  }
};

/** Connects to the port once. Rejects if nothing listens there. */
export const reach = async ({ host, port }: { host: string; port: number }): Promise<void> => {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
};
