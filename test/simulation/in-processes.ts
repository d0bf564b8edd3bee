/** Distributes work of a simulation over as many processes as there are processors. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { compileCache, nodeOptions } from '#test/run/node-options.ts';
import { prepareCluster } from './postgres.ts';

const share = z.object({ index: z.number(), step: z.number() });

/** A process does every `step`-th part of the work, beginning with its index. */
export type Share = z.infer<typeof share>;

/** Share of this process; `null` in the parent. */
export const ownShare = (): Share | null => {
  const told = process.env['SIMULATION_SHARE'];
  return told === undefined ? null : share.parse(JSON.parse(told));
};

/** Folder of compiled modules, which are found by their source: planted mistakes do not reach other processes. */
export const compiled = join(import.meta.dirname, '../..', compileCache);

/**
 * Starts `program` once for each processor, at most `most` times, with the arguments of this process; `onTold` receives
 * their messages. Rejects when one of them exits with a code other than 0.
 */
export const inProcesses = async (options: {
  program: string;
  most: number;
  onTold: (told: unknown) => void;
}): Promise<void> => {
  // Once, before both processes need it.
  await prepareCluster();
  const step = Math.max(1, Math.min(availableParallelism(), options.most));
  await Promise.all(
    Array.from({ length: step }, async (_, index) => {
      const child = fork(options.program, process.argv.slice(2), {
        // Processes with the same options of V8 use the same compiled modules.
        execArgv: [...process.execArgv, ...nodeOptions],
        env: {
          NODE_COMPILE_CACHE: compiled,
          ...process.env,
          SIMULATION_SHARE: JSON.stringify({ index, step } satisfies Share),
        },
      });
      child.on('message', options.onTold);
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error(`a process of the simulation ended with ${String(code)}`);
    }),
  );
};
