/**
 * The gateway's own PostgreSQL server in its data folder, reached only by a unix socket. Theory of operation:
 *
 * - The server has its own process session, so that Ctrl-C in a terminal stops the gateway first and the gateway then
 *   stops the server.
 * - If a gateway is killed, its server continues to run; the next start takes it over.
 * - If the server itself is killed, the gateway restarts it (`keep-running.ts`). Its last processes may hold its memory
 *   for a moment; starts are retried for some seconds.
 * - The cluster is created in a temporary folder and moved into place when it is complete, so an aborted start leaves
 *   no incomplete cluster.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { StartError } from '#src/domain/start-error.ts';
import { findBinaries, postgresMajor, type Binaries } from './binaries.ts';
import { keepRunning } from './keep-running.ts';
import { findPostmaster, isAlive, pidFile, type Postmaster } from './postmaster.ts';
import { shutDown } from './shut-down.ts';
import { answersAt, postgresPort, prepareSocketFolder, socketFile, takeOwnership } from './socket-folder.ts';
import { chooseUnprivileged, type Unprivileged } from './unprivileged.ts';

const explanations: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only file system',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it is not a folder',
  ENOENT: 'it does not exist and cannot be made',
  EEXIST: 'it is not a folder',
};

const textOf = (error: unknown): string => {
  if (typeof error === 'string') return error;
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // The last output of a PostgreSQL program is more precise than the error "Command failed".
  const output = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : '';
  if (code === 'ENOSPC' || output.includes('No space left on device')) return 'the disk is full';
  const lastLine = output
    .trim()
    .split('\n')
    .findLast((line) => /error|fatal/i.test(line));
  return explanations[code] ?? lastLine ?? error.message.replaceAll(/\s+/g, ' ');
};

/** Reason why the embedded database cannot use the data folder, in one line. */
const folderError = (dataFolder: string, error: unknown): StartError =>
  new StartError(
    `The embedded database cannot use the data folder ${dataFolder} (GW_DATA_DIR): ${textOf(error)}`,
    {
      cause: error,
    },
  );

export type EmbeddedDatabase = {
  connection: { socketFolder: string; database: string; user: string };
  /** Whether the server was already running and was taken over. */
  isAdopted: boolean;
  /** Shuts the server down. Open transactions are rolled back. */
  stop: () => Promise<void>;
};

type ClusterFiles = {
  dataFolder: string;
  cluster: string;
  log: string;
  socketFolder: string;
  binaries: Binaries;
  /**
   * Returns the user of PostgreSQL's programs, who may use the files from then on. A server that runs is taken over
   * without this: choosing the user starts a program, which calls of a dead process would wait for.
   */
  unprivileged: () => Promise<Unprivileged>;
};

const user = 'postgres';
const startTimeoutMs = 15_000;
const pollMs = 10;
const retryMs = 200;

/** Environment of PostgreSQL programs without the gateway's `PG…` variables, which these programs would interpret. */
const environment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' };

const initSettings = {
  username: user,
  auth: 'trust',
  encoding: 'UTF8',
  // PostgreSQL's own locale provider, so that the sort order does not depend on the machine.
  'locale-provider': 'builtin',
  'builtin-locale': 'C.UTF-8',
  locale: 'C',
};

const serverSettings = {
  port: postgresPort,
  listen_addresses: '',
  // Maximum number of connections. Unused ones cost little, and several gateways and commands may share one server.
  max_connections: '300',
  unix_socket_permissions: '0700',
  shared_buffers: '64MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

const asParameters = (settings: Record<string, string | number>): string[] =>
  Object.entries(settings).map(([name, value]) => `--${name}=${value}`);

const makeCluster = async ({ dataFolder, cluster, binaries, ...files }: ClusterFiles): Promise<void> => {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '');
  if (version.trim() === postgresMajor) return;
  if (version !== '') {
    throw new StartError(
      `The database in ${dataFolder} was made by PostgreSQL ${version.trim()}, and this version of Trunkline ` +
        `brings PostgreSQL ${postgresMajor}: use another data folder (GW_DATA_DIR)`,
    );
  }
  const unprivileged = await files.unprivileged();
  const fresh = `${cluster}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  await unprivileged.handOver(fresh);
  const [command, parameters] = unprivileged.command(
    binaries.initdb,
    asParameters({ pgdata: fresh, ...initSettings }),
  );
  await promisify(execFile)(command, parameters, { env: environment, cwd: '/', ...unprivileged.user });
  await rename(fresh, cluster);
};

/**
 * Starts the server and waits until it is ready. Resolves to undefined if the server ended early or had to be stopped.
 */
const launch = async (
  { cluster, log, socketFolder, binaries, ...files }: ClusterFiles,
  signal?: AbortSignal,
): Promise<Postmaster | undefined> => {
  const unprivileged = await files.unprivileged();
  const [command, parameters] = unprivileged.command(binaries.postgres, [
    '-D',
    cluster,
    // The folder is quoted, because the setting is a list separated by commas.
    ...asParameters({ unix_socket_directories: `"${socketFolder}"`, ...serverSettings }),
  ]);
  const output = await open(log, 'w', 0o600);
  try {
    const child = spawn(command, parameters, {
      env: environment,
      cwd: '/',
      detached: true,
      stdio: ['ignore', output.fd, output.fd],
      ...unprivileged.user,
    });
    await once(child, 'spawn');
    child.unref();
    while (child.exitCode === null && child.signalCode === null) {
      const postmaster = await findPostmaster(cluster);
      if (postmaster?.pid === child.pid && postmaster?.isReady === true) return postmaster;
      if (signal?.aborted === true) child.kill('SIGINT');
      await sleep(pollMs);
    }
    return undefined;
  } finally {
    await output.close();
  }
};

/**
 * Writes a probe file. A server on a full disk cannot write the reason to its log, whereas this write throws the same
 * error.
 */
const needRoom = async (folder: string): Promise<void> => {
  const probe = join(folder, 'probe');
  await writeFile(probe, Buffer.alloc(64 * 1024, 1));
  await rm(probe);
};

const bringUp = async (
  files: ClusterFiles,
  signal?: AbortSignal,
): Promise<{ postmaster: Postmaster; isAdopted: boolean }> => {
  const { cluster, socketFolder } = files;
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    signal?.throwIfAborted();
    const running = await findPostmaster(cluster);
    if (running === undefined) {
      // The lock file belongs to a server that has ended; its process id may belong to another program by now.
      await rm(pidFile(cluster), { force: true });
      const postmaster = await launch(files, signal);
      if (postmaster !== undefined) return { postmaster, isAdopted: false };
      await needRoom(dirname(cluster));
    } else if (running.isReady && (await answersAt(socketFile(socketFolder)))) {
      return { postmaster: running, isAdopted: true };
    }
    await sleep(retryMs);
  }
  throw new StartError(
    `The embedded database did not come up; its log is ${files.log}. ` +
      'Set GW_DATABASE_URL to use a PostgreSQL server instead',
  );
};

export const connectionAt = (socketFolder: string): EmbeddedDatabase['connection'] => ({
  socketFolder,
  database: 'postgres',
  user,
});

/** Starts or takes over the embedded server. Throws a StartError that names the relevant setting. */
export const startEmbedded = async ({
  dataFolder,
  logger,
}: {
  dataFolder: string;
  logger: Logger;
}): Promise<EmbeddedDatabase> => {
  const folder = join(dataFolder, 'postgresql');
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const binaries = await findBinaries(folder);
    const socketFolder = await prepareSocketFolder(folder);
    const ownership = await takeOwnership(socketFolder, dataFolder);
    try {
      const choose = async (): Promise<Unprivileged> => {
        const found = await chooseUnprivileged(folder);
        await found.handOver(folder);
        if (!socketFolder.startsWith(folder)) await found.handOver(socketFolder);
        return found;
      };
      let chosen: Promise<Unprivileged> | undefined;
      const unprivileged = (): Promise<Unprivileged> => (chosen ??= choose());
      const cluster = join(folder, 'cluster');
      const log = join(folder, 'server.log');
      const files = { dataFolder, cluster, log, socketFolder, binaries, unprivileged };
      await makeCluster(files);
      const { postmaster, isAdopted } = await bringUp(files);
      logger.info({ server_pid: postmaster.pid, adopted: isAdopted }, 'the embedded database is ready');
      const kept = keepRunning({
        server: postmaster,
        isAlive,
        find: () => findPostmaster(cluster),
        bringUp: async (signal) => (await bringUp(files, signal)).postmaster,
        logger,
      });
      return {
        connection: connectionAt(socketFolder),
        isAdopted,
        async stop() {
          await kept.stop();
          await shutDown(cluster);
          ownership.close();
          if (!socketFolder.startsWith(folder)) await rm(socketFolder, { recursive: true, force: true });
        },
      };
    } catch (error) {
      ownership.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw folderError(dataFolder, error);
  }
};
