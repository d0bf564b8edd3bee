/**
 * Prevents two programs in one folder from installing or building at the same time. This module is plain JavaScript
 * without packages, for Node 18 or newer.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

const lookAgainMs = 200;
/** Age in milliseconds from which a lock belongs to a killed program whose process id has been reused. */
const longestMs = 15 * 60_000;

const isRunning = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/**
 * Takes the lock. Returns `false` if another program holds it. Returns true if the folder is not writable, because the
 * work itself will report a better error.
 */
const take = (lock) => {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    return error.code !== 'EEXIST';
  }
};

/** Whether the lock's owner is gone. An owner that has not yet written its process id counts as running. */
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

/**
 * Removes an abandoned lock by renaming it. The rename succeeds for only one of several programs that find the lock
 * abandoned.
 */
const takeAway = (lock) => {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    rmSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
};

/** Runs the work while holding the lock. The work must be synchronous, except for child processes. */
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
  // The lock is also released if the work exits the process.
  process.once('exit', giveBack);
  try {
    return work();
  } finally {
    process.off('exit', giveBack);
    giveBack();
  }
};
