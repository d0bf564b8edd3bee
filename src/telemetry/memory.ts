/** Memory use of this process as a share of its limit. */
import { getHeapStatistics } from 'node:v8';

/** A larger limit means that the control group has none. */
const unlimited = 2 ** 50;

/** Returns the larger share, from 0 to 1, of the heap limit and of the container's limit. */
export const memoryShare = (): number => {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  const allowed = process.constrainedMemory();
  const ofContainer = allowed > 0 && allowed < unlimited ? process.memoryUsage.rss() / allowed : 0;
  return Math.max(used / limit, ofContainer);
};
