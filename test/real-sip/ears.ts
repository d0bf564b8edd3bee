/** The far ends of many calls, which receive audio at one port each; measures the longest silence of each call. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';

/** Audio of one call: the longest time without a packet, and the number of ports from which packets came. */
const heard = z.object({ silenceMs: z.number(), sources: z.number() });
const opened = z.object({ ports: z.array(z.number()) });
const measured = z.object({ heard: z.array(heard) });

export type Heard = z.infer<typeof heard>;
export type ToEars = 'measure' | 'forget' | 'close';
export type FromEars = z.infer<typeof opened> | z.infer<typeof measured>;

export const startEars = async (t: ExecutionContext, count: number) => {
  const thread = new Worker(new URL('./ears-thread.ts', import.meta.url), { workerData: count });
  const ended = once(thread, 'exit');
  const tell = (message: ToEars): void => thread.postMessage(message);
  t.teardown(async () => {
    tell('close');
    await ended;
  });
  const { ports } = opened.parse((await once(thread, 'message'))[0]);
  const measure = async (): Promise<Heard[]> => {
    const answer = once(thread, 'message');
    tell('measure');
    return measured.parse((await answer)[0]).heard;
  };
  return {
    ports,
    /** The calls that have received audio. */
    measure,
    /** The longest silence of each call, in milliseconds, longest first. */
    silences: async (): Promise<number[]> =>
      (await measure()).map(({ silenceMs }) => silenceMs).toSorted((one, other) => other - one),
    /** Measures from now on. */
    forget: (): void => tell('forget'),
  };
};
