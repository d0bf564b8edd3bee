/**
 * `npm run test:sip`, or `npm run test:sip -- srtp` for the test files whose names contain `srtp`; options such as
 * `--match='*hold*'` are AVA's. Prints the tests that needed their second try at the end. All processes of the run are
 * in one process group, which ends with the run, also when this process is killed.
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
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void child.kill(signal));
  await ended;
  return child.exitCode ?? 1;
};

const run = async (): Promise<number> => {
  const parameters = process.argv.slice(2);
  const options = parameters.filter((parameter) => parameter.startsWith('-'));
  const chosen = parameters.filter((parameter) => !parameter.startsWith('-'));
  const unknown = chosen.filter((name) => !parts.some((part) => part.includes(name)));
  if (unknown.length > 0) {
    console.error(`No test file is named ${unknown.join(' or ')}. There are: ${parts.join(', ')}`);
    return 2;
  }
  const files = parts
    .filter((part) => chosen.some((name) => part.includes(name)))
    .map((part) => `${folder}/${part}${suffix}`);
  const temporary = mkdtempSync(join(tmpdir(), 'trunkline-sip-run-'));
  try {
    const secondTries = join(temporary, 'second-tries');
    const code = await runAva([...options, ...files], secondTries);
    const lines = readSecondTries(secondTries);
    console.log(`Tests that needed their second try: ${lines.length}`);
    for (const line of lines) console.log(`second try: ${line}`);
    return code;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
};

process.exitCode = await run();
