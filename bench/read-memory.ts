/** Memory of a gateway's process after garbage collection. */
import { setTimeout as pause } from 'node:timers/promises';

/** Arguments of a Node process whose memory will be read. */
export const collecting = ['--expose-gc', '--import', './bench/collect-on-signal.ts'];

/** Memory freed by one collection is returned to the system by a later one. */
const collections = 3;
const collectMs = 1_000;

/** Bytes. `held`: objects and buffers; `resident`: as the system sees it, including reserved heap space. */
export type Memory = { held: number; resident: number };

export const readMemory = async ({ pid, url }: { pid: number; url: string }): Promise<Memory> => {
  for (let count = 0; count < collections; count += 1) {
    process.kill(pid, 'SIGUSR2');
    await pause(collectMs);
  }
  const text = await (await fetch(`${url}/metrics`)).text();
  const metric = (name: string): number => {
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`The gateway does not tell ${name}`);
    return Number(value);
  };
  return {
    held: metric('nodejs_heap_size_used_bytes') + metric('nodejs_external_memory_bytes'),
    resident: metric('process_resident_memory_bytes'),
  };
};
