/**
 * Compares the processor time of two pieces of work of this thread, so that the result does not depend on the machine's
 * load.
 */

type Work = () => unknown;

/** Processor time below which work counts as fast, whatever the other work takes. */
const negligibleMs = 5;

const cpuMs = async (work: Work): Promise<number> => {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};

/**
 * The minimum of several attempts of the ratio between the costs of `work` and `ordinary`: a garbage collection or
 * another process may disturb one attempt, but not five. Stops as soon as the ratio is within `enough`, and skips
 * `ordinary` if `work` is within `enough` of the negligible time.
 */
export const timesAsCostly = async (work: Work, ordinary: Work, enough: number): Promise<number> => {
  let best = Infinity;
  for (let attempt = 0; attempt < 5 && best > enough; attempt += 1) {
    const costMs = await cpuMs(work);
    const isQuick = costMs <= negligibleMs * enough;
    const usualMs = isQuick ? negligibleMs : Math.max(negligibleMs, await cpuMs(ordinary));
    best = Math.min(best, costMs / usualMs);
  }
  return best;
};
