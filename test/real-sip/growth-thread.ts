/** Watches files in a thread of its own: a stalled main thread delays no observation. */
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { goBeforeOthers } from '#sip/media-thread/thread-priority.ts';
import type { Growth } from './growth.ts';

/** A packet of audio lasts 20 ms. */
const lookMs = 4;

const files = z.array(z.string()).parse(workerData);
const sizes = new Map<string, number>();
const main = parentPort;
if (main === null) throw new Error('This is the program of a thread');

goBeforeOthers();

const timer = setInterval(() => {
  for (const file of files) {
    const { size } = statSync(file);
    if (size === sizes.get(file)) continue;
    sizes.set(file, size);
    main.postMessage({ file, at: Date.now() } satisfies Growth);
  }
}, lookMs);

main.once('message', () => clearInterval(timer));
