/**
 * Detects when the other party's voice begins and ends. WebRTC's detector accepts any noise, so a sound must also
 * exceed:
 * - a fixed floor, which a quiet line stays below;
 * - the quietest moments shortly before: a voice has gaps between syllables, while wind, hum or a ringing tone is
 *   steady;
 * - the level of the agent's echo.
 */
import { levelOf, silenceDb } from '../samples.ts';
import { frameLength, frameMs, type VoiceDetector } from './voice-detector.ts';

/** Share of the recent past that may be quieter than the noise estimate. */
const quietShare = 0.1;

export type VoiceNumbers = Readonly<{
  /** Mode of WebRTC's detector, from 0 (most sounds are a voice) to 3 (fewest). */
  mode: number;
  /** Minimum level of a voice. Levels are dB below full scale. */
  floorDb: number;
  /** Level in dB above the quietest moments of the last `gapMs`. */
  aboveNoiseDb: number;
  gapMs: number;
  /** Least attenuation of the agent's echo, in dB. */
  echoLossDb: number;
  /** Duration of the shortest voice in milliseconds; shorter sounds are clicks. */
  onsetMs: number;
  /** Silence that ends a voice, in milliseconds; shorter silences are gaps between syllables. */
  hangoverMs: number;
}>;

export type VoiceActivity = {
  /** Processes the next audio at 8000 Hz, with the level of the agent's voice. */
  write(samples: Int16Array, agentDb: number): void;
  /** Called when no audio has arrived for `agoMs`. Ends a current voice. */
  silence(agoMs: number): void;
  isVoiced(): boolean;
};

export const createVoiceActivity = (options: {
  detector: VoiceDetector;
  numbers: VoiceNumbers;
  /** Callbacks. `agoMs` is the time since the voice began or ended. */
  on: {
    began: (agoMs: number) => void;
    ended: (agoMs: number) => void;
    /** Called with a frame of the current voice that sounds like a voice. */
    sounds?: (frame: Int16Array) => void;
  };
}): VoiceActivity => {
  const { detector, numbers, on } = options;
  const recent = new Float64Array(Math.ceil(numbers.gapMs / frameMs)).fill(silenceDb);
  let frames = 0;
  let isOn = false;
  /** Number of consecutive frames that contradict `isOn`. */
  let against = 0;
  let rest = new Int16Array();

  /** A percentile is used instead of the minimum, because a few frames are quieter than the noise by chance. */
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

  /** `quietMs` is the time without audio since the last frame. */
  const turn = (quietMs = 0): void => {
    const agoMs = against * frameMs + quietMs;
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
    silence(agoMs) {
      if (isOn) turn(agoMs);
    },
    isVoiced: () => isOn,
  };
};
