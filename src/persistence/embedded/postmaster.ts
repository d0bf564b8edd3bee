/** Reads the status of a running PostgreSQL server from its data folder (`postmaster.pid`). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Postmaster = { pid: number; isReady: boolean };

export const pidFile = (cluster: string): string => join(cluster, 'postmaster.pid');

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/**
 * Whether the process is the server. After a reboot, the process id may belong to another program. If the program of a
 * process cannot be determined, the process counts as the server.
 */
const isPostgres = async (pid: number): Promise<boolean> => {
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => 'postgres');
  return name.trim() === 'postgres';
};

/** Returns the running server of this cluster; undefined if none runs. */
export const findPostmaster = async (cluster: string): Promise<Postmaster | undefined> => {
  const lines = (await readFile(pidFile(cluster), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid) || !(await isPostgres(pid))) return undefined;
  return { pid, isReady: lines[7]?.trim() === 'ready' };
};
