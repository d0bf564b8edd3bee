/**
 * The audio thread: it holds the ports of all calls and keeps the beat of 20 ms, independent of the main thread's load.
 */
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import type { ToMediaThread } from './media-thread-messages.ts';
import { createSessions } from './sessions.ts';
import { goBeforeOthers } from './thread-priority.ts';

const main = parentPort;
if (main === null) throw new Error('The media thread is started by createMediaThread');

goBeforeOthers();

// Set by `createMediaThread` of the same code version.
const { ports } = workerData as { ports: { from: number; to: number } };

const sessions = createSessions({
  ports,
  time: {
    now: () => performance.now(),
    after(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
  },
  tell: (message) => main.postMessage(message),
});

main.on('message', (message: ToMediaThread) => sessions.take(message));
