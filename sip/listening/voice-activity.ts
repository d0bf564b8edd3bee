/**
 * When the other party's voice begins and ends. WebRTC's detector says what may be a voice; it takes any noise for one,
 * so a sound must also stand out:
 * - over a fixed floor, which a quiet line stays under;
 * - over the quietest moments a short while ago, for a voice has gaps between its syllables, and wind, hum or a ringing
 *   tone has none: what is steady is a voice only until that while is over;
 * - over what may come back of the agent's own voice as an echo.
 */
import { levelOf, silenceDb } from '../samples.ts';
import { frameLength, frameMs, type VoiceDetector } from './voice-detector.ts';

/** So much of the time before may have been quieter than the noise is taken to be. */
const quietShare = 0.1;

export type VoiceNumbers = Readonly<{
  /** WebRTC's mode, from 0 (most sounds are a voice) to 3 (fewest). */
  mode: number;
  /** Levels are dB below full scale. */
  floorDb: number;
  /** How far a voice stands out of the quietest moments of the last `gapMs`. */
  aboveNoiseDb: number;
  gapMs: number;
  /** How much quieter than the agent's voice its echo comes back at least. */
  echoLossDb: number;
  /** A voice has begun when it has lasted for this long; shorter is a click. */
  onsetMs: number;
  /** A voice has ended when it was gone for this long; shorter is a gap between syllables. */
  hangoverMs: number;
}>;

export type VoiceActivity = {
  /** The next stretch of sound, at 8000 Hz, and the level of the agent's voice meanwhile. */
  write(samples: Int16Array, agentDb: number): void;
  /** No sound comes any more: a voice that is on has ended. */
  silence(): void;
  isVoiced(): boolean;
};

export const createVoiceActivity = (options: {
  detector: VoiceDetector;
  numbers: VoiceNumbers;
  /** `agoMs` is how long ago it was. */
  on: {
    began: (agoMs: number) => void;
    ended: (agoMs: number) => void;
    /** This frame, of a voice that is on, sounds like one. */
    sounds?: (frame: Int16Array) => void;
  };
}): VoiceActivity => {
  const { detector, numbers, on } = options;
  const recent = new Float64Array(Math.ceil(numbers.gapMs / frameMs)).fill(silenceDb);
  let frames = 0;
  let isOn = false;
  /** Frames in a row that say the opposite of `isOn`. */
  let against = 0;
  let rest = new Int16Array();

  /** Without the few frames that happen to be quieter than a noise is. */
  const quietest = (): number => recent.toSorted()[Math.floor(recent.length * quietShare)] ?? silenceDb;

  const isVoice = (frame: Int16Array, agentDb: number): boolean => {
    const level = levelOf(frame);
    recent[frames % recent.length] = level;
    frames += 1;
    const soundsLikeOne = detector.isVoice(frame);
    return (
      soundsLikeOne &&
      level >= numbers.floorDb &&
      level >= quietest() + numbers.aboveNoiseDb &&
      level >= agentDb - numbers.echoLossDb
    );
  };

  const turn = (): void => {
    const agoMs = against * frameMs;
    isOn = !isOn;
    against = 0;
    (isOn ? on.began : on.ended)(agoMs);
  };

  const take = (frame: Int16Array, agentDb: number): void => {
    const isOne = isVoice(frame, agentDb);
    against = isOne === isOn ? 0 : against + 1;
    if (against * frameMs >= (isOn ? numbers.hangoverMs : numbers.onsetMs)) turn();
    if (isOn && isOne) on.sounds?.(frame);
  };

  return {
    write(samples, agentDb) {
      const all = rest.length === 0 ? samples : Int16Array.of(...rest, ...samples);
      const whole = all.length - (all.length % frameLength);
      for (let from = 0; from < whole; from += frameLength)
        take(all.subarray(from, from + frameLength), agentDb);
      rest = all.slice(whole);
    },
    silence() {
      if (isOn) turn();
    },
    isVoiced: () => isOn,
  };
};
