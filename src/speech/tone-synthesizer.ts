/**
 * Synthesizer without speech, used if no program is installed or the program fails: a soft tone per syllable and a pause
 * per punctuation mark. The tones show who speaks, how long, and where sentences end.
 */
import type { Synthesizer } from '#sip/audio/speech.ts';

const sampleRate = 16_000;
const syllableMs = 150;
const gapMs = 30;
const wordGapMs = 60;
const pauseMs = 280;
/** Loudness as a share of full scale. */
const loudness = 0.25;
const basePitchHz = 170;

type Beat = { sounds: boolean; milliseconds: number; pitchHz: number };

const isPause = (character: string): boolean => /[.,!?;:…。、！？]/.test(character);

/**
 * Returns the number of syllables. Hangul and Japanese have one character per syllable, other scripts about three
 * letters.
 */
const syllablesOf = (word: string): number => {
  const whole = word.match(/[\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/gu)?.length ?? 0;
  const letters = (word.match(/[\p{L}\p{N}]/gu)?.length ?? 0) - whole;
  return whole + Math.ceil(letters / 3);
};

const beatsOf = (text: string): Beat[] =>
  text
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => {
      const count = syllablesOf(word);
      const syllables = Array.from({ length: count }, (_, index): Beat[] => [
        // The pitch falls slightly towards the end of a word.
        {
          sounds: true,
          milliseconds: syllableMs - gapMs,
          pitchHz: basePitchHz * (1.15 - (0.25 * index) / count),
        },
        { sounds: false, milliseconds: gapMs, pitchHz: 0 },
      ]).flat();
      const rest = isPause(word.at(-1) ?? '') ? pauseMs : wordGapMs;
      return [...syllables, { sounds: false, milliseconds: rest, pitchHz: 0 }];
    });

const render = (beats: readonly Beat[]): Int16Array => {
  const lengths = beats.map(({ milliseconds }) => Math.round((milliseconds * sampleRate) / 1000));
  const samples = new Int16Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [index, { sounds, pitchHz }] of beats.entries()) {
    const length = lengths[index] ?? 0;
    for (let offset = 0; sounds && offset < length; offset += 1) {
      const swell = Math.sin((Math.PI * offset) / length);
      const phase = (2 * Math.PI * pitchHz * offset) / sampleRate;
      const tone = Math.sin(phase) + 0.4 * Math.sin(2 * phase) + 0.2 * Math.sin(3 * phase);
      samples[at + offset] = Math.round(32_767 * loudness * swell * (tone / 1.6));
    }
    at += length;
  }
  return samples;
};

export const toneSynthesizer = (): Synthesizer => ({
  name: 'tones',
  synthesize: async (text, _language, signal) => {
    signal?.throwIfAborted();
    return { sampleRate, samples: render(beatsOf(text)) };
  },
});

/**
 * Adds tones for sentences that a synthesizer cannot speak. Belongs above its health, which reports the failure, and
 * above the cache of sentences, which keeps no tones.
 */
export const withTones = (synthesizer: Synthesizer): Synthesizer => {
  const tones = toneSynthesizer();
  return {
    name: synthesizer.name,
    async synthesize(text, language, signal) {
      try {
        return await synthesizer.synthesize(text, language, signal);
      } catch {
        signal?.throwIfAborted();
        return tones.synthesize(text, language, signal);
      }
    },
  };
};
