/** Processor time of processes, in milliseconds (proc(5), `/proc/[pid]/stat`). */
import { readdir, readFile } from 'node:fs/promises';

/** Hundredths of a second are the unit of the system. */
const tickMs = 10;

/** Places after the name of the program, which is in parentheses and may contain spaces. */
const place = { parent: 1, user: 11, system: 12 };

const fieldsOf = async (pid: number | string): Promise<string[]> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

const spentIn = (fields: readonly string[]): number =>
  tickMs * (Number(fields[place.user]) + Number(fields[place.system]));

/** Returns the time of one process. */
export const processorMs = async (pid: number): Promise<number> => spentIn(await fieldsOf(pid));

/** Returns the time of a process and of its running children. */
export const processorMsWithChildren = async (pid: number): Promise<number> => {
  const running = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  // A process may end while the list is read.
  const all = await Promise.all(running.map((name) => fieldsOf(name).catch(() => [])));
  const children = all.filter((fields) => fields[place.parent] === String(pid));
  return children.reduce((sum, fields) => sum + spentIn(fields), await processorMs(pid));
};
