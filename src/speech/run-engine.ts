import { spawn } from 'node:child_process';
import { once } from 'node:events';

export type EngineRun = {
  /** For errors. */
  name: string;
  /** Path of the program, or a name to be found in PATH. */
  command: string;
  args: readonly string[];
  /** Given over standard input: the arguments of a process can be seen by everyone on the machine. */
  text: string;
  timeLimitMs: number;
  /** What the engine may write at most, in bytes. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
};

/** The engine ended by itself, but not well. `complaint` is what it wrote about that; it may hold spoken text. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly complaint: string;

  constructor(engine: string, code: number | string, complaint: string) {
    super(`${engine} ended with ${code}`);
    this.complaint = complaint;
  }
}

/** More of what an engine complains about is of no use. */
const maxComplaint = 1_000;

/**
 * What a speech engine writes when it is given a text. Rejects with the signal's reason when aborted, with an
 * `EngineFailure` when the engine ends badly, and with an error that names the engine when it cannot be started, takes
 * too long or writes too much. The process is gone in every case.
 */
export const runEngine = async (run: EngineRun): Promise<Buffer> => {
  run.signal?.throwIfAborted();
  // The engine needs nothing of the environment but this, and the environment holds secrets.
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], LC_ALL: 'C.UTF-8' };
  const engine = spawn(run.command, run.args, { env, stdio: 'pipe' });
  const ended = once(engine, 'close');

  let stopped: { reason: unknown } | undefined;
  const stop = (reason: unknown): void => {
    stopped ??= { reason };
    engine.kill('SIGKILL');
  };
  const abort = (): void => stop(run.signal?.reason);
  run.signal?.addEventListener('abort', abort, { once: true });
  const limit = setTimeout(
    () => stop(new Error(`${run.name} took longer than ${run.timeLimitMs} ms`)),
    run.timeLimitMs,
  );

  const written: Buffer[] = [];
  let bytes = 0;
  engine.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= run.maxBytes) written.push(chunk);
    else stop(new Error(`${run.name} wrote more than ${run.maxBytes} bytes`));
  });
  let complaint = '';
  engine.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(0, maxComplaint);
  });
  // An engine may end without reading to the end; how it ended says whether that was right.
  engine.stdin.on('error', () => {});
  engine.stdin.end(run.text);

  try {
    const [code, signal]: unknown[] = await ended;
    if (stopped !== undefined) throw stopped.reason;
    if (code !== 0) throw new EngineFailure(run.name, String(code ?? signal), complaint);
    return Buffer.concat(written);
  } catch (error) {
    if (stopped !== undefined || error instanceof EngineFailure) throw error;
    throw new Error(`${run.name} could not be started`, { cause: error });
  } finally {
    clearTimeout(limit);
    run.signal?.removeEventListener('abort', abort);
  }
};
