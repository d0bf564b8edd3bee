/** Sound as engines take and give it. */
import { joinSamples } from '#src/domain/sample-bytes.ts';
import type { Audio, Synthesizer } from '#sip/speech.ts';

/** Samples out of bytes that come in any pieces: half a sample waits for its other half. */
export const createSampleReader = (): ((bytes: Uint8Array) => Int16Array) => {
  let half: number | null = null;
  return (bytes) => {
    const whole = Buffer.concat(half === null ? [bytes] : [Uint8Array.of(half), bytes]);
    half = whole.length % 2 === 0 ? null : (whole.at(-1) ?? null);
    const samples = new Int16Array(whole.length >> 1);
    for (let index = 0; index < samples.length; index += 1) samples[index] = whole.readInt16LE(index * 2);
    return samples;
  };
};

/** The sound of a sentence, as a synthesizer makes it: piece by piece, or whole. */
export async function* piecesOf(
  synthesizer: Synthesizer,
  ...[text, language, signal]: Parameters<Synthesizer['synthesize']>
): AsyncGenerator<Audio, void, undefined> {
  if (synthesizer.stream === undefined) yield await synthesizer.synthesize(text, language, signal);
  else yield* synthesizer.stream(text, language, signal);
}

/** Sound that comes in pieces, in one. */
export const wholeAudio = async (pieces: AsyncIterable<Audio>): Promise<Audio> => {
  const all: Int16Array[] = [];
  let rate = 8_000;
  for await (const { sampleRate, samples } of pieces) {
    rate = sampleRate;
    all.push(samples);
  }
  return { sampleRate: rate, samples: joinSamples(all) };
};
