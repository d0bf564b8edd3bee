/** Processor time by program, for this process's descendants, as counted by Linux. */
import { readdir, readFile } from 'node:fs/promises';

/** Linux counts processor time in hundredths of a second. */
const tickMs = 10;

type Program = { pid: number; parent: number; name: string; ms: number };

const readProgram = async (pid: number): Promise<Program | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // The name, in parentheses, may contain spaces. After the name, the second field is the parent, and the 12th to 15th
  // fields are user and system time of the process and of its ended children.
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, parent: Number(fields[1]), name: stat.slice(stat.indexOf('(') + 1, end), ms: ticks * tickMs };
};

/** Milliseconds by program name. */
export const readProgramTimes = async (): Promise<Map<string, number>> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const programs = (await Promise.all(pids.map(readProgram))).filter((program) => program !== undefined);
  const times = new Map<string, number>();
  const add = (parent: number): void => {
    for (const { pid, name, ms } of programs.filter((program) => program.parent === parent)) {
      times.set(name, (times.get(name) ?? 0) + ms);
      add(pid);
    }
  };
  add(process.pid);
  return times;
};
