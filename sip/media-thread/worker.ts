/**
 * The audio thread, which holds the ports of all calls and keeps the beat of 20 ms, independent of the main thread's
 * load.
 */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { MediaThreadData, ToMediaThread } from './media-thread-messages.ts';
import type { Sessions } from './sessions.ts';
import { goBeforeOthers } from './thread-priority.ts';

const main = parentPort;
if (main === null) throw new Error('The media thread is started by createMediaThread');

goBeforeOthers();

// The cast is safe: `createMediaThread` of the same code version sets the data.
const { ports, compileCache, posted } = workerData as MediaThreadData;

// A thread does not inherit the compile cache of its process.
if (compileCache !== null) enableCompileCache(compileCache);
const { createSessions } = await import('./sessions.ts');
const { createDozingTime } = await import('./dozing-time.ts');
flushCompileCache();

const sessions: Sessions = createSessions({
  ports,
  time: createDozingTime(new Int32Array(posted), () => sessions.mayDoze()),
  tell: (message) => main.postMessage(message),
});

main.on('message', (message: ToMediaThread) => sessions.take(message));
