import type { Audio, Synthesizer } from '#sip/audio/speech.ts';
import { joinSamples } from '#src/domain/sample-bytes.ts';

/** Adds the cache to a synthesizer. `voice` is the synthesizer's voice; `null` for the engine's default. */
export type Remember = (synthesizer: Synthesizer, voice: string | null) => Synthesizer;

/**
 * Creates a cache of an engine's recent sentences, limited in bytes over all voices, because apologies, reprompts and
 * backchannels repeat. The samples are shared and read-only.
 */
export const rememberSentences = (maxBytes: number): Remember => {
  /** Cached sentences, ordered by use, the most recent last. */
  const known = new Map<string, Audio>();
  let bytes = 0;

  const forget = (key: string): void => {
    bytes -= known.get(key)?.samples.byteLength ?? 0;
    known.delete(key);
  };

  const keep = (key: string, audio: Audio): void => {
    forget(key);
    if (audio.samples.byteLength > maxBytes) return;
    known.set(key, audio);
    bytes += audio.samples.byteLength;
    for (const oldest of known.keys()) {
      if (bytes <= maxBytes) break;
      forget(oldest);
    }
  };

  const remember = (
    stream: NonNullable<Synthesizer['stream']>,
    keyOf: (text: string, language: string) => string,
  ): NonNullable<Synthesizer['stream']> =>
    async function* (text, language, signal) {
      signal?.throwIfAborted();
      const key = keyOf(text, language);
      const audio = known.get(key);
      if (audio !== undefined) {
        keep(key, audio);
        yield audio;
        return;
      }
      const pieces: Int16Array[] = [];
      let rate: number | undefined;
      for await (const piece of stream(text, language, signal)) {
        rate = piece.sampleRate;
        pieces.push(piece.samples);
        yield piece;
      }
      // Only completely synthesized sentences are cached.
      if (rate !== undefined) keep(key, { sampleRate: rate, samples: joinSamples(pieces) });
    };

  return (synthesizer, voice) => {
    const keyOf = (text: string, language: string): string => JSON.stringify([voice, language, text]);
    return {
      name: synthesizer.name,
      ...(synthesizer.stream === undefined ? {} : { stream: remember(synthesizer.stream, keyOf) }),
      async synthesize(text, language, signal) {
        signal?.throwIfAborted();
        const key = keyOf(text, language);
        const audio = known.get(key) ?? (await synthesizer.synthesize(text, language, signal));
        keep(key, audio);
        return audio;
      },
    };
  };
};
