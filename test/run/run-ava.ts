/** One run of AVA as a child process, followed by the messages of `observe-run.ts`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeOptions } from './node-options.ts';
import { runMessage, type RunMessage } from './run-messages.ts';

export type FailedTest = { file: string; title: string; message: string };

export type AvaRun = {
  passed: number;
  skipped: { file: string; title: string }[];
  failed: FailedTest[];
  /** Milliseconds of each passed test, by file and title. */
  durations: { file: string; title: string; ms: number }[];
  /** Milliseconds from the start of each file's thread to its end, beside other files. */
  files: { file: string; ms: number }[];
  /** Output of AVA, with its description of each failure at the end. */
  output: string;
};

export type AvaOptions = {
  config?: string;
  /** Paths or patterns; all files of the configuration when empty. */
  files?: readonly string[];
  onMessage?: (message: RunMessage) => void;
  /** Ends the run: AVA is sent SIGTERM. */
  signal?: AbortSignal;
};

const ava = fileURLToPath(new URL('start-ava.mjs', import.meta.url));

/** Never rejects for a failed test. A run that AVA itself could not finish has a failure of the file `(AVA)`. */
export const runAva = async ({ config, files = [], onMessage, signal }: AvaOptions): Promise<AvaRun> => {
  const run: AvaRun = { passed: 0, skipped: [], failed: [], durations: [], files: [], output: '' };
  const startedAt = new Map<string, number>();
  const child = spawn(
    process.execPath,
    [...nodeOptions, ava, ...(config === undefined ? [] : ['--config', config]), ...files],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  const stop = (): void => void child.kill('SIGTERM');
  signal?.addEventListener('abort', stop);
  const keep = (chunk: string): void => void (run.output += chunk);
  child.stdout?.setEncoding('utf8').on('data', keep);
  child.stderr?.setEncoding('utf8').on('data', keep);
  child.on('message', (sent) => {
    const message = runMessage.parse(sent);
    if (message.type === 'passed') {
      run.passed += 1;
      run.durations.push({ file: message.file, title: message.title, ms: message.ms });
    }
    if (message.type === 'started') startedAt.set(message.file, performance.now());
    if (message.type === 'finished') {
      const began = startedAt.get(message.file);
      if (began !== undefined) run.files.push({ file: message.file, ms: performance.now() - began });
    }
    if (message.type === 'skipped') run.skipped.push({ file: message.file, title: message.title });
    if (message.type === 'failed') {
      const { file, title, message: text } = message;
      run.failed.push({ file, title, message: text });
    }
    onMessage?.(message);
  });
  // 'close' follows the last output and the last message.
  const [code, killedBy] = await once(child, 'close');
  signal?.removeEventListener('abort', stop);
  const hasCrashed = killedBy !== null && signal?.aborted !== true;
  if (hasCrashed || (code !== 0 && run.failed.length === 0))
    run.failed.push({
      file: '(AVA)',
      title: '(the run)',
      message: `AVA ended with ${String(code ?? killedBy)}`,
    });
  return run;
};

/** AVA's description of failures after the list of tests; the whole output if it has no such part. */
export const failureDetails = (output: string): string => {
  const start = output.indexOf('\n  ─\n');
  return (start === -1 ? output.slice(-20_000) : output.slice(start + 5)).trim();
};
