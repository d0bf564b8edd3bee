/**
 * Encodes recordings of ended calls in worker threads. Waiting recordings are files, so the queue takes little memory.
 * Threads start with the first recording and end after some time without a recording.
 */
import { Worker } from 'node:worker_threads';
import type { Clock } from '#src/domain/clock.ts';
import type { Encoded, EncodingJob } from './encode-parts.ts';
import type { FromEncodingThread } from './encoding-thread.ts';

export type Encoding = {
  /** Writes the file. Rejects if that fails, or with an `EncodingStopped`. */
  encode(job: EncodingJob): Promise<Encoded>;
  /** Waits for at most this long for `work`, which uses `encode`. Then rejects the remaining recordings. */
  close(work: Promise<unknown>, withinMs: number): Promise<void>;
};

/** The gateway stops before a recording is encoded. The raw parts remain. */
export class EncodingStopped extends Error {
  override readonly name = 'EncodingStopped';
}

type Task = { job: EncodingJob; settle: PromiseWithResolvers<Encoded> };

type Thread = { worker: Worker; task: Task | null };

export const createEncoding = ({
  threads: most,
  idleMs,
  clock,
}: {
  /** Number of recordings that are encoded at the same time. */
  threads: number;
  /** Time after which a thread without work ends. */
  idleMs: number;
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
}): Encoding => {
  const waiting: Task[] = [];
  const threads = new Set<Thread>();
  let isClosed = false;
  let idleTimer: unknown;

  const isBusy = (): boolean => waiting.length > 0 || [...threads].some(({ task }) => task !== null);

  const startThread = (): Thread => {
    const worker = new Worker(new URL('./encoding-thread.ts', import.meta.url));
    const thread: Thread = { worker, task: null };
    const ended = (error: Error): void => {
      threads.delete(thread);
      thread.task?.settle.reject(isClosed ? new EncodingStopped(error.message) : error);
      thread.task = null;
      startNext();
    };
    worker.on('message', (message: FromEncodingThread) => {
      const { task } = thread;
      thread.task = null;
      if (message.type === 'encoded') task?.settle.resolve(message.encoded);
      else task?.settle.reject(new Error('Encoding the recording failed', { cause: message.error }));
      startNext();
    });
    worker.on('error', (cause) => ended(new Error('The thread that encodes recordings failed', { cause })));
    worker.on('exit', () => ended(new Error('The thread that encodes recordings has ended')));
    threads.add(thread);
    return thread;
  };

  const endThreads = async (): Promise<void> => {
    const ending = [...threads];
    threads.clear();
    await Promise.all(ending.map(({ worker }) => worker.terminate()));
  };

  const stop = async (): Promise<void> => {
    isClosed = true;
    clock.clearTimeout(idleTimer);
    for (const { settle } of waiting.splice(0)) settle.reject(new EncodingStopped('The gateway stops'));
    await endThreads();
  };

  const startNext = (): void => {
    while (waiting.length > 0) {
      const free = [...threads].find(({ task }) => task === null);
      if (free === undefined && threads.size >= most) return;
      const thread = free ?? startThread();
      const task = waiting.shift();
      if (task === undefined) return;
      thread.task = task;
      thread.worker.postMessage(task.job);
    }
    if (isBusy()) return;
    clock.clearTimeout(idleTimer);
    if (threads.size > 0 && !isClosed) idleTimer = clock.setTimeout(() => void endThreads(), idleMs);
  };

  return {
    encode(job) {
      if (isClosed) return Promise.reject(new EncodingStopped('The gateway stops'));
      clock.clearTimeout(idleTimer);
      const task: Task = { job, settle: Promise.withResolvers() };
      waiting.push(task);
      startNext();
      return task.settle.promise;
    },
    async close(work, withinMs) {
      const timer = clock.setTimeout(() => void stop(), withinMs);
      await work;
      clock.clearTimeout(timer);
      await stop();
    },
  };
};
