/** Conversion between bytes and samples of engines. */
import { joinSamples } from '#src/domain/sample-bytes.ts';
import type { Audio, Synthesizer } from '#sip/audio/speech.ts';
import type { AudioFormat } from './audio-description.ts';

const littleEndian = { channels: 1, byteOrder: 'little' } as const;

/**
 * Converts bytes in arbitrary pieces to samples of one channel. An incomplete sample waits for its rest; several
 * channels are mixed.
 */
export const createSampleReader = ({
  channels,
  byteOrder,
}: Pick<AudioFormat, 'channels' | 'byteOrder'> = littleEndian): ((bytes: Uint8Array) => Int16Array) => {
  const frameBytes = 2 * channels;
  let rest: Uint8Array = new Uint8Array();

  return (bytes) => {
    const all = Buffer.concat([rest, bytes]);
    const frames = Math.floor(all.length / frameBytes);
    rest = all.subarray(frames * frameBytes);
    const sampleAt = (at: number): number =>
      byteOrder === 'little' ? all.readInt16LE(at) : all.readInt16BE(at);
    const samples = new Int16Array(frames);
    for (let frame = 0; frame < frames; frame += 1) {
      let sum = 0;
      for (let channel = 0; channel < channels; channel += 1)
        sum += sampleAt(frame * frameBytes + channel * 2);
      samples[frame] = Math.round(sum / channels);
    }
    return samples;
  };
};

/** Yields the audio of a sentence that a synthesizer returns in pieces or as a whole. */
export async function* piecesOf(
  synthesizer: Synthesizer,
  ...[text, language, signal]: Parameters<Synthesizer['synthesize']>
): AsyncGenerator<Audio, void, undefined> {
  if (synthesizer.stream === undefined) yield await synthesizer.synthesize(text, language, signal);
  else yield* synthesizer.stream(text, language, signal);
}

/** Joins pieces of audio. */
export const wholeAudio = async (pieces: AsyncIterable<Audio>): Promise<Audio> => {
  const all: Int16Array[] = [];
  let rate = 8_000;
  for await (const { sampleRate, samples } of pieces) {
    rate = sampleRate;
    all.push(samples);
  }
  return { sampleRate: rate, samples: joinSamples(all) };
};
