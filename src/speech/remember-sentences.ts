import type { Audio, Synthesizer } from '#sip/audio/speech.ts';
import { joinSamples } from '#src/domain/sample-bytes.ts';
import { sharedStream, type ReadShared } from './shared-stream.ts';

/** Adds the cache to a synthesizer. `voice` is the synthesizer's voice; `null` for the engine's default. */
export type Remember = (synthesizer: Synthesizer, voice: string | null) => Synthesizer;

type Speak = NonNullable<Synthesizer['stream']>;
type KeyOf = (text: string, language: string) => string;

/**
 * Creates a cache of an engine's recent sentences, limited in bytes over all voices, because apologies, reprompts and
 * backchannels repeat. A sentence that several calls need at the same time is synthesized once: after a take-over many
 * calls say the same. The samples are shared and read-only.
 */
export const rememberSentences = (maxBytes: number): Remember => {
  /** Cached sentences, ordered by use, the most recent last. */
  const known = new Map<string, Audio>();
  let bytes = 0;
  /** Sentences that are being synthesized, by the same keys: calls have synthesizers of their own. */
  const wholeInProgress = new Map<string, ReadShared>();
  const streamsInProgress = new Map<string, ReadShared>();

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

  /** Only completely synthesized sentences are cached. */
  async function* keeping(key: string, pieces: AsyncIterable<Audio>): AsyncIterable<Audio> {
    const said: Audio[] = [];
    for await (const piece of pieces) {
      said.push(piece);
      yield piece;
    }
    const [first] = said;
    if (first === undefined) return;
    keep(
      key,
      said.length === 1 ? first : { ...first, samples: joinSamples(said.map(({ samples }) => samples)) },
    );
  }

  /** Reads a sentence: from the cache, with those that need the sentence at the same time, or from the engine. */
  const remember = (engine: Speak, keyOf: KeyOf, inProgress: Map<string, ReadShared>): Speak =>
    async function* (text, language, signal) {
      signal?.throwIfAborted();
      const key = keyOf(text, language);
      const audio = known.get(key);
      if (audio !== undefined) {
        keep(key, audio);
        yield audio;
        return;
      }
      const begin = (): ReadShared => {
        const begun = sharedStream(
          (abandoned) => keeping(key, engine(text, language, abandoned)),
          () => {
            if (inProgress.get(key) === begun) inProgress.delete(key);
          },
        );
        inProgress.set(key, begun);
        return begun;
      };
      const read = inProgress.get(key) ?? begin();
      yield* read(signal);
    };

  return (synthesizer, voice) => {
    const keyOf: KeyOf = (text, language) => JSON.stringify([voice, language, text]);
    const inOnePiece: Speak = async function* (...sentence) {
      yield await synthesizer.synthesize(...sentence);
    };
    const whole = remember(inOnePiece, keyOf, wholeInProgress);
    return {
      name: synthesizer.name,
      ...(synthesizer.stream === undefined
        ? {}
        : { stream: remember(synthesizer.stream, keyOf, streamsInProgress) }),
      async synthesize(...sentence) {
        let audio: Audio | undefined;
        // Read to the end, after which the sentence is cached.
        for await (const piece of whole(...sentence)) audio = piece;
        if (audio === undefined) throw new Error(`${synthesizer.name} returned no audio`);
        return audio;
      },
    };
  };
};
