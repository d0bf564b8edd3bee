/** Runs a program of `examples/` as its page describes, on a free port; it ends with the test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
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
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../../examples/${path}`, import.meta.url))], {
    env: { ...process.env, PORT: '0', ...environment },
  });
  t.teardown(async () => {
    const ended = once(child, 'close');
    child.kill();
    await ended;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const url = await until(`${path} listens`, () => {
    if (child.exitCode !== null) throw new Error(`It has ended: ${output}`);
    return /http:\S+/.exec(output)?.[0];
  });
  return { url, output: () => output };
};
