/** A PostgreSQL primary and a synchronous standby that can be promoted. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findBinaries, type Binaries } from '#src/persistence/embedded/binaries.ts';
import { chooseUnprivileged, type Unprivileged } from '#src/persistence/embedded/unprivileged.ts';
import { runStatement } from './database-statement.ts';
import type { Scope } from './file-scope.ts';
import { ownPort } from './own-port.ts';
import { until } from './until.ts';

type Server = { url: string; port: number; child: ChildProcess };

type Programs = { binaries: Binaries; unprivileged: Unprivileged };

export type CopiedDatabase = {
  /** Address of the primary. */
  original: string;
  /** Address of the standby; committed writes are visible there as well. */
  copy: string;
  /** Kills the primary. */
  kill(): Promise<void>;
  /** Makes the standby accept writes. */
  promote(): Promise<void>;
};

const environment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' };

const start = async (
  { binaries, unprivileged }: Programs,
  cluster: string,
  settings: Record<string, string>,
): Promise<Server> => {
  const port = await ownPort();
  const all = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    ...settings,
  };
  const [command, parameters] = unprivileged.command(binaries.postgres, [
    '-D',
    cluster,
    ...Object.entries(all).map(([name, value]) => `--${name}=${value}`),
  ]);
  const child = spawn(command, parameters, {
    env: environment,
    cwd: '/',
    stdio: 'ignore',
    ...unprivileged.user,
  });
  return { url: `postgresql://trunkline@127.0.0.1:${port}/postgres`, port, child };
};

const accepts = (url: string): Promise<true | undefined> =>
  runStatement(url, 'select 1').then(
    () => true,
    () => undefined,
  );

/** Starts a server, and retries if another process takes its port first. */
const run = async (...given: Parameters<typeof start>): Promise<Server> => {
  for (;;) {
    const server = await start(...given);
    const isUp = await until('the server accepts connections', async () =>
      server.child.exitCode === null ? accepts(server.url) : false,
    );
    if (isUp) return server;
  }
};

const makeCluster = async ({ binaries, unprivileged }: Programs, cluster: string): Promise<void> => {
  const [command, parameters] = unprivileged.command(binaries.initdb, [
    `--pgdata=${cluster}`,
    '--username=trunkline',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  await promisify(execFile)(command, parameters, { env: environment, cwd: '/', ...unprivileged.user });
};

const end = async ({ child }: Server): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
};

/** Copies a database to a second server. Both servers end when the test or the file that is the scope ends. */
export const copiedDatabase = async (t: Scope): Promise<CopiedDatabase> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-copied-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const unprivileged = await chooseUnprivileged(folder);
  await unprivileged.handOver(folder);
  const programs = { binaries: await findBinaries(folder), unprivileged };
  const [cluster, copied] = [join(folder, 'original'), join(folder, 'copy')];
  await makeCluster(programs, cluster);
  await cp(cluster, copied, { recursive: true });
  await writeFile(join(copied, 'standby.signal'), '');
  await unprivileged.handOver(folder);

  // Commits wait for the standby.
  const original = await run(programs, cluster, { synchronous_standby_names: '*' });
  t.teardown(() => end(original));
  const copy = await run(programs, copied, {
    // Queries on the standby are not cancelled because of rows that the primary vacuums.
    max_standby_streaming_delay: '-1',
    max_standby_archive_delay: '-1',
    primary_conninfo: `host=127.0.0.1 port=${original.port} user=trunkline`,
  });
  t.teardown(() => end(copy));
  await until('the standby replicates', async () => {
    const found = await runStatement(
      original.url,
      `select 1 from pg_stat_replication where sync_state = 'sync'`,
    ).catch(() => []);
    return found[0];
  });
  return {
    original: original.url,
    copy: copy.url,
    kill: () => end(original),
    async promote() {
      await runStatement(copy.url, 'select pg_promote(false)');
      await until('the standby accepts writes', async () => {
        const [server] = await runStatement(copy.url, 'select pg_is_in_recovery() as copies');
        return server?.['copies'] === false ? true : undefined;
      });
    },
  };
};
