/** Memory and processor use of a Linux process, as counted by the system. */
import { readdir, readFile } from 'node:fs/promises';

/** Linux counts processor time in hundredths of a second. */
const tickMs = 10;

export type ProcessUse = { residentBytes: number; processorMs: number; openFiles: number };

export const readProcessUse = async (pid: number): Promise<ProcessUse> => {
  const [stat, status, files] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
    readdir(`/proc/${pid}/fd`),
  ]);
  // The program's name, in parentheses, may contain spaces; user and system time are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return {
    residentBytes: Number(resident) * 1024,
    processorMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
    openFiles: files.length,
  };
};
