/** Runs a program of `examples/` as its page describes, on a free port; it ends with the test. */
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { ownEnvironment, runProgram } from '#test/helpers/programs/run-program.ts';
import { until } from '#test/helpers/until.ts';

export type RunningExample = {
  /** The address that the program printed. */
  url: string;
  /** All of its output. */
  output(): string;
};

/** `path` is relative to `examples/`. */
export const runExample = async (
  t: ExecutionContext,
  path: string,
  environment: Record<string, string>,
): Promise<RunningExample> => {
  let output = '';
  const program = fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));
  const { ended, signal } = runProgram(process.execPath, [program], {
    cwd: process.cwd(),
    env: { ...ownEnvironment(), PORT: '0', ...environment },
    onOutput: (_, text) => void (output += text),
  });
  t.teardown(async () => {
    signal('SIGTERM');
    await ended;
  });
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const url = await until(`${path} listens`, () => {
    if (hasEnded) throw new Error(`It has ended: ${output}`);
    return /http:\S+/.exec(output)?.[0];
  });
  return { url, output: () => output };
};
