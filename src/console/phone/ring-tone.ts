/** Ring tone that is synthesized without an audio file. */
const everyMs = 3_000;
const seconds = 1;
/** Frequencies of Korean telephones in Hz. */
const tones = [440, 480] as const;

/**
 * Rings until the returned function is called. The tone is silent if the browser requires a click before it plays
 * audio.
 */
export const ring = (): (() => void) => {
  const context = new AudioContext();
  const once = (): void => {
    const volume = context.createGain();
    const now = context.currentTime;
    volume.gain.setValueAtTime(0, now);
    volume.gain.linearRampToValueAtTime(0.05, now + 0.05);
    volume.gain.setValueAtTime(0.05, now + seconds - 0.1);
    volume.gain.linearRampToValueAtTime(0, now + seconds);
    volume.connect(context.destination);
    for (const frequency of tones) {
      const tone = context.createOscillator();
      tone.frequency.value = frequency;
      tone.connect(volume);
      tone.start(now);
      tone.stop(now + seconds);
    }
  };
  once();
  const timer = setInterval(once, everyMs);
  return () => {
    clearInterval(timer);
    void context.close();
  };
};
