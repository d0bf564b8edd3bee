/** The address of a process that all test files of a run share (`process-worker.ts`). */
import type { SharedWorker } from 'ava/plugin';
import { z } from 'zod';

const answer = z.object({ address: z.string() }).or(z.object({ failed: z.string() }));

/** Rejects if the process cannot be started. */
export const addressFrom = async (worker: SharedWorker.Plugin.Protocol): Promise<string> => {
  await worker.available;
  for await (const { data } of worker.publish('address').replies()) {
    const answered = answer.parse(data);
    if ('failed' in answered) throw new Error(answered.failed);
    return answered.address;
  }
  throw new Error('The shared worker has ended');
};
