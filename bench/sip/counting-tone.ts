/**
 * A sound that counts: each 20 ms of it contain their number and differ in every sample from their neighbours, so that
 * a far end knows by the content which are missing, altered, doubled or out of order. The samples are values of μ-law,
 * so every encoder returns the same bytes. The sound comes in parts, one for each sentence, and silence separates them.
 */
import { fromMuLaw } from '#test/real-sip/mu-law.ts';

export const frameLength = 160;
/** Frames of a part: ten seconds. */
export const partFrames = 500;
/** After the last part the first follows. A gateway keeps this many in its cache of sentences, filled after two minutes. */
export const parts = 12;

const frames = parts * partFrames;
/** The first byte of a frame, which is nowhere else in it. */
const begin = 0x90;
/** Bytes of the frame's number after the first, of four bits each. */
const digits = 5;
const positive = 0xc0;
const negative = 0x40;

const codeAt = (frame: number, index: number): number => {
  if (index === 0) return begin;
  if (index <= digits) return positive | ((frame >> (4 * (digits - index))) & 15);
  return (index % 2 === 0 ? positive : negative) | ((frame + index) & 15);
};

const partOf = (frame: number): number => Math.floor(frame / partFrames);

const frameCodes = (frame: number): Uint8Array =>
  Uint8Array.from({ length: frameLength }, (_, index) => codeAt(frame, index));

/** The sound of a part, at 8000 Hz. */
export const countingPart = (part: number): Int16Array => {
  const codes = new Uint8Array(partFrames * frameLength);
  for (let frame = 0; frame < partFrames; frame += 1)
    codes.set(frameCodes((part % parts) * partFrames + frame), frame * frameLength);
  return fromMuLaw(codes);
};

/** Codes of the lowest magnitudes. The sound has none of them. */
const isQuiet = (code: number): boolean => (code & 0x7f) >= 0x70;

/**
 * Kinds of faults, counted in frames. `altered`: other samples than it had; `late`: whole, but after a later one;
 * `silent`: silence within a part; `stray`, in samples: sound that belongs to no frame, as what is left of a missing one.
 */
export const faults = ['missing', 'altered', 'doubled', 'late', 'silent', 'stray'] as const;

export type Counted = Record<(typeof faults)[number], number> & {
  /** Frames that are whole and follow the one before them. */
  whole: number;
};

export const nothingCounted = (): Counted => ({
  whole: 0,
  missing: 0,
  altered: 0,
  doubled: 0,
  late: 0,
  silent: 0,
  stray: 0,
});

export const faultsOf = (counted: Counted): number => faults.reduce((sum, fault) => sum + counted[fault], 0);

export type CountingListener = {
  /** Takes received μ-law; packets may begin anywhere in a frame. */
  take(bytes: Uint8Array): void;
  counted(): Readonly<Counted>;
  /** Number of parts that have begun. */
  begun(): number;
};

/** Listens to one call, which begins with the first part. */
export const createCountingListener = (counted: Counted = nothingCounted()): CountingListener => {
  /** Number of the next frame, counted on over all rounds of the parts. */
  let next = 0;
  /** Frames that were skipped; a frame of them is late. */
  const skipped = new Set<number>();
  const frame = new Uint8Array(frameLength);
  /** Bytes of the current frame; 0 outside of a frame. */
  let filled = 0;
  let quiet = 0;

  const numberIn = (): number | null => {
    let number = 0;
    for (let index = 1; index <= digits; index += 1) {
      const code = frame[index] ?? 0;
      if ((code & 0xf0) !== positive) return null;
      number = (number << 4) | (code & 15);
    }
    return number < frames ? number : null;
  };

  /** The frame nearest to the next one that has this number. */
  const placeOf = (number: number): number => {
    const ahead = (((number - next) % frames) + frames) % frames;
    return next + (ahead < frames / 2 ? ahead : ahead - frames);
  };

  const isExact = (number: number, length: number): boolean => {
    for (let index = 0; index < length; index += 1) if (frame[index] !== codeAt(number, index)) return false;
    return length === frameLength;
  };

  const endFrame = (): void => {
    const length = filled;
    filled = 0;
    const number = length > digits ? numberIn() : null;
    if (number === null) {
      counted.stray += length;
      return;
    }
    const place = placeOf(number);
    const isWhole = isExact(number, length);
    if (place < next) {
      if (!skipped.delete(place)) counted.doubled += 1;
      else {
        counted.missing -= 1;
        counted[isWhole ? 'late' : 'altered'] += 1;
      }
      return;
    }
    // Silence between frames of two parts is the pause between two sentences.
    if (partOf(place) === partOf(next - 1)) counted.silent += Math.floor(quiet / frameLength);
    quiet = 0;
    for (let missed = next; missed < place; missed += 1) skipped.add(missed);
    counted.missing += place - next;
    counted[isWhole ? 'whole' : 'altered'] += 1;
    next = place + 1;
    // A frame that is so late belongs to the next round.
    for (const old of skipped) if (old < next - frames / 2) skipped.delete(old);
  };

  return {
    take(bytes) {
      for (const code of bytes) {
        if (code === begin && filled > 0) endFrame();
        if (filled > 0 || code === begin) {
          frame[filled] = code;
          filled += 1;
          if (filled === frameLength) endFrame();
        } else if (isQuiet(code)) quiet += 1;
        else counted.stray += 1;
      }
    },
    counted: () => counted,
    begun: () => Math.ceil(next / partFrames),
  };
};
