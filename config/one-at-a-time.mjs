/**
 * Keeps two programs that are started in one folder from installing or building at the same time. Plain JavaScript
 * without packages, for Node 18 or newer.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

const lookAgainMs = 200;
/** What holds a lock for so long belongs to a program that was killed, and its number to another one. */
const longestMs = 15 * 60_000;

const isRunning = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** `false` where another program has it. A folder that cannot be written has no lock: the work will say so better. */
const take = (lock) => {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    return error.code !== 'EEXIST';
  }
};

/** Whether its owner is gone. An owner that has not yet written its number is there. */
const isLeft = (lock) => {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    if (Date.now() - statSync(lock).mtimeMs > longestMs) return true;
    return pid > 0 && (pid === process.pid || !isRunning(pid));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return false;
  }
};

/** Only one of those who find it left takes it away. */
const takeAway = (lock) => {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    rmSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
};

/** Does the work, which must not wait for anything but programs, while nobody else who names this lock does theirs. */
export const oneAtATime = (lock, whatOthersDo, work) => {
  let isTold = false;
  while (!take(lock)) {
    if (isLeft(lock)) {
      takeAway(lock);
      continue;
    }
    if (!isTold) console.error(`Another program in this folder ${whatOthersDo}; waiting for it …`);
    isTold = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookAgainMs);
  }
  const giveBack = () => rmSync(lock, { force: true });
  // Also where the work ends the process.
  process.once('exit', giveBack);
  try {
    return work();
  } finally {
    process.off('exit', giveBack);
    giveBack();
  }
};
