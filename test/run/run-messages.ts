/**
 * Messages that an AVA process sends to `npm test` about its run, by IPC. Paths are relative to the project's folder. The
 * file of a test is its own, also in a thread that runs several (`together.ts`).
 */
import { z } from 'zod';

const file = z.string();
const title = z.string();

export const runMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('planned'), files: z.number() }),
  z.object({ type: z.literal('started'), file }),
  z.object({ type: z.literal('passed'), file, title, thread: file, ms: z.number() }),
  z.object({ type: z.literal('failed'), file, title, message: z.string() }),
  z.object({ type: z.literal('skipped'), file, title }),
  z.object({ type: z.literal('finished'), file }),
]);

export type RunMessage = z.infer<typeof runMessage>;

/** `title` when a whole file failed rather than one of its tests. */
export const wholeFile = '(the file)';
