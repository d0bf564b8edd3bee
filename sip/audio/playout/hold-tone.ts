/** Hold tone for the other party while a person is called: a beep every few seconds. */
import { createAlarm, type LineTime } from '../line-time.ts';
import { samplesPerMs, type SampleRate } from '../samples.ts';

const frequency = 425;
const beepMs = 400;
const everyMs = 3_000;
/** Amplitude of the tone, well below a voice. */
const loudness = 3_000;

const beep = (rate: SampleRate): Int16Array =>
  Int16Array.from({ length: beepMs * samplesPerMs(rate) }, (_, index) =>
    Math.round(loudness * Math.sin((2 * Math.PI * frequency * index) / rate)),
  );

export type HoldTone = { begin(rate: SampleRate): void; end(): void };

export const createHoldTone = (
  time: Pick<LineTime, 'after'>,
  play: (samples: Int16Array) => void,
): HoldTone => {
  const next = createAlarm(time);
  const repeat = (samples: Int16Array): void => {
    play(samples);
    next.set(everyMs, () => repeat(samples));
  };
  return { begin: (rate) => next.set(0, () => repeat(beep(rate))), end: next.cancel.bind(next) };
};
