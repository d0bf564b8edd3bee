/** Components of noises: seeded random numbers, noise, tones, glottal pulses, filters and envelopes, at 8000 Hz. */
export const sampleRate = 8_000;

export type Chance = {
  /** Returns a random number from 0 to 1. */
  next(): number;
  between(from: number, to: number): number;
};

export const chanceOf = (seed: number): Chance => {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  const next = (): number => {
    // Marsaglia's xorshift.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
  for (let turn = 0; turn < 8; turn += 1) next();
  return { next, between: (from, to) => from + (to - from) * next() };
};

export type Sound = Float64Array;

const lengthOf = (milliseconds: number): number => Math.round((milliseconds * sampleRate) / 1_000);

const made = (milliseconds: number, at: (index: number) => number): Sound =>
  Float64Array.from({ length: lengthOf(milliseconds) }, (_, index) => at(index));

export const noise = (chance: Chance, milliseconds: number): Sound =>
  made(milliseconds, () => chance.between(-1, 1));

/** Tones of these pitches; `glide` is the increase of each at the end. */
export const tones = (milliseconds: number, hertz: readonly number[], glide = 1): Sound => {
  const phases = hertz.map(() => 0);
  const length = lengthOf(milliseconds);
  return made(milliseconds, (index) => {
    let sum = 0;
    for (const [which, pitch] of hertz.entries()) {
      const phase = (phases[which] ?? 0) + (2 * Math.PI * pitch * glide ** (index / length)) / sampleRate;
      phases[which] = phase;
      sum += Math.sin(phase);
    }
    return sum / hertz.length;
  });
};

/** Glottal pulses: periodic, with slight jitter. */
export const pulses = (chance: Chance, milliseconds: number, hertz: number, glide = 1): Sound => {
  const length = lengthOf(milliseconds);
  let phase = 0;
  return made(milliseconds, (index) => {
    phase += (hertz * glide ** (index / length) * chance.between(0.97, 1.03)) / sampleRate;
    if (phase < 1) return 0;
    phase -= 1;
    return 1;
  });
};

/** Passes frequencies around a pitch (a resonator of two poles). */
export const around = (sound: Sound, hertz: number, width: number): Sound => {
  const radius = Math.exp((-Math.PI * width) / sampleRate);
  const twice = 2 * radius * Math.cos((2 * Math.PI * hertz) / sampleRate);
  let [last, beforeLast] = [0, 0];
  return sound.map((sample) => {
    const now = (1 - radius) * sample + twice * last - radius ** 2 * beforeLast;
    beforeLast = last;
    last = now;
    return now;
  });
};

/** Rises within `attackMs`, then falls by half every `halfMs`; constant if that is not given. */
export const shaped = (sound: Sound, attackMs: number, halfMs = Infinity): Sound => {
  const attack = Math.max(1, lengthOf(attackMs));
  const release = Math.min(lengthOf(15), sound.length);
  return sound.map((sample, index) => {
    const rise = Math.min(1, index / attack);
    const fall = 0.5 ** (Math.max(0, index - attack) / lengthOf(halfMs));
    const end = Math.min(1, (sound.length - index) / release);
    return sample * rise * fall * end;
  });
};

export const mixed = (sounds: readonly Sound[]): Sound => {
  const length = Math.max(...sounds.map((sound) => sound.length));
  return Float64Array.from({ length }, (_, index) =>
    sounds.reduce((sum, sound) => sum + (sound[index] ?? 0), 0),
  );
};

export const inTurn = (sounds: readonly Sound[]): Sound =>
  Float64Array.from(sounds.flatMap((sound) => [...sound]));

export const rest = (milliseconds: number): Sound => new Float64Array(lengthOf(milliseconds));

export const loud = (sound: Sound, factor: number): Sound => sound.map((sample) => sample * factor);

/** Scales a sound to a peak of one. */
export const levelled = (sound: Sound): Sound => {
  const loudest = sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1e-9);
  return loud(sound, 1 / loudest);
};
