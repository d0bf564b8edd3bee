/**
 * Sound in the place of packets that did not come, after the idea of ITU-T G.711 appendix I: the last pitch period once
 * more, quieter and quieter, and silence after 60 ms. A recognizer hears a vowel that lasts a little longer instead of a
 * click.
 */

export type Concealment = {
  /** What came, as it goes on. */
  heard(samples: Int16Array): void;
  /** What is put in the place of so many samples. */
  fill(samples: number): Int16Array;
};

/** Of a voice between 66 and 400 Hz, at 8000 samples a second. */
const shortestPeriod = 20;
const longestPeriod = 120;
const window = 160;
const historyLength = window + longestPeriod;
/** From full to silent. */
const fadeSamples = 480;

/** The lag at which the last of the sound is most like what came before it. */
const periodOf = (history: Int16Array): number => {
  let best = longestPeriod;
  let likeness = -Infinity;
  for (let lag = shortestPeriod; lag <= longestPeriod; lag += 1) {
    let product = 0;
    let energy = 1;
    for (let index = historyLength - window; index < historyLength; index += 2) {
      const before = history[index - lag] ?? 0;
      product += (history[index] ?? 0) * before;
      energy += before * before;
    }
    const normalized = product / Math.sqrt(energy);
    if (normalized > likeness) {
      likeness = normalized;
      best = lag;
    }
  }
  return best;
};

export const createConcealment = (): Concealment => {
  const history = new Int16Array(historyLength);
  /** Of the gap that is being filled. */
  let filling: { period: Int16Array; samples: number } | null = null;

  return {
    heard(samples) {
      filling = null;
      const last = samples.subarray(-historyLength);
      history.copyWithin(0, last.length);
      history.set(last, historyLength - last.length);
    },
    fill(count) {
      filling ??= { period: history.slice(historyLength - periodOf(history)), samples: 0 };
      const { period } = filling;
      const filled = new Int16Array(count);
      for (let index = 0; index < count; index += 1) {
        const at = filling.samples + index;
        filled[index] = (period[at % period.length] ?? 0) * Math.max(0, 1 - at / fadeSamples);
      }
      filling.samples += count;
      return filled;
    },
  };
};
