/**
 * `npm run rehearse -- suite.yaml`: runs a suite of simulated callers and callees on the running gateway, or on one
 * started for it, and reports failures and coverage.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { styleText } from 'node:util';
import { ConfigError, readConfig, type Config } from '#config/config.ts';
import { createClient, TrunklineProblem, TrunklineUnreachable, type Client } from '#src/client/client.ts';
import type { RehearsalResults } from '#src/client/schema.ts';
import { loadPatterns } from '#src/domain/said-pattern.ts';
import { StartError } from '#src/domain/start-error.ts';
import { terminalJson, terminalLine } from '#src/domain/terminal-text.ts';
import { createLogger } from '#src/logger.ts';
import {
  mostParallelCalls,
  mostRepeats,
  type RehearsalResult,
  type RehearsedCase,
} from '#src/domain/rehearsal.ts';
import { changesSince, keep, storedResult, type StoredResult } from '#src/rehearsals/comparison.ts';
import { junitOf } from '#src/rehearsals/junit.ts';
import { readSuite } from '#src/rehearsals/read-suite.ts';
import type { SpokenTurn, Transcripts } from '#src/rehearsals/transcripts.ts';
import { readCredentials } from '#src/start/credentials.ts';
import { urlOf } from '#src/start/local-url.ts';
import { httpUrl, parseOptions, UsageError } from './parse-options.ts';
import { caseLines, changeLines, closingLines, type Style } from './rehearse/report.ts';

const help = `Runs a suite of simulated callers and callees, and says what failed and what it never came by.

  npm run rehearse -- suite.yaml

A gateway that runs on this machine is used; where none runs, one is started, which ends with the suite.
Its lines must be the simulated ones. guides/rehearsals.md says what stands in a suite.

  --repeat N        runs each case so often: one that does not always pass is flaky, and fails the suite
  --parallel N      so many calls at a time (default 1)
  --junit FILE      writes the result as JUnit XML
  --save FILE       writes the result as JSON
  --compare FILE    says what became better or worse since that result
  --json            prints the result as JSON alone (with npm run --silent)
  --url URL         another gateway; its admin token is read from ADMIN_TOKEN
  --help            this text

Ends with 0 when every case has passed, 1 when one has not, 2 when it was called wrongly or the suite is wrong.
`;

type RehearseOptions = {
  file: string;
  repeat: number;
  parallel: number;
  junit: string | undefined;
  save: string | undefined;
  compare: string | undefined;
  isJson: boolean;
  url: string | undefined;
};

const countIn = (name: string, text: string, most: number): number => {
  const count = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Infinity;
  if (count > most) throw new UsageError(`--${name} is a whole number from 1 to ${most}`);
  return count;
};

/** Parses the options. Returns `undefined` if help is requested. */
const readOptions = (args: readonly string[]): RehearseOptions | undefined => {
  const { values, positionals } = parseOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      repeat: { type: 'string', default: '1' },
      parallel: { type: 'string', default: '1' },
      junit: { type: 'string' },
      save: { type: 'string' },
      compare: { type: 'string' },
      json: { type: 'boolean', default: false },
      url: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw new UsageError('Name one suite, a file of YAML');
  const { junit, save, compare, json: isJson } = values;
  const url = httpUrl(values.url);
  const repeat = countIn('repeat', values.repeat, mostRepeats);
  const parallel = countIn('parallel', values.parallel, mostParallelCalls);
  return { file, repeat, parallel, junit, save, compare, isJson, url };
};

const readText = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read`, { cause: error });
  }
};

const readResult = async (file: string): Promise<StoredResult> => {
  try {
    return storedResult.parse(JSON.parse(await readText(file)));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} is no result of an earlier run`, { cause: error });
  }
};

const answerWithinMs = 5_000;

const isAlive = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answerWithinMs) })).ok;
  } catch {
    return false;
  }
};

type UsedGateway = { url: string; token: string };

const startOwn = async (config: Config, started: AsyncDisposableStack): Promise<UsedGateway> => {
  const { startGateway } = await import('../gateway.ts');
  const gateway = await startGateway(config, await createLogger({ level: 'silent', format: 'json' }));
  started.defer(() => {
    gateway.hurry();
    return gateway.close();
  });
  return { url: gateway.credentials.base_url, token: gateway.credentials.admin_token };
};

const findGateway = async (
  { url }: RehearseOptions,
  environment: NodeJS.ProcessEnv,
  say: (words: string) => void,
  started: AsyncDisposableStack,
): Promise<UsedGateway> => {
  const token = environment['ADMIN_TOKEN'];
  if (url !== undefined) {
    if (token === undefined)
      throw new UsageError('ADMIN_TOKEN is missing: a token of an admin of the workspace');
    return { url, token };
  }
  const config = readConfig(environment, false);
  const known = await readCredentials(config.dataFolder);
  const here = known?.base_url ?? urlOf(config.host, config.port);
  if (!(await isAlive(here))) {
    say(`No gateway runs at ${here}: one is started for this suite.`);
    return startOwn(config, started);
  }
  const knownToken = token ?? known?.admin_token;
  if (knownToken === undefined)
    throw new UsageError(`The gateway at ${here} keeps its credentials elsewhere: set ADMIN_TOKEN`);
  return { url: here, token: knownToken };
};

/** Thrown when a run ends before its suite does. The message is a sentence for the user. */
export class RunError extends Error {
  override readonly name = 'RunError';
}

export type ProcessStreams = {
  environment: NodeJS.ProcessEnv;
  output: { write: (text: string) => unknown; isTTY?: boolean };
  errors: { write: (text: string) => unknown };
  /** Aborts when the user interrupts the command. */
  asked: AbortSignal;
};

const casesIn = ({ results }: Pick<RehearsalResults, 'results'>): RehearsedCase[] =>
  results.map(({ took_sec: tookSec, runs, ...one }) => ({
    ...one,
    tookSec,
    runs: runs.map(({ call_id: callId, ...run }) => ({ ...run, callId })),
  }));

/** Adds the transcripts of the failed calls of a case. */
const readTranscripts = async (
  { runs }: RehearsedCase,
  transcripts: Map<string, readonly SpokenTurn[]>,
  admin: Pick<Client, 'getWorkspaceTranscript'>,
): Promise<void> => {
  for (const { callId, failures } of runs)
    if (callId !== null && failures.length > 0)
      transcripts.set(callId, (await admin.getWorkspaceTranscript({ call_id: callId })).transcript);
};

const pollMs = 500;

type Rehearsed = Pick<RehearsalResult, 'cases' | 'coverage'> & { transcripts: Transcripts };

/** Follows a run until its end. Prints each case once it is finished. */
const follow = async (
  id: string,
  admin: Client,
  { asked, print, style }: { asked: AbortSignal; print: (text: string) => void; style: Style },
): Promise<Rehearsed> => {
  const transcripts = new Map<string, readonly SpokenTurn[]>();
  const printed = new Set<string>();
  for (;;) {
    const run = await admin.getRehearsal({ id });
    const cases = casesIn(run);
    for (const one of cases.filter(({ name }) => !printed.has(name))) {
      printed.add(one.name);
      await readTranscripts(one, transcripts, admin);
      print(caseLines(one, transcripts, style));
    }
    const { status, problem, coverage } = run;
    if (problem !== null || status === 'cancelled' || status === 'interrupted')
      throw new RunError(problem ?? `The run was ${status} before the suite was over`);
    if (status === 'passed' || status === 'failed') return { cases, coverage, transcripts };
    if (asked.aborted) {
      await admin.cancelRehearsal({ id });
      throw new RunError('Ended before the suite was over');
    }
    await setTimeout(pollMs, undefined, { signal: asked }).catch(() => undefined);
  }
};

const rehearse = async (
  suite: string,
  { file, repeat, parallel }: RehearseOptions,
  { url, token }: UsedGateway,
  following: Parameters<typeof follow>[2],
): Promise<Rehearsed> => {
  const admin = createClient({ baseUrl: url, key: token });
  const { id } = await admin.startRehearsal({ body: { suite, name: basename(file), repeat, parallel } });
  return follow(id, admin, following);
};

const keepFiles = async (
  { transcripts, ...result }: Rehearsed,
  { junit, save, file }: RehearseOptions,
): Promise<void> => {
  if (junit !== undefined) await writeFile(junit, junitOf(basename(file), result, transcripts));
  if (save !== undefined) await writeFile(save, `${JSON.stringify(keep(result), null, 2)}\n`);
};

/** Formats a refusal with the fields that it names. */
const refusalLine = ({ message, errors }: TrunklineProblem): string =>
  [message, ...errors.map((one) => one.message)].join(' ');

/** Runs the command. Resolves to the exit code. */
export const runRehearse = async (
  args: readonly string[],
  { environment, output, errors, asked }: ProcessStreams,
): Promise<number> => {
  const wanted = readOptions(args);
  if (wanted === undefined) {
    output.write(help);
    return 0;
  }
  const source = await readText(wanted.file);
  const { problems } = readSuite(source, await loadPatterns());
  if (problems !== undefined) {
    for (const { line, column, message } of problems)
      errors.write(`${terminalLine(`${wanted.file}:${line}:${column}: ${message}`)}\n`);
    return 2;
  }
  const last = wanted.compare === undefined ? undefined : await readResult(wanted.compare);
  await using started = new AsyncDisposableStack();
  const say = (words: string): unknown => (wanted.isJson ? errors : output).write(`${words}\n`);
  const gateway = await findGateway(wanted, environment, say, started);
  const style: Style = (name, text) => (output.isTTY === true ? styleText(name, text) : text);
  const print = (text: string): void => void (wanted.isJson || output.write(text));
  const result = await rehearse(source, wanted, gateway, { asked, print, style });
  await keepFiles(result, wanted);
  print(closingLines(result, style));
  if (last !== undefined) print(changeLines(changesSince(last, keep(result)), style));
  if (wanted.isJson) output.write(`${terminalJson(keep(result), 2)}\n`);
  return result.cases.every(({ outcome }) => outcome === 'passed') ? 0 : 1;
};

if (import.meta.main) {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort());
  try {
    process.exitCode = await runRehearse(process.argv.slice(2), {
      environment: process.env,
      output: process.stdout,
      errors: process.stderr,
      asked: ending.signal,
    });
  } catch (error) {
    const isWrongUse = error instanceof UsageError || error instanceof ConfigError;
    const isForPeople =
      isWrongUse ||
      error instanceof StartError ||
      error instanceof RunError ||
      error instanceof TrunklineProblem ||
      error instanceof TrunklineUnreachable;
    if (!isForPeople) throw error;
    const told = error instanceof TrunklineProblem ? refusalLine(error) : error.message;
    process.stderr.write(`${terminalLine(told)}${isWrongUse ? ' (--help explains)' : ''}\n`);
    process.exitCode = isWrongUse ? 2 : 1;
  }
}
