/**
 * The end of a turn as a model hears it in the sound. It is asked when the voice has been gone for the shortest silence
 * that ends a turn. Until it answers the pauses decide: who is late has decided nothing.
 */
import { createAlarm, type LineTime } from '../../line-time.ts';
import type { TurnEndJudge } from './judge.ts';
import { overByPauses, type JudgeOptions } from './pauses.ts';
import { createLatestSound } from './latest-sound.ts';

/** A model that hears whether somebody has finished; see `src/speech/turn-model`. */
export interface TurnModel {
  /** How much sound it hears at most. */
  readonly longestMs: number;
  /**
   * Whether who speaks in this sound, which ends in silence, has finished; `null` where it cannot say, now or any more.
   * Never rejects.
   */
  isOver(samples: Int16Array, sampleRate: number): Promise<boolean | null>;
}

/** So much before a turn was noticed belongs to it. */
const preRollMs = 300;

export const judgeByModel = (
  options: JudgeOptions,
  model: TurnModel,
  call: { time: Pick<LineTime, 'now' | 'after'>; sampleRate: number; onChange: () => void },
): TurnEndJudge => {
  const { time, sampleRate, onChange } = call;
  const { minSilenceMs, maxSilenceMs } = options.turnEnd;
  const sound = createLatestSound(Math.ceil((model.longestMs * sampleRate) / 1_000));
  const alarm = createAlarm(time);
  /** What it has said of the silence that goes on; `null` while it has said nothing. */
  let isOver: boolean | null = null;
  /** Which question is the last one. */
  let asked = 0;

  const ask = async (turnBeganAt: number): Promise<void> => {
    const question = (asked += 1);
    const soundMs = time.now() - turnBeganAt + preRollMs;
    const answer = await model.isOver(sound.last(Math.ceil((soundMs * sampleRate) / 1_000)), sampleRate);
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
    write: sound.write,
    voiceBegan: forget,
    voiceEnded(at, turnBeganAt) {
      forget();
      alarm.set(Math.max(0, at + minSilenceMs - time.now()), () => void ask(turnBeganAt));
    },
    overAt(silence) {
      if (isOver === null) return overByPauses(silence, options);
      if (!isOver) return silence.since + maxSilenceMs;
      // The turn is over, but its last words may still be on their way from the recognizer.
      return silence.since + (silence.isSettled ? minSilenceMs : options.numbers.settleMs);
    },
    close: forget,
  };
};
