/**
 * Returns the maximum of the axis: the next even round number (2, 4, 6, 10, 20, 40 …), because half of it is a label
 * too.
 */
export const topOf = (calls: number): number => {
  const power = 10 ** Math.max(0, Math.ceil(Math.log10(Math.max(1, calls))) - 1);
  return ([2, 4, 6].find((factor) => factor * power >= calls) ?? 10) * power;
};
