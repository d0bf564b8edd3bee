/**
 * `npm run cluster -- --nodes 3`: several gateways with one database on this machine, and simulated calls that continue
 * when a gateway is killed or stopped. A killed gateway is restarted after a while.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ConfigError, readConfig } from '#config/config.ts';
import { StartError } from '#src/domain/start-error.ts';
import { terminalLine, terminalLines } from '#src/domain/terminal-text.ts';
import { createLogger } from '#src/logger.ts';
import { startEmbedded } from '#src/persistence/embedded/start-embedded.ts';
import type { StartedServer } from '#src/servers/start-drachtio.ts';
import { supervise, type Supervised } from '#src/servers/supervise.ts';
import { credentialsFile, readCredentials, type Credentials } from '#src/start/credentials.ts';
import { prepareDataFolder } from '#src/start/data-folder.ts';
import { storedMasterKey } from '#src/start/master-key.ts';
import { bearerHeader } from '#src/start/welcome.ts';
import { parseOptions, UsageError } from './parse-options.ts';

const mostNodes = 10;

/** Delay before a killed gateway is restarted, long enough to see that the calls continue elsewhere. */
const backAfterMs = 10_000;

const times = {
  firstMs: backAfterMs,
  longestMs: backAfterMs,
  mostStarts: Infinity,
  steadyMs: 60_000,
  // The last gateway hangs up its calls, because no other gateway can take them over.
  patienceMs: 60_000,
};

type ClusterOptions = { nodes: number; firstPort: number };

const wholeNumberIn = (name: string, text: string, [least, most]: readonly [number, number]): number => {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${name} is a whole number from ${least} to ${most}`);
};

const readOptions = (args: readonly string[]): ClusterOptions => {
  const { values } = parseOptions({
    args: [...args],
    options: {
      nodes: { type: 'string', default: '3' },
      port: { type: 'string', default: '8080' },
    },
  });
  return {
    nodes: wholeNumberIn('nodes', values.nodes, [1, mostNodes]),
    firstPort: wholeNumberIn('port', values.port, [0, 65_535 - mostNodes]),
  };
};

type Node = { name: string; dataFolder: string; environment: Record<string, string> };

const nodesOf = (
  { nodes, firstPort }: ClusterOptions,
  folder: string,
  shared: Record<string, string>,
): readonly Node[] =>
  Array.from({ length: nodes }, (_, index) => {
    const name = `node-${index + 1}`;
    const dataFolder = join(folder, name);
    const port = firstPort === 0 ? 0 : firstPort + index;
    return {
      name,
      dataFolder,
      environment: {
        ...shared,
        GW_NODE: name,
        GW_DATA_DIR: dataFolder,
        GW_PORT: String(port),
        GW_LOG_FORMAT: 'pretty',
      },
    };
  });

/** Starts a gateway as a child process. Its log lines are prefixed with its name. */
const startNode = (
  { name, environment }: Node,
  inherited: NodeJS.ProcessEnv,
  print: (text: string) => void,
): StartedServer => {
  // The same option as in `npm start`: V8 may abort a process that uses WebAssembly in several threads on processors
  // with protection keys (nodejs/node issue 64500).
  const parameters = ['--no-memory-protection-keys', join(import.meta.dirname, '../main.mjs')];
  const child = spawn(process.execPath, parameters, {
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group, so that Ctrl-C reaches only this command, which then stops the gateways.
    detached: true,
  });
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      if (line.includes('the gateway is ready')) ready.resolve();
      // Only log lines are printed; the welcome messages of the gateways are suppressed.
      if (/^(?:\[|\d{4}-|Trunkline did)/.test(line)) print(`${name}  ${line}`);
    });
  void once(child, 'exit').then(() => ready.reject(new StartError(`${name} did not start`)));
  return { child, ready: ready.promise };
};

/** Opens the shared database: the configured one, or an embedded one that outlives each gateway. */
const sharedDatabase = async (
  databaseUrl: string | null,
  folder: string,
  started: AsyncDisposableStack,
): Promise<string> => {
  if (databaseUrl !== null) return databaseUrl;
  const logger = await createLogger({ level: 'warn', format: 'pretty' });
  const embedded = await startEmbedded({ dataFolder: folder, logger });
  started.defer(() => embedded.stop());
  const { socketFolder, database, user } = embedded.connection;
  return `postgresql://localhost/${database}?${new URLSearchParams({ host: socketFolder, user }).toString()}`;
};

/** Instructions, printed once when all gateways are ready. */
export const howTo = (credentials: Credentials, isTerminal: boolean): string => {
  const { header, before } = bearerHeader(credentials, isTerminal);
  return `
  A call that goes on for a while, placed with the first gateway:

${before}    curl -s ${credentials.base_url}/api/v1/calls -H ${header} \\
      -H 'Content-Type: application/json' -d '{"to": "01000000001"}'

  Kill the gateway that holds it, or ask it to end (kill without -9), and read the call at another one:

    kill -9 PID

  It comes back ${backAfterMs / 1_000} s later. Ctrl-C ends all of them. Keys and tokens: ${credentials.file}
`;
};

/** Runs until `asked` aborts. `isTerminal`: the output is shown to people and not stored. */
export const runCluster = async (
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  { print, isTerminal }: { print: (text: string) => void; isTerminal: boolean },
  asked: AbortSignal,
): Promise<void> => {
  const wanted = readOptions(args);
  const config = readConfig(environment, false);
  const folder = join(config.dataFolder, 'cluster');
  await using started = new AsyncDisposableStack();
  await prepareDataFolder(folder);
  const masterKey = config.masterKey ?? (await storedMasterKey(folder));
  const nodes = nodesOf(wanted, folder, {
    GW_DATABASE_URL: await sharedDatabase(config.databaseUrl, folder, started),
    GW_MASTER_KEY: masterKey.toString('base64'),
    GW_RECORDINGS_DIR: environment['GW_RECORDINGS_DIR'] ?? join(folder, 'recordings'),
    GW_AGENT_ALLOW_LOOPBACK: environment['GW_AGENT_ALLOW_LOOPBACK'] ?? '1',
  });

  const keep = (node: Node): Supervised =>
    supervise({
      start() {
        const server = startNode(node, environment, print);
        const tell = async (): Promise<void> => {
          await server.ready;
          const credentials = await readCredentials(node.dataFolder);
          print(`${node.name}  pid ${server.child.pid}  console ${credentials?.console_url ?? 'unknown'}`);
        };
        // Failures of this start are ignored here, because the supervisor receives them.
        void tell().catch(() => undefined);
        return server;
      },
      times,
      onEnded: (how, restartsInMs) =>
        print(`${node.name}  has ended (${how}); it comes back in ${restartsInMs / 1_000} s`),
      onBack: () => undefined,
      onGivenUp: () => undefined,
    });

  const kept: Supervised[] = [];
  started.defer(async () => {
    await Promise.all(kept.map((each) => each.stop()));
  });
  // Gateways start one after the other, because the first one creates the workspace and its number.
  for (const node of nodes) {
    const supervised = keep(node);
    kept.push(supervised);
    await supervised.ready;
    if (asked.aborted) return;
  }
  const [first] = nodes;
  const credentials = first && (await readCredentials(first.dataFolder));
  if (first && credentials)
    print(howTo({ ...credentials, file: credentialsFile(first.dataFolder) }, isTerminal));
  if (!asked.aborted) await once(asked, 'abort');
};

if (import.meta.main) {
  const asked = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => asked.abort());
  const print = (text: string): void => void process.stdout.write(`${terminalLines(text)}\n`);
  try {
    const isTerminal = process.stdout.isTTY;
    await runCluster(process.argv.slice(2), process.env, { print, isTerminal }, asked.signal);
    print('All gateways have ended.');
  } catch (error) {
    const isForPeople =
      error instanceof UsageError || error instanceof ConfigError || error instanceof StartError;
    if (!isForPeople) throw error;
    process.stderr.write(`${terminalLine(error.message)}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
