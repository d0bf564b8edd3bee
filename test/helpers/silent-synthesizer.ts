/**
 * Speaks silence, because hardly any test listens: tones, and above all their resampling, would cost more than the rest
 * of a simulated call.
 */
import { recordingSampleRate } from '#sip/audio/recording-sink.ts';
import type { Synthesizer } from '#sip/audio/speech.ts';

/** About the pace of the tones, for which Korean has a syllable per character. */
const samplesOfCharacter = recordingSampleRate / 8;

export const silentSynthesizer: Synthesizer = {
  name: 'silence',
  synthesize: async (text, _language, signal) => {
    signal?.throwIfAborted();
    return { sampleRate: recordingSampleRate, samples: new Int16Array(text.length * samplesOfCharacter) };
  },
};
