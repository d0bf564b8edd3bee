/** Returns all elements in a random order by weight, as for SRV records (RFC 2782): a weight of 0 comes last. */
export const byChance = <Weighted extends { weight: number }>(
  equals: readonly Weighted[],
  /** From 0 to below 1. */
  random: () => number,
): Weighted[] => {
  const left = [...equals];
  const chosen: Weighted[] = [];
  while (left.length > 0) {
    const total = left.reduce((sum, { weight }) => sum + weight, 0);
    let point = random() * total;
    const index = left.findIndex(({ weight }) => (point -= weight) < 0);
    chosen.push(...left.splice(index === -1 ? 0 : index, 1));
  }
  return chosen;
};
