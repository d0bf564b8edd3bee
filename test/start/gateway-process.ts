/** The gateway as its user runs it: `node src/main.mjs`, a process of its own with settings, output and an exit code. */
import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import type { Scope } from '#test/helpers/file-scope.ts';
import { testDatabaseUrl } from '#test/helpers/database.ts';
import { ownEnvironment, type ProgramEnd, runProgram } from '#test/helpers/programs/run-program.ts';
import { testSettings } from '#test/helpers/test-settings.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** As in `npm start`. Processes with the same options of V8 use the same compiled modules, as those of the tests do. */
export const startCommand = ['--no-memory-protection-keys', 'src/main.mjs'];

const credentials = z.strictObject({
  base_url: z.url(),
  console_url: z.url(),
  workspace_id: z.uuid(),
  number_id: z.uuid(),
  number: z.string(),
  number_key: z.string(),
  admin_token: z.string(),
});

export type StoredCredentials = z.infer<typeof credentials>;

export const credentialsIn = async (dataFolder: string): Promise<StoredCredentials> =>
  credentials.parse(JSON.parse(await readFile(join(dataFolder, 'dev-credentials.json'), 'utf8')));

/** Creates an empty folder, which is removed with the test. */
export const emptyFolder = async (t: Scope): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-start-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** Settings of a gateway on a database server, which starts sooner than an embedded one. */
export const serverSettings = async (t: Scope): Promise<Record<string, string>> => {
  const databaseUrl = await testDatabaseUrl(t);
  return testSettings(databaseUrl, await emptyFolder(t));
};

export type GatewayProcess = {
  stdout(): string;
  stderr(): string;
  /** Resolves when this was printed on standard output; rejects when the process ends first. */
  printed(text: string): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended and all of its output was read. */
  ended: Promise<ProgramEnd>;
};

const shownLines = 40;

/** Filters out requests, because tests poll the API and would fill the lines. */
const isPoll = (line: string): boolean => line.includes('"http request"') && line.includes('"status":2');

/** Diagnostics for a failed test: the last lines that a process wrote. */
export const lastOutput = ({ stdout, stderr }: Pick<GatewayProcess, 'stdout' | 'stderr'>): string => {
  const lines = `${stdout()}${stderr()}`.trimEnd().split('\n');
  return lines
    .filter((line) => !isPoll(line))
    .slice(-shownLines)
    .join('\n');
};

/** Prints the output below the failure of this test. */
const logOutputOnFailure = (t: ExecutionContext, output: () => string): void => {
  t.teardown(() => {
    if (!t.passed) t.log(output());
  });
};

/** Passes the test's own environment without gateway settings. The process ends with the scope. */
export const runGateway = (
  t: ExecutionContext | Scope,
  settings: Record<string, string>,
  /** A command that runs the gateway, such as `unshare`. */
  wrapper: readonly string[] = [],
): GatewayProcess => {
  const inherited = Object.entries(ownEnvironment()).filter(([name]) => !name.startsWith('GW_'));
  const [command, ...parameters] = [...wrapper, process.execPath, ...startCommand];
  const written = { stdout: '', stderr: '' };
  const news = new EventEmitter();
  const { ended, signal } = runProgram(command ?? process.execPath, parameters, {
    cwd: root,
    env: { ...Object.fromEntries(inherited), GW_MAX_DELAY_MS: '0', ...settings },
    onOutput(from, text) {
      written[from] += text;
      news.emit(from);
    },
  });
  t.teardown(async () => {
    signal('SIGTERM');
    // A process that the test has frozen receives the signal above when it continues.
    signal('SIGCONT');
    await ended;
  });
  const output = { stdout: () => written.stdout, stderr: () => written.stderr };
  if ('log' in t) logOutputOnFailure(t, () => lastOutput(output));
  return {
    ...output,
    async printed(text) {
      while (!written.stdout.includes(text)) {
        const isOver = await Promise.race([once(news, 'stdout').then(() => false), ended.then(() => true)]);
        if (isOver && !written.stdout.includes(text)) {
          throw new Error(`The gateway ended without "${text}": ${written.stdout}${written.stderr}`);
        }
      }
    },
    signal,
    ended,
  };
};

/** A gateway that is ready, with its credentials. */
export const startedGateway = async (
  t: ExecutionContext | Scope,
  settings: Record<string, string>,
): Promise<GatewayProcess & { credentials: StoredCredentials }> => {
  const gateway = runGateway(t, settings);
  await gateway.printed('the gateway is ready');
  return { ...gateway, credentials: await credentialsIn(settings['GW_DATA_DIR'] ?? '') };
};
