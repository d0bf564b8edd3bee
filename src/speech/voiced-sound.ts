/** Measures the share of voiced (periodic) audio; nearly all speech is voiced. */
import { pitchLikeness, pitchWindow } from '#src/domain/pitch.ts';
import type { Audio } from '#sip/speech.ts';

export type VoicedSound = {
  /** Number of frames with a pitch. */
  voicedMs: number;
  /** Share of voiced frames in all frames that are not silent, from 0 to 1. */
  share: number;
};

const rate = 8_000;
const frameLength = 160;
const frameMs = 20;
const likeness = 0.6;
/** Sample value (full scale 32768) below which a line counts as quiet. */
const floor = 130;
/** Frames this much quieter than the loudest one are silent. */
const quietest = 0.03;

/** At 8000 Hz. */
const narrow = ({ sampleRate, samples }: Audio): Int16Array => {
  const step = Math.max(1, Math.round(sampleRate / rate));
  if (step === 1) return samples;
  const result = new Int16Array(Math.floor(samples.length / step));
  for (let at = 0; at < result.length; at += 1) {
    let sum = 0;
    for (let index = 0; index < step; index += 1) sum += samples[at * step + index] ?? 0;
    result[at] = Math.round(sum / step);
  }
  return result;
};

const loudnessOf = (frame: Int16Array): number => {
  let sum = 0;
  for (const sample of frame) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, frame.length));
};

export const voicedIn = (audio: Audio): VoicedSound => {
  const samples = narrow(audio);
  const ends = Array.from(
    { length: Math.floor(samples.length / frameLength) },
    (_, at) => (at + 1) * frameLength,
  );
  const loud = ends.map((end) => loudnessOf(samples.subarray(end - frameLength, end)));
  const least = Math.max(floor, quietest * loud.reduce((most, one) => Math.max(most, one), 0));
  const sounding = ends.filter((_, at) => (loud[at] ?? 0) >= least);
  const voiced = sounding.filter(
    (end) => end >= pitchWindow && pitchLikeness(samples.subarray(end - pitchWindow, end)) >= likeness,
  );
  return {
    voicedMs: voiced.length * frameMs,
    share: sounding.length === 0 ? 0 : voiced.length / sounding.length,
  };
};
