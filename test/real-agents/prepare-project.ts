/**
 * Installs a project of `examples/` once, into a folder outside this repository, its model replaced by the recording
 * one beside this file: the folder is named after the contents of the project and stays for the next run. Synchronous,
 * because it decides which tests are declared.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const installed = join(tmpdir(), 'trunkline-real-agents');

/** The packages of a project could not be installed; the message is npm's. */
export class PackagesMissing extends Error {
  override readonly name = 'PackagesMissing';
}

export type Project = {
  /** Folder of the project in `examples/`, and that of the files beside this one which replace those of the example. */
  folder: string;
  /** Executed once after installing: one of the installed programs. */
  build?: { program: string; args: readonly string[]; environment: Record<string, string> };
};

/** Files that a user of the example creates there. */
const leftovers = new Set(['node_modules', '.mastra', '.langgraph_api', 'package-lock.json']);

const filesIn = (root: string, folder: string): [string, string][] =>
  globSync(`${folder}/{.npmrc,**/*.{js,json}}`, {
    cwd: root,
    exclude: (path) => leftovers.has(basename(path)),
  })
    .sort()
    .map((file) => [file, join(root, file)]);

/** The target path of each file of the project, and its source. */
const sourcesOf = (folder: string): ReadonlyMap<string, string> =>
  new Map([
    // The shared part of both models is copied to each of them, where it expects it.
    ['model-replies.js', join(here, 'model-replies.js')],
    ...filesIn(examples, folder),
    ...filesIn(here, folder),
  ]);

/** `to` will contain the project's folder. */
export const copySources = (folder: string, to: string): void => {
  for (const [file, source] of sourcesOf(folder)) cpSync(source, join(to, file));
};

/** Installs only the packages, with a short time limit for an unreachable registry. */
const quickAndQuiet = [
  ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'],
  ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000'],
].flat();

const patienceMs = 240_000;

const run = (program: string, args: readonly string[], cwd: string, environment = {}) => {
  const env = { ...process.env, ...environment };
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: patienceMs,
  });
  return { succeeded: status === 0, said: error?.message ?? `${stdout}${stderr}`.slice(-2_000) };
};

/** Returns the folder that contains the installed project. Throws PackagesMissing if npm could not install it. */
export const prepareProject = ({ folder, build }: Project): string => {
  const hash = createHash('sha256').update(JSON.stringify({ build }));
  for (const [file, source] of sourcesOf(folder)) hash.update(file).update(readFileSync(source));
  const ready = join(installed, `${folder}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(ready)) return ready;

  console.error(`Installing the ${folder} server in ${ready} (only needed once) …`);
  mkdirSync(installed, { recursive: true });
  const unfinished = mkdtempSync(join(installed, 'unfinished-'));
  try {
    copySources(folder, unfinished);
    const project = join(unfinished, folder);
    const npm = run('npm', ['install', ...quickAndQuiet], project);
    if (!npm.succeeded) throw new PackagesMissing(npm.said);
    if (build !== undefined) {
      const program = join(project, 'node_modules/.bin', build.program);
      const { succeeded, said } = run(program, build.args, project, build.environment);
      if (!succeeded) throw new Error(`${build.program} ${build.args.join(' ')} failed: ${said}`);
    }
    // Atomic. If another run was faster, its folder is used.
    if (!existsSync(ready)) renameSync(unfinished, ready);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return ready;
};
