/**
 * `npm test`: runs the whole suite, then each file that failed once more, alone. `npm test -- test/persistence/**` runs
 * some files. All files, and those of patterns after `--together`, share threads as in `test/together`.
 *
 * A file that passes alone is unsteady: the run is green, and its last lines say `unsteady: <file>: <title>: <failure>`.
 * More than three unsteady files are red. The ten slowest files are listed. `TRUNKLINE_TEST_REPORT` names a file that
 * gets failures and durations as JSON.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { compileCache, nodeOptions } from './node-options.ts';
import { failureDetails, runAva, type AvaRun, type FailedTest } from './run-ava.ts';
import type { RunMessage } from './run-messages.ts';
import { closingLines, isGreen, slowestLines, type Verdict } from './summary.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const began = performance.now();
const clock = (): string => {
  const seconds = Math.round((performance.now() - began) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

/** Prints a line for each file that is finished and for each failure. */
const createProgress = (): ((message: RunMessage) => void) => {
  const passed = new Map<string, number>();
  let [planned, finished] = [0, 0];
  return (message) => {
    if (message.type === 'planned') planned = message.files;
    if (message.type === 'passed') passed.set(message.thread, (passed.get(message.thread) ?? 0) + 1);
    if (message.type === 'failed') say(`  ✘ ${message.file}: ${message.title}: ${message.message}`);
    if (message.type === 'finished') {
      finished += 1;
      say(`${clock()}  ${finished}/${planned}  ${message.file}  ${passed.get(message.file) ?? 0} passed`);
    }
  };
};

const isFile = (file: string): boolean => file.startsWith('test/');

/** Runs each failed file once more, alone, and prints AVA's description of those that fail again. */
const judge = async ({ failed }: AvaRun): Promise<Verdict> => {
  const verdict: { unsteady: FailedTest[]; failed: FailedTest[] } = { unsteady: [], failed: [] };
  for (const [file, failures] of Map.groupBy(failed, (test) => test.file)) {
    if (!isFile(file)) {
      verdict.failed.push(...failures);
      continue;
    }
    say(`\n${clock()}  once more, alone: ${file}`);
    const second = await runAva({ files: [file] });
    if (second.failed.length === 0) {
      verdict.unsteady.push(...failures);
      say(`${clock()}  passed alone: ${file}`);
      continue;
    }
    verdict.failed.push(...second.failed);
    say(failureDetails(second.output));
  }
  return verdict;
};

const [first, ...others] = process.argv.slice(2);
const isTogether = first === undefined || first === '--together';
const files = isTogether ? others : [first, ...others];

/** Compiles the modules of a gateway before many threads need them at once, in a project that has them. */
const compileModules = async (): Promise<void> => {
  const program = 'test/run/compile-modules.ts';
  const areFew = files.length > 0 && files.every((file) => existsSync(file));
  if (areFew || !existsSync(program)) return;
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
  // Errors of these modules are those of the test files that import them.
  await once(spawn(process.execPath, [...nodeOptions, program], { env, stdio: 'ignore' }), 'close');
};

// Read by `ava.config.js`.
if (isTogether) process.env['TRUNKLINE_TESTS_TOGETHER'] = '1';
await compileModules();
const run = await runAva({ files, onMessage: createProgress() });
if (run.failed.length > 0) say(`\n${failureDetails(run.output)}`);
const verdict = await judge(run);
const report = process.env['TRUNKLINE_TEST_REPORT'];
if (report !== undefined && report !== '')
  writeFileSync(report, JSON.stringify({ ...verdict, files: run.files, durations: run.durations }));
say('');
for (const line of slowestLines(run.files)) say(line);
say('');
for (const line of closingLines(run, verdict)) say(line);
process.exitCode = isGreen(verdict) ? 0 : 1;
