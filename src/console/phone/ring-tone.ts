/** The sound of a telephone that rings, made on the spot: no file is loaded. */
const everyMs = 3_000;
const seconds = 1;
/** As Korean telephones have it. */
const tones = [440, 480] as const;

/** Rings until the returned function is called. Silent where the browser wants a click before any sound. */
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
