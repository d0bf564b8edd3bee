/**
 * When files grow. A telephone writes each packet that it hears to its recording at once, so a pause of the file is a
 * pause of the audio, whatever protects its transport.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export type Growth = { file: string; at: number };

export const watchGrowth = (files: readonly string[]) => {
  const thread = new Worker(new URL('./growth-thread.ts', import.meta.url), { workerData: files });
  const ended = once(thread, 'exit');
  const times = new Map<string, number[]>(files.map((file) => [file, []]));
  thread.on('message', ({ file, at }: Growth) => void times.get(file)?.push(at));
  return {
    /** The longest pause of each file since that time, in milliseconds, including the present one. */
    longestPauses: (since: number): number[] =>
      files.map((file) => {
        const later = (times.get(file) ?? []).filter((at) => at > since);
        return Math.max(...[...later, Date.now()].map((at, index) => at - (later[index - 1] ?? since)));
      }),
    async close(): Promise<void> {
      thread.postMessage('close');
      await ended;
    },
  };
};
