/** Random generator of a simulation: the same seed yields the same numbers. */

export type Random = {
  /** Returns a number from 0 to below 1. */
  fraction(): number;
  /** A whole number from 0, below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  bytes(size: number): Buffer<ArrayBuffer>;
};

/** xoshiro128** by Blackman and Vigna, seeded by splitmix32 (https://prng.di.unimi.it). */
export const createRandom = (seed: number): Random => {
  let mixed = seed >>> 0;
  const splitmix = (): number => {
    mixed = (mixed + 0x9e3779b9) >>> 0;
    let z = mixed;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  let [a, b, c, d] = [splitmix(), splitmix(), splitmix(), splitmix()];
  const rotated = (x: number, by: number): number => ((x << by) | (x >>> (32 - by))) >>> 0;

  const next = (): number => {
    const result = Math.imul(rotated(Math.imul(b, 5) >>> 0, 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotated(d >>> 0, 11);
    return result;
  };
  const fraction = (): number => next() / 2 ** 32;
  const below = (limit: number): number => Math.floor(fraction() * limit);

  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    pick<Item>(items: readonly Item[]): Item {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('There is nothing to pick from');
      return item;
    },
    bytes: (size) => Buffer.from(Array.from({ length: size }, () => next() & 0xff)),
  };
};
