/**
 * Encoded silence that replaces an earlier part of the recording, which is at another gateway. A position in the file
 * then equals the position in the call. One encoded piece is repeated, because encoding minutes of silence would take
 * seconds of processor time while calls are being taken over.
 */
import { recordingSampleRate } from '#sip/audio/recording-sink.ts';
import { mp3Bitrate, type Encoder, type RecordingFormat } from './encoder.ts';
import { granuleOf, pagesIn, positionAfter, repeatedPage } from './ogg-pages.ts';
import type { Playable } from './salvage.ts';

export type LeadingSilence = {
  /** Pieces in order, which together form the beginning of a file. */
  pieces: Iterable<Uint8Array>;
  /** The playable part that results. It contains at most the requested number of samples. */
  playable: Playable;
};

/** Seconds of encoded silence, long enough to take the repeated piece from. */
const templateSec = 20;

const encodedSilence = async (newEncoder: () => Promise<Encoder>): Promise<Buffer> => {
  const encoder = await newEncoder();
  const quiet = new Int16Array(recordingSampleRate);
  const second = { counterparty: quiet, agent: quiet };
  const pieces = Array.from({ length: templateSec }, () => encoder.encode(second));
  return Buffer.concat([...pieces, encoder.finish()]);
};

/** Pages of silence contain the same packets and differ only in position, except for the first and last page. */
const oggSilence = async (
  newEncoder: () => Promise<Encoder>,
  samples: number,
): Promise<LeadingSilence | null> => {
  const pages = pagesIn(await encodedSilence(newEncoder));
  const headers = pages.filter((page) => granuleOf(page) === 0n);
  const [first, repeated] = pages.filter((page) => granuleOf(page) > 0n);
  if (first === undefined || repeated === undefined || granuleOf(first) > samples) return null;
  const step = granuleOf(repeated) - granuleOf(first);
  const count = Math.floor(Number((BigInt(samples) - granuleOf(first)) / step));
  const { serial, sequence, granule } = positionAfter(first);
  const position = { serial, sequence: sequence + count, granule: granule + BigInt(count) * step };
  const beginning = Buffer.concat([...headers, first]);
  const pieces = function* (): Generator<Uint8Array> {
    yield beginning;
    for (let index = 1; index <= count; index += 1)
      yield repeatedPage(repeated, {
        serial,
        sequence: sequence + index,
        granule: granule + BigInt(index) * step,
      });
  };
  return {
    pieces: { [Symbol.iterator]: pieces },
    playable: { bytes: beginning.length + count * repeated.length, position },
  };
};

/** At a constant bit rate all frames have the same length; an MPEG-2 layer III frame has 576 samples. */
const samplesInFrame = 576;
const frameBytes = (samplesInFrame / recordingSampleRate) * ((mp3Bitrate * 1_000) / 8);
const framesAtOnce = 1_000;

const mp3Beginning = async (
  newEncoder: () => Promise<Encoder>,
  samples: number,
): Promise<LeadingSilence | null> => {
  const encoded = await encodedSilence(newEncoder);
  // Takes the repeated piece from the middle, where the encoder outputs pure silence.
  const from = Math.floor(encoded.length / frameBytes / 2) * frameBytes;
  const frame = encoded.subarray(from, from + frameBytes);
  const count = Math.floor(samples / samplesInFrame);
  if (count === 0) return null;
  const pieces = function* (): Generator<Uint8Array> {
    for (let left = count; left > 0; left -= framesAtOnce)
      yield Buffer.concat(Array.from({ length: Math.min(left, framesAtOnce) }, () => frame));
  };
  return {
    pieces: { [Symbol.iterator]: pieces },
    playable: { bytes: count * frameBytes, position: null },
  };
};

/** Returns the silence; null if the gap is short enough to be encoded. */
export const leadingSilence = (
  format: RecordingFormat,
  newEncoder: () => Promise<Encoder>,
  samples: number,
): Promise<LeadingSilence | null> =>
  format === 'ogg' ? oggSilence(newEncoder, samples) : mp3Beginning(newEncoder, samples);
