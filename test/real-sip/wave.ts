/** Audio as numbers: WAVE files, and intervals of speech in them. */

export type Wave = { sampleRate: number; channels: Int16Array[] };

export const waveFile = (samples: Int16Array, sampleRate: number): Buffer => {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(2 * sampleRate, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([header, new Uint8Array(samples.buffer)]);
};

/** 16-bit linear WAVE. */
export const readWave = (file: Buffer): Wave => {
  const count = file.readUInt16LE(22);
  const sampleRate = file.readUInt32LE(24);
  let at = 12;
  while (file.toString('latin1', at, at + 4) !== 'data') at += 8 + file.readUInt32LE(at + 4);
  const data = file.subarray(at + 8);
  const length = Math.floor(data.length / 2 / count);
  const channels = Array.from({ length: count }, (_, channel) =>
    Int16Array.from({ length }, (__, index) => data.readInt16LE(2 * (index * count + channel))),
  );
  return { sampleRate, channels };
};

const windowMs = 10;

/** Root mean square of each 10 ms. */
export const envelope = (samples: Int16Array, sampleRate: number): number[] => {
  const size = (sampleRate * windowMs) / 1_000;
  return Array.from({ length: Math.floor(samples.length / size) }, (_, index) => {
    let sum = 0;
    for (const sample of samples.subarray(index * size, (index + 1) * size)) sum += sample ** 2;
    return Math.sqrt(sum / size);
  });
};

/** Intervals with audio, in milliseconds; pauses shorter than `pauseMs` do not separate them. */
export const soundings = (
  samples: Int16Array,
  sampleRate: number,
  { pauseMs = 100, loudness = 100 } = {},
): { from: number; to: number }[] => {
  const found: { from: number; to: number }[] = [];
  for (const [index, level] of envelope(samples, sampleRate).entries()) {
    if (level < loudness) continue;
    const at = index * windowMs;
    const last = found.at(-1);
    if (last !== undefined && at - last.to <= pauseMs) last.to = at + windowMs;
    else found.push({ from: at, to: at + windowMs });
  }
  return found;
};

/**
 * The best match of the envelope of `said` in `heard`: the offset in milliseconds, and the correlation there (1 is the
 * same rhythm).
 */
export const findIn = (
  heard: Int16Array,
  said: Int16Array,
  sampleRate: number,
): { offsetMs: number; likeness: number } => {
  const pattern = envelope(said, sampleRate);
  const sound = envelope(heard, sampleRate);
  let best = { offsetMs: 0, likeness: -1 };
  for (let offset = 0; offset + pattern.length <= sound.length; offset += 1) {
    const likeness = correlation(pattern, sound.slice(offset, offset + pattern.length));
    if (likeness > best.likeness) best = { offsetMs: offset * windowMs, likeness };
  }
  return best;
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const correlation = (a: readonly number[], b: readonly number[]): number => {
  const [meanA, meanB] = [mean(a), mean(b)];
  let [product, squaresA, squaresB] = [0, 0, 0];
  for (const [index, value] of a.entries()) {
    const [x, y] = [value - meanA, (b[index] ?? 0) - meanB];
    product += x * y;
    squaresA += x ** 2;
    squaresB += y ** 2;
  }
  return squaresA === 0 || squaresB === 0 ? 0 : product / Math.sqrt(squaresA * squaresB);
};
