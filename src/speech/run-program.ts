import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

export type ProgramRun = {
  command: string;
  arguments: readonly string[];
  /** Text for the program's standard input. */
  input: string;
  timeoutMs: number;
  /** Maximum output in bytes. A program that writes more is ended. */
  maxBytes: number;
  signal?: AbortSignal;
};

/** Returns the environment variables that a program needs, without the gateway's secrets. */
const environment = (): NodeJS.ProcessEnv => {
  const { PATH, HOME, ESPEAK_DATA_PATH } = process.env;
  return { PATH, HOME, ESPEAK_DATA_PATH, LC_ALL: 'C.UTF-8' };
};

/**
 * Runs a program and returns its output. Rejects with the signal's reason when aborted. Errors name the program, but
 * never contain its input.
 */
export const runProgram = (run: ProgramRun): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { command, signal } = run;
    if (signal?.aborted === true) return reject(signal.reason);
    const program = spawn(command, run.arguments, { env: environment(), stdio: ['pipe', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    let bytes = 0;

    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      program.kill('SIGKILL');
      settle();
    };
    const abort = (): void => end(() => reject(signal?.reason));
    const timer = setTimeout(
      () => end(() => reject(new Error(`${command} did not finish within ${run.timeoutMs / 1000} s`))),
      run.timeoutMs,
    );
    signal?.addEventListener('abort', abort);

    program.on('error', (cause) => end(() => reject(new Error(`${command} could not be run`, { cause }))));
    program.stdin.on('error', () => {
      // The error is ignored: the program ended before it read all input, and its exit code explains why.
    });
    program.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > run.maxBytes)
        return end(() => reject(new Error(`${command} wrote more than ${run.maxBytes} bytes`)));
      chunks.push(chunk);
    });
    program.on('close', (code) =>
      end(() => {
        if (code === 0) resolve(Buffer.concat(chunks));
        else reject(new Error(`${command} ended with code ${code}`));
      }),
    );
    program.stdin.end(run.input);
  });

/** Whether a program is installed. `path` is the search path for programs. */
export const isInstalled = async (program: string, path: string): Promise<boolean> => {
  const tries = path.split(delimiter).map((folder) => access(join(folder, program), constants.X_OK));
  return (await Promise.allSettled(tries)).some(({ status }) => status === 'fulfilled');
};
