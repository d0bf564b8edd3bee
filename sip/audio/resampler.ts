/**
 * Resampling by SpeexDSP: one library instance per process.
 *
 * SpeexDSP replaced a windowed sinc with four zero crossings. Both were measured in one run, to 8000 Hz: a tone of 3400
 * Hz loses no level instead of 2.2 dB, and a tone of 4400 Hz is attenuated by 84 dB instead of 10 dB. A second of audio
 * takes 0.15 ms instead of 0.28 from 16000 Hz, 0.20 instead of 0.41 from 24000 Hz and 0.41 instead of 0.64 from 48000
 * Hz. Only 22050 Hz, whose filter is interpolated, takes 0.95 instead of 0.45 (`npm run bench -- resampling`).
 */
import { joinSamples } from '#src/domain/sample-bytes.ts';
import loadSpeex, { type Speex } from '@echogarden/speex-resampler-wasm/simd';

/** Quality level of SpeexDSP (0 to 10); higher levels cost processor time without an audible gain on the telephone. */
const quality = 4;

/** Half of the filter's length at this quality, in samples of the lower rate, with a margin for rounding. */
const halfWidth = 32;
const margin = 8;

/** Number of samples per call of the library, which limits its memory. */
const blockLength = 8_192;

/**
 * Maximum number of cached resamplers. Few rates are in use, but each stretched part of a recording has its own rate.
 */
const mostStates = 16;

/**
 * Returns `floor(samples.length * toRate / fromRate)` samples, the first at the position of the first input sample.
 * Rates are whole numbers in Hz. Frequencies above the limit of the new rate are removed; silence is assumed before and
 * after the samples.
 */
export type Resample = (samples: Int16Array, fromRate: number, toRate: number) => Int16Array;

/** Returns the largest number of input samples on each side of an output sample. */
export const resamplingReach = (fromRate: number, toRate: number): number =>
  Math.ceil(halfWidth * Math.max(1, fromRate / toRate)) + margin;

/** Cache of the library's resamplers by rates, because their filters are expensive to compute. */
const createStates = (speex: Speex) => {
  const states = new Map<string, number>();
  return {
    /** Returns a resampler in its initial state. */
    find(fromRate: number, toRate: number): number {
      const rates = `${fromRate} ${toRate}`;
      const state = states.get(rates) ?? speex._speex_resampler_init(1, fromRate, toRate, quality, 0);
      if (state === 0) throw new Error('There is no memory for another resampler');
      states.delete(rates);
      states.set(rates, state);
      for (const [oldest, each] of states) {
        if (states.size <= mostStates) break;
        speex._speex_resampler_destroy(each);
        states.delete(oldest);
      }
      speex._speex_resampler_reset_mem(state);
      speex._speex_resampler_skip_zeros(state);
      return state;
    },
  };
};

const load = async (): Promise<Resample> => {
  const speex = await loadSpeex();
  const states = createStates(speex);
  // All calls share the buffers, because the library reads and writes before it returns.
  const input = speex._malloc(blockLength * 2);
  const output = speex._malloc(blockLength * 2);
  const taken = speex._malloc(4);
  const given = speex._malloc(4);

  /** Processes a block padded with silence, and returns its output. */
  const process = (
    state: number,
    block: Int16Array,
    wanted: number,
  ): { taken: number; result: Int16Array } => {
    speex.HEAP16.set(block, input / 2);
    speex.HEAP16.fill(0, input / 2 + block.length, input / 2 + blockLength);
    speex.HEAPU32[taken / 4] = blockLength;
    speex.HEAPU32[given / 4] = Math.min(blockLength, wanted);
    speex._speex_resampler_process_int(state, 0, input, taken, output, given);
    const from = output / 2;
    return {
      taken: speex.HEAPU32[taken / 4] ?? 0,
      result: speex.HEAP16.subarray(from, from + (speex.HEAPU32[given / 4] ?? 0)),
    };
  };

  return (samples, fromRate, toRate) => {
    if (fromRate === toRate) return samples;
    const result = new Int16Array(Math.floor((samples.length * toRate) / fromRate));
    const state = states.find(fromRate, toRate);
    for (let read = 0, written = 0; written < result.length;) {
      const block = process(state, samples.subarray(read, read + blockLength), result.length - written);
      result.set(block.result, written);
      read += block.taken;
      written += block.result.length;
    }
    return result;
  };
};

let loaded: Promise<Resample> | undefined;

/** Loads the library at the first call. An instance has 16 MB of memory, so the gateways of a test share one. */
export const loadResampler = (): Promise<Resample> => (loaded ??= load());

/**
 * Streaming resampler: pieces are resampled as one continuous signal. Samples are processed in units that are whole
 * numbers at both rates; the last few milliseconds wait for the next piece.
 */
export type RateChange = {
  /** Processes the next piece and returns the samples that are complete. */
  take(samples: Int16Array): Int16Array;
  /** Returns the remaining samples at the end of the signal. */
  end(): Int16Array;
};

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** Creates a streaming resampler. Sample rates are whole numbers in Hz. */
export const createRateChange = (resample: Resample, fromRate: number, toRate: number): RateChange => {
  const unit = fromRate / divisor(fromRate, toRate);
  const context = unit * Math.ceil(resamplingReach(fromRate, toRate) / unit);
  const changedLength = (count: number): number => (count * toRate) / fromRate;
  /** Input that the filter needs for the next output, and samples that wait for a full unit. */
  let rest: Int16Array = new Int16Array();
  let before = 0;

  if (fromRate === toRate) return { take: (samples) => samples, end: () => new Int16Array() };
  return {
    take(samples) {
      rest = rest.length === 0 ? samples : joinSamples([rest, samples]);
      const until = rest.length - context - (rest.length % unit);
      if (until <= before) return new Int16Array();
      const changed = resample(rest, fromRate, toRate).subarray(changedLength(before), changedLength(until));
      const kept = Math.max(0, until - context);
      rest = rest.slice(kept);
      before = until - kept;
      return changed;
    },
    end: () => resample(rest, fromRate, toRate).subarray(changedLength(before)),
  };
};
