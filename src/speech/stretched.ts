/** Upsampling for engines that accept only 16000 Hz. */
import type { Audio } from '#sip/audio/speech.ts';
import { readWav } from './read-wav.ts';

const sampleRate = 16_000;

/**
 * Doubles the sample rate by linear interpolation, which is enough because there are no higher frequencies to restore.
 */
export const stretched = (wav: Buffer): Audio => {
  const { sampleRate: from, samples } = readWav(wav);
  if (from === sampleRate) return { sampleRate, samples };
  const result = new Int16Array(Math.floor((samples.length * sampleRate) / from));
  for (let index = 0; index < result.length; index += 1) {
    const at = (index * from) / sampleRate;
    const before = samples[Math.floor(at)] ?? 0;
    const behind = samples[Math.floor(at) + 1] ?? before;
    result[index] = Math.round(before + (behind - before) * (at % 1));
  }
  return { sampleRate, samples: result };
};
