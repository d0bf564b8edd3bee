/**
 * Prepares the code for the next start of this gateway (config/gateway-script.mjs), because calls of a killed gateway
 * wait for it. In a quiet moment after this start,
 *
 * - a process that has started without the script writes it, in a process of low priority;
 * - another process stores the compiled code again, with the functions that its start has compiled, and once more with
 *   those of the first calls.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';

/** How this process has loaded its code. */
export type LoadedCode =
  | {
      from: 'script';
      /** Stores the compiled code if it has grown. Resolves to whether it has. Blocks the event loop for a moment. */
      renew(): Promise<boolean>;
    }
  /** `isWanted` is false in a process that needs the files, such as one that is debugged. */
  | { from: 'modules'; because: string; isWanted: boolean };

type Writing = { ended: Promise<unknown>; end(): void };

const program = fileURLToPath(new URL('../../config/compile-gateway.mjs', import.meta.url));

/** Writes the script for the options of this process. */
const startWriting = (): Writing => {
  const parameters = [...process.execArgv, program, '--gateway', String(process.pid)];
  const child = spawn(process.execPath, parameters, { stdio: 'ignore' });
  const ended = once(child, 'exit').catch(() => undefined);
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // The process has ended already, or priorities cannot be set here.
  }
  return { ended, end: () => void child.kill('SIGTERM') };
};

/** Time after a start in which a newcomer makes the first calls, and in which most gateways of tests end. */
const quietMs = 30_000;
/** Time after a start from which the script is written although calls are in progress. */
const latestMs = 600_000;
const lookMs = 1_000;

export type NextStart = { close(): Promise<void> };

export const prepareNextStart = ({
  code,
  callsInProgress,
  clock,
  logger,
  write = startWriting,
}: {
  code: LoadedCode;
  callsInProgress: () => number;
  clock: Clock;
  logger: Logger;
  write?: () => Writing;
}): NextStart => {
  if (code.from === 'modules') logger.debug({ because: code.because }, 'the modules were loaded one by one');
  const begun = clock.now();
  let hadCalls = false;
  let isStartStored = false;
  let doing: Writing | null = null;

  const renew = async (renewCode: () => Promise<boolean>): Promise<void> => {
    try {
      if (await renewCode()) logger.debug('stored the compiled code of this process');
    } catch (error) {
      logger.debug({ err: error }, 'the compiled code could not be stored');
    }
  };

  /** Returns whether there is nothing left to do. */
  const look = (): boolean => {
    const calls = callsInProgress();
    hadCalls ||= calls > 0;
    const age = clock.now() - begun;
    if (age < quietMs) return false;
    if (code.from === 'modules') {
      if (calls > 0 && age < latestMs) return false;
      doing = write();
      return true;
    }
    if (calls > 0 || (isStartStored && !hadCalls)) return false;
    isStartStored = true;
    doing = { ended: renew(code.renew), end() {} };
    return hadCalls;
  };

  let timer: unknown;
  const lookLater = (): void => {
    timer = clock.setTimeout(() => {
      if (!look()) lookLater();
    }, lookMs);
  };
  if (code.from === 'script' || code.isWanted) lookLater();

  return {
    async close() {
      clock.clearTimeout(timer);
      doing?.end();
      await doing?.ended;
    },
  };
};
