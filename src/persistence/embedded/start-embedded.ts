/**
 * A PostgreSQL server of the gateway's own, in its data folder, reached by a unix socket alone. Theory of operation:
 *
 * - The server is a process of its own session, so that Ctrl-C in a terminal stops the gateway first and the gateway
 *   then stops the server.
 * - When a gateway is killed, its server goes on running; the next start adopts it.
 * - When the server itself was killed, the gateway starts it again (`keep-running.ts`). Its last processes may hold its
 *   memory for a moment; a start is tried again for some seconds.
 * - The cluster is made beside its place and moved there when it is complete, so a start that was broken off leaves
 *   nothing half made.
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
import { folderError } from './folder-error.ts';
import { keepRunning } from './keep-running.ts';
import { findPostmaster, pidFile, type Postmaster } from './postmaster.ts';
import { shutDown } from './shut-down.ts';
import { answersAt, postgresPort, prepareSocketFolder, socketFile, takeOwnership } from './socket-folder.ts';
import { chooseUnprivileged, type Unprivileged } from './unprivileged.ts';

export type EmbeddedDatabase = {
  connection: { socketFolder: string; database: string; user: string };
  /** Whether a server that was left running was taken over. */
  isAdopted: boolean;
  /** Shuts the server down; open transactions are rolled back. */
  stop: () => Promise<void>;
};

type Place = {
  dataFolder: string;
  cluster: string;
  log: string;
  socketFolder: string;
  binaries: Binaries;
  unprivileged: Unprivileged;
};

const user = 'postgres';
const startTimeoutMs = 15_000;
const pollMs = 10;
const retryMs = 200;

/** Nothing of the gateway's own environment: `PG…` variables mean something to these programs. */
const environment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' };

const initSettings = {
  username: user,
  auth: 'trust',
  encoding: 'UTF8',
  // The locale that PostgreSQL brings itself: sorting does not change with the machine.
  'locale-provider': 'builtin',
  'builtin-locale': 'C.UTF-8',
  locale: 'C',
};

const serverSettings = {
  port: postgresPort,
  listen_addresses: '',
  // Unused connections cost little, and several gateways and commands may share one server.
  max_connections: '300',
  unix_socket_permissions: '0700',
  shared_buffers: '64MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

const asParameters = (settings: Record<string, string | number>): string[] =>
  Object.entries(settings).map(([name, value]) => `--${name}=${value}`);

const makeCluster = async ({ dataFolder, cluster, binaries, unprivileged }: Place): Promise<void> => {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '');
  if (version.trim() === postgresMajor) return;
  if (version !== '') {
    throw new StartError(
      `The database in ${dataFolder} was made by PostgreSQL ${version.trim()}, and this version of Trunkline ` +
        `brings PostgreSQL ${postgresMajor}: use another data folder (GW_DATA_DIR)`,
    );
  }
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

/** Starts the server and waits until it is ready; undefined when it gave up before, or had to. */
const launch = async (
  { cluster, log, socketFolder, binaries, unprivileged }: Place,
  signal?: AbortSignal,
): Promise<Postmaster | undefined> => {
  const [command, parameters] = unprivileged.command(binaries.postgres, [
    '-D',
    cluster,
    // A list of folders: in quotation marks a comma is part of a name.
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

/** A server on a full disk has no room to say so in its log: this throws what it met. */
const needRoom = async (folder: string): Promise<void> => {
  const probe = join(folder, 'probe');
  await writeFile(probe, Buffer.alloc(64 * 1024, 1));
  await rm(probe);
};

const bringUp = async (
  place: Place,
  signal?: AbortSignal,
): Promise<{ postmaster: Postmaster; isAdopted: boolean }> => {
  const { cluster, socketFolder } = place;
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    signal?.throwIfAborted();
    const running = await findPostmaster(cluster);
    if (running === undefined) {
      // A lock of a server that is no more; its number may be another program's by now.
      await rm(pidFile(cluster), { force: true });
      const postmaster = await launch(place, signal);
      if (postmaster !== undefined) return { postmaster, isAdopted: false };
      await needRoom(dirname(cluster));
    } else if (running.isReady && (await answersAt(socketFile(socketFolder)))) {
      return { postmaster: running, isAdopted: true };
    }
    await sleep(retryMs);
  }
  throw new StartError(
    `The embedded database did not come up; its log is ${place.log}. ` +
      'Set GW_DATABASE_URL to use a PostgreSQL server instead',
  );
};

export const connectionAt = (socketFolder: string): EmbeddedDatabase['connection'] => ({
  socketFolder,
  database: 'postgres',
  user,
});

/** Throws a StartError that names the setting to look at. */
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
      const unprivileged = await chooseUnprivileged(folder);
      await unprivileged.handOver(folder);
      if (!socketFolder.startsWith(folder)) await unprivileged.handOver(socketFolder);
      const cluster = join(folder, 'cluster');
      const log = join(folder, 'server.log');
      const place = { dataFolder, cluster, log, socketFolder, binaries, unprivileged };
      await makeCluster(place);
      const { postmaster, isAdopted } = await bringUp(place);
      logger.info({ server_pid: postmaster.pid, adopted: isAdopted }, 'the embedded database is ready');
      const kept = keepRunning({
        server: postmaster,
        find: () => findPostmaster(cluster),
        bringUp: async (signal) => (await bringUp(place, signal)).postmaster,
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
