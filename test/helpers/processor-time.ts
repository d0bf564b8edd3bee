/**
 * The cost of one piece of work against another, in processor time: so that a busy machine comes to the same verdict as
 * a quiet one.
 */

type Work = () => unknown;

/** What is quicker than this is quick, whatever the other one takes. */
const negligibleMs = 5;

const cpuMs = async (work: Work): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

/**
 * The ratio of what `work` costs to what `ordinary` costs, the least of several attempts: a collection of garbage, or
 * another process, may fall into one of them, not into five. It does not try again once it is within `enough`, and does
 * not try `ordinary` where `work` is within `enough` of what is quick already.
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
