/**
 * `npm run test:sip`, or `npm run test:sip -- srtp` for the test files whose names contain `srtp`; options such as
 * `--match='*hold*'` are AVA's. Files that mostly wait run first, beside each other; then those that measure audio, two
 * at a time, and those that need the whole machine. Prints the time of each group and the tests that needed their second
 * try at the end. All processes of the run are in process groups that end with the run, also when this process is
 * killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endGroupWithProcess } from './end-with-process.ts';
import { readSecondTries, secondTriesFile } from './second-tries.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ava = fileURLToPath(new URL('../../node_modules/.bin/ava', import.meta.url));
const folder = 'test/real-sip';
const suffix = '.test.ts';

const parts = readdirSync(join(root, folder))
  .filter((file) => file.endsWith(suffix))
  .map((file) => file.slice(0, -suffix.length));

/** Test files that measure audio in real time, which other processes would delay on a machine with two cores. */
const measuring = new Set([
  'adoption',
  'call-quality',
  'channel-sound',
  'conversation',
  'direct-line-contract',
  'direct-srtp',
  'encrypted-adoption',
  'gateway-calls',
  'handing-over',
  'line-contract',
  'listening',
  'media-servers',
  'missing-sound',
  'number-engines',
  'outlived-kills',
  'real-speech',
  'recording-pause',
  'srtp',
  'voicemail',
  'wide-sound',
]);

/** Test files that use both cores themselves: many calls at a time, or gateways that start while audio is measured. */
const alone = new Set(['restarts']);

const groups = [
  { name: 'waiting', concurrency: 5, has: (part: string) => !measuring.has(part) && !alone.has(part) },
  { name: 'measuring audio', concurrency: 2, has: (part: string) => measuring.has(part) },
  { name: 'alone', concurrency: 1, has: (part: string) => alone.has(part) },
];

const selected = { name: 'selected by options', concurrency: 2, has: () => true };

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Set by a signal: later files do not run. */
let isStopped = false;

/** Resolves to the exit code of AVA. */
const runAva = async (parameters: readonly string[], secondTries: string): Promise<number> => {
  const child = spawn(process.execPath, [ava, '--config', `${folder}/ava.config.js`, ...parameters], {
    cwd: root,
    detached: true,
    env: { ...process.env, [secondTriesFile]: secondTries },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  if (child.pid !== undefined) endGroupWithProcess(child.pid);
  const stop = (signal: NodeJS.Signals): void => {
    isStopped = true;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, stop);
  await ended;
  for (const signal of signals) process.off(signal, stop);
  return child.exitCode ?? 1;
};

const run = async (): Promise<number> => {
  // npm removes `--`; AVA would take the files behind it for parameters of the tests and run all files.
  const parameters = process.argv.slice(2).filter((parameter) => parameter !== '--');
  const options = parameters.filter((parameter) => parameter.startsWith('-'));
  const chosen = parameters.filter((parameter) => !parameter.startsWith('-'));
  const unknown = chosen.filter((name) => !parts.some((part) => part.includes(name)));
  if (unknown.length > 0) {
    console.error(`No test file is named ${unknown.join(' or ')}. There are: ${parts.join(', ')}`);
    return 2;
  }
  const wanted = parts.filter((part) => chosen.length === 0 || chosen.some((name) => part.includes(name)));
  const temporary = mkdtempSync(join(tmpdir(), 'trunkline-sip-run-'));
  try {
    const secondTries = join(temporary, 'second-tries');
    const times: string[] = [];
    let code = 0;
    // AVA fails if no test of a group matches an option.
    for (const { name, concurrency, has } of options.length === 0 ? groups : [selected]) {
      const files = wanted.filter(has).map((part) => `${folder}/${part}${suffix}`);
      if (files.length === 0 || isStopped) continue;
      const begunAt = performance.now();
      const ended = await runAva(['--concurrency', String(concurrency), ...options, ...files], secondTries);
      if (ended !== 0) code = ended;
      times.push(`${Math.round((performance.now() - begunAt) / 1_000)} s  files ${name}`);
    }
    for (const line of times) console.log(line);
    const lines = readSecondTries(secondTries);
    console.log(`Tests that needed their second try: ${lines.length}`);
    for (const line of lines) console.log(`second try: ${line}`);
    return code;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
};

process.exitCode = await run();
