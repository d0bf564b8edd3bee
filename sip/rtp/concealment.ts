/**
 * Packet loss concealment, based on ITU-T G.711 appendix I: repeats the last pitch period with decreasing volume,
 * followed by silence after 60 ms. A recognizer thereby receives a slightly longer vowel instead of a click.
 */

export type Concealment = {
  /** Records received audio as the source of later concealment. */
  heard(samples: Int16Array): void;
  /** Returns audio in place of this number of lost samples. */
  fill(samples: number): Int16Array;
};

/** Range of pitch periods in samples: voices between 66 and 400 Hz, at 8000 samples a second. */
const shortestPeriod = 20;
const longestPeriod = 120;
const window = 160;
const historyLength = window + longestPeriod;
/** Length of the fade from full volume to silence. */
const fadeSamples = 480;

/** Returns the lag at which the last audio is most similar to the audio before it. */
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
  /** State of a concealment in progress; absent without a gap. */
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
