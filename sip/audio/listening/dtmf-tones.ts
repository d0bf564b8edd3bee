/**
 * Detects DTMF digits as tones in the audio (ITU-T Q.23, Q.24), for calls without RFC 4733 events. Each block of 12.75
 * ms is measured at the eight frequencies (Goertzel). Speech sometimes contains two of these frequencies, but differs
 * from a digit by its energy at other frequencies and by its duration.
 */
import type { SampleRate } from '../samples.ts';

const rows = [697, 770, 852, 941] as const;
const columns = [1209, 1336, 1477, 1633] as const;
const digits = ['123A', '456B', '789C', '*0#D'] as const;

/**
 * Block length at 8000 samples a second. The main lobe covers a tolerance of 1.5 %, and the next row lies in its first
 * null.
 */
const blockSamples = 102;
/** Minimum level of a block, quieter than any digit (about −41 dBFS). */
const leastRms = 300;
/** Minimum share of a block's energy in the two tones. */
const leastShare = 0.75;
/**
 * Power ratios: the column may be 8 dB weaker or 4 dB stronger than the row; other frequencies must be 8 dB weaker than
 * either.
 */
const mostRowOverColumn = 6.3;
const mostColumnOverRow = 2.5;
const leastOverOthers = 6.3;
/** Number of blocks that a tone of 50 ms fills completely. The pause after a digit lasts at least 40 ms. */
const digitBlocks = 3;
const pauseBlocks = 2;

/** Returns the power of a frequency in a block, scaled so that a pure tone has the energy of the block. */
const createGoertzel = (hertz: number, sampleRate: SampleRate) => {
  const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / sampleRate);
  return (block: Int16Array): number => {
    let [before, last] = [0, 0];
    for (const sample of block) {
      const next = sample + coefficient * last - before;
      before = last;
      last = next;
    }
    return ((last * last + before * before - coefficient * last * before) * 2) / block.length;
  };
};

/** Returns the strongest frequency of a group; undefined if another one is nearly as strong. */
const strongestOf = (powers: readonly number[]): { index: number; power: number } | undefined => {
  const power = Math.max(...powers);
  const index = powers.indexOf(power);
  const isAlone = powers.every((other, at) => at === index || other * leastOverOthers < power);
  return isAlone ? { index, power } : undefined;
};

const createBlockReader = (sampleRate: SampleRate) => {
  const rowPowers = rows.map((hertz) => createGoertzel(hertz, sampleRate));
  const columnPowers = columns.map((hertz) => createGoertzel(hertz, sampleRate));

  /** Returns the digit in a block; undefined if the block contains none. */
  return (block: Int16Array): string | undefined => {
    let energy = 0;
    for (const sample of block) energy += sample * sample;
    if (energy < leastRms * leastRms * block.length) return undefined;
    const row = strongestOf(rowPowers.map((powerOf) => powerOf(block)));
    const column = row && strongestOf(columnPowers.map((powerOf) => powerOf(block)));
    if (row === undefined || column === undefined) return undefined;
    const isTwisted =
      row.power > column.power * mostRowOverColumn || column.power > row.power * mostColumnOverRow;
    if (isTwisted || row.power + column.power < leastShare * energy) return undefined;
    return digits[row.index]?.[column.index];
  };
};

/** Returns a function that processes audio in order and calls back for each block with its digit. */
const readInBlocks = (
  sampleRate: SampleRate,
  onBlock: (digit: string | undefined) => void,
): ((samples: Int16Array) => void) => {
  const block = new Int16Array((blockSamples * sampleRate) / 8_000);
  const read = createBlockReader(sampleRate);
  let filled = 0;
  return (samples) => {
    for (let from = 0; from < samples.length;) {
      const piece = samples.subarray(from, from + block.length - filled);
      block.set(piece, filled);
      filled += piece.length;
      from += piece.length;
      if (filled < block.length) return;
      filled = 0;
      onBlock(read(block));
    }
  };
};

/** Returns a function that processes audio in order and calls back once for each digit while it sounds. */
export const createToneDetector = (
  sampleRate: SampleRate,
  onDigit: (digit: string) => void,
): ((samples: Int16Array) => void) => {
  /** The digit of the last blocks and the number of these blocks. */
  let candidate: { digit: string; blocks: number } | null = null;
  /** The reported digit and the number of blocks since it sounded. */
  let told: { digit: string; silent: number } | null = null;

  return readInBlocks(sampleRate, (digit) => {
    if (told !== null) {
      told.silent = digit === told.digit ? 0 : told.silent + 1;
      if (told.silent >= pauseBlocks) told = null;
    }
    if (digit === undefined || digit === told?.digit) {
      candidate = null;
      return;
    }
    candidate = candidate?.digit === digit ? candidate : { digit, blocks: 0 };
    candidate.blocks += 1;
    if (candidate.blocks < digitBlocks) return;
    candidate = null;
    told = { digit, silent: 0 };
    onDigit(digit);
  });
};

/**
 * Returns a function that processes audio in order and returns whether a block with a tone has ended in it. The tone
 * may be shorter than a digit, because a network that converts a tone to an event leaves the beginning of the tone in
 * the audio.
 */
export const createToneWatch = (sampleRate: SampleRate): ((samples: Int16Array) => boolean) => {
  let hasTone = false;
  const read = readInBlocks(sampleRate, (digit) => {
    hasTone ||= digit !== undefined;
  });
  return (samples) => {
    hasTone = false;
    read(samples);
    return hasTone;
  };
};
