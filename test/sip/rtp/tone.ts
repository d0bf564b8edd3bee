/** Pure tones, and the loudness of one in audio. */

export const toneOf = (hertz: number, seconds: number, sampleRate: number, amplitude = 6_000): Int16Array =>
  Int16Array.from(
    { length: seconds * sampleRate },
    (_, index) => amplitude * Math.sin((2 * Math.PI * hertz * index) / sampleRate),
  );

const amplitudeIn = (window: Int16Array, hertz: number, sampleRate: number): number => {
  let [real, imaginary] = [0, 0];
  for (const [index, sample] of window.entries()) {
    const angle = (2 * Math.PI * hertz * index) / sampleRate;
    real += sample * Math.cos(angle);
    imaginary += sample * Math.sin(angle);
  }
  return (2 * Math.hypot(real, imaginary)) / window.length;
};

/** The amplitude of a tone in each 100 ms of audio. */
export const amplitudesOf = (hertz: number, samples: Int16Array, sampleRate: number): number[] => {
  const length = sampleRate / 10;
  return Array.from({ length: Math.floor(samples.length / length) }, (_, index) =>
    amplitudeIn(samples.subarray(index * length, (index + 1) * length), hertz, sampleRate),
  );
};

export const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** The strongest pitch in audio, in steps of 10 Hz. */
export const pitchOf = (samples: Int16Array, sampleRate: number): number => {
  let best = { hertz: 0, amplitude: 0 };
  for (let hertz = 100; hertz < sampleRate / 2; hertz += 10) {
    const amplitude = amplitudeIn(samples, hertz, sampleRate);
    if (amplitude > best.amplitude) best = { hertz, amplitude };
  }
  return best.hertz;
};
