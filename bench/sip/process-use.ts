/** Memory and processor use of a Linux process, as counted by the system. */
import { readdir, readFile, readlink } from 'node:fs/promises';

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

/** Number of UDP sockets of a process. */
export const countUdpSockets = async (pid: number): Promise<number> => {
  const tables = await Promise.all(
    ['udp', 'udp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')),
  );
  // The tables list the sockets of all processes; the tenth field is the inode.
  const inodes = new Set(
    tables.flatMap((table) => table.trim().split('\n').slice(1)).map((row) => row.trim().split(/\s+/)[9]),
  );
  const files = await readdir(`/proc/${pid}/fd`);
  // A file may have been closed since then.
  const targets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  return targets.filter((target) => inodes.has(/^socket:\[(\d+)\]$/.exec(target)?.[1])).length;
};
