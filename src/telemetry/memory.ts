/** The share of the memory that it may have which this process uses. */
import { getHeapStatistics } from 'node:v8';

/** Beyond what any machine has: no limit is set for the group of processes to which this one belongs. */
const unlimited = 2 ** 50;

/** The share, 0 to 1, of its heap, or of what its container allows it: whichever is more. */
export const memoryShare = (): number => {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  const allowed = process.constrainedMemory();
  const ofContainer = allowed > 0 && allowed < unlimited ? process.memoryUsage.rss() / allowed : 0;
  return Math.max(used / limit, ofContainer);
};
