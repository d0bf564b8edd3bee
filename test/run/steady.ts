/**
 * `npm run test:steady -- --times 10 --busy 2` runs the suite that often beside that many busy processes, and prints
 * each title that failed at least once with its number of failures. Paths after the options select files. The exit code
 * is 0 without failures.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { runAva } from './run-ava.ts';

const count = z.coerce.number().int().nonnegative();

const { values, positionals } = parseArgs({
  options: { times: { type: 'string', default: '10' }, busy: { type: 'string', default: '2' } },
  allowPositionals: true,
});
const { times, busy } = z.object({ times: count, busy: count }).parse(values);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Exits with the parent process, whose end closes standard input. */
const startBusy = (): ChildProcess =>
  spawn(
    process.execPath,
    [
      '-e',
      'process.stdin.on("end", () => process.exit()).resume(); setInterval(() => { for (let i = 0; i < 3e8; i++); }, 0);',
    ],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );

const busyProcesses = Array.from({ length: busy }, startBusy);
const unsteady = new Map<string, { runs: number; message: string }>();
try {
  for (let turn = 1; turn <= times; turn += 1) {
    const began = performance.now();
    const run = await runAva({ files: positionals });
    const failures = new Map(run.failed.map((test) => [`${test.file}: ${test.title}`, test.message]));
    for (const [test, message] of failures)
      unsteady.set(test, { runs: (unsteady.get(test)?.runs ?? 0) + 1, message });
    const seconds = Math.round((performance.now() - began) / 1000);
    say(
      `run ${turn} of ${times}: ${run.passed} passed, ${failures.size} failed in ${seconds} s (load average ${loadavg()[0]?.toFixed(1)})`,
    );
    for (const [test, message] of failures) say(`  ✘ ${test}: ${message}`);
  }
} finally {
  for (const child of busyProcesses) child.kill();
}
say(unsteady.size === 0 ? `\nNo unsteady test in ${times} runs.` : `\nUnsteady in ${times} runs:`);
for (const [test, { runs, message }] of [...unsteady].sort(([, one], [, other]) => other.runs - one.runs))
  say(`${runs}  ${test}: ${message}`);
process.exitCode = unsteady.size === 0 ? 0 : 1;
