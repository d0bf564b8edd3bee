/**
 * Ends turns by a model that listens to the audio. The model receives the audio once the voice has been silent for the
 * shortest silence that ends a turn. Until the model answers, pauses decide; a late answer is ignored.
 */
import { createAlarm, type LineTime } from '../../line-time.ts';
import type { TurnEndJudge } from './judge.ts';
import { overByPauses, type JudgeOptions } from './pauses.ts';

/** Model that detects whether a party has finished speaking (see `src/speech/turn-model`). */
export interface TurnModel {
  /** Longest audio that the model reads, in milliseconds. */
  readonly longestMs: number;
  /**
   * Returns whether the speaker in this audio, which ends in silence, has finished; `null` if the model cannot tell or
   * is gone. Never rejects.
   */
  isOver(samples: Int16Array, sampleRate: number): Promise<boolean | null>;
}

/** Duration of audio before a turn's detected beginning that belongs to the turn. */
const preRollMs = 300;

/** Buffer of the last audio of a call, up to a length. */
type LatestAudio = {
  write(samples: Int16Array): void;
  /** Returns the last samples, at most `count` of them. */
  last(count: number): Int16Array;
};

const createLatestAudio = (mostSamples: number): LatestAudio => {
  const ring = new Int16Array(mostSamples);
  let written = 0;
  return {
    write(samples) {
      const kept = samples.subarray(Math.max(0, samples.length - mostSamples));
      const at = (written + samples.length - kept.length) % mostSamples;
      const head = kept.subarray(0, mostSamples - at);
      ring.set(head, at);
      ring.set(kept.subarray(head.length), 0);
      written += samples.length;
    },
    last(count) {
      const length = Math.max(0, Math.min(count, written, mostSamples));
      const result = new Int16Array(length);
      const from = (written - length) % mostSamples;
      const head = ring.subarray(from, Math.min(mostSamples, from + length));
      result.set(head);
      result.set(ring.subarray(0, length - head.length), head.length);
      return result;
    },
  };
};

export const judgeByModel = (
  options: JudgeOptions,
  model: TurnModel,
  call: { time: Pick<LineTime, 'now' | 'after'>; sampleRate: number; onChange: () => void },
): TurnEndJudge => {
  const { time, sampleRate, onChange } = call;
  const { minSilenceMs, maxSilenceMs } = options.turnEnd;
  const audio = createLatestAudio(Math.ceil((model.longestMs * sampleRate) / 1_000));
  const alarm = createAlarm(time);
  /** Answer of the model for the current silence; `null` until the answer arrives. */
  let isOver: boolean | null = null;
  /** Number of the latest request to the model. */
  let asked = 0;

  const ask = async (turnBeganAt: number): Promise<void> => {
    const question = (asked += 1);
    const audioMs = time.now() - turnBeganAt + preRollMs;
    const answer = await model.isOver(audio.last(Math.ceil((audioMs * sampleRate) / 1_000)), sampleRate);
    if (question !== asked || answer === null) return;
    isOver = answer;
    onChange();
  };

  const forget = (): void => {
    asked += 1;
    isOver = null;
    alarm.cancel();
  };

  return {
    write: audio.write,
    voiceBegan: forget,
    voiceEnded(at, turnBeganAt) {
      forget();
      alarm.set(Math.max(0, at + minSilenceMs - time.now()), () => void ask(turnBeganAt));
    },
    overAt(silence) {
      if (isOver === null) return overByPauses(silence, options);
      if (!isOver) return silence.since + maxSilenceMs;
      // The model has decided that the turn is over; its last words may not have arrived yet.
      return silence.since + (silence.isSettled ? minSilenceMs : options.numbers.settleMs);
    },
    close: forget,
  };
};
