/** Ends turns by the pause after their words: short after finished sentences, long after words that continue. */
import type { TurnEnd } from '#machines/line.ts';
import { finishOf } from './finished.ts';
import type { Silence, TurnEndJudge } from './judge.ts';

export type PauseNumbers = Readonly<{
  /** Silence that ends a turn which the recognizer marked as complete. */
  completeMs: number;
  /** Silence that ends a turn whose words sound finished. */
  wholeMs: number;
  /** Silence that ends a turn whose words sound neither finished nor unfinished. */
  usualMs: number;
  /** Silence that ends a turn whose last words announce more. */
  openMs: number;
  /** Time after the end of the voice at which words count as final even if the recognizer has not marked them so. */
  settleMs: number;
}>;

/** Options of every judge: the number's choice and the pauses that apply otherwise. */
export type JudgeOptions = {
  numbers: PauseNumbers;
  turnEnd: TurnEnd;
  /** Language of the call (BCP 47), which may change between turns. */
  language: () => string;
};

const waitFor = ({ text, isSettled, isComplete }: Silence, { numbers, language }: JudgeOptions): number => {
  if (isComplete) return numbers.completeMs;
  const waits = { whole: numbers.wholeMs, open: numbers.openMs, unknown: numbers.usualMs };
  const wait = waits[finishOf(text, language())];
  return isSettled ? wait : Math.max(wait, numbers.settleMs);
};

/** Returns when the pauses end the turn, within the number's limits. */
export const overByPauses = (silence: Silence, options: JudgeOptions): number => {
  const { minSilenceMs, maxSilenceMs } = options.turnEnd;
  return silence.since + Math.min(maxSilenceMs, Math.max(minSilenceMs, waitFor(silence, options)));
};

export const judgeByPauses = (options: JudgeOptions): TurnEndJudge => ({
  write() {},
  voiceBegan() {},
  voiceEnded() {},
  overAt: (silence) => overByPauses(silence, options),
  close() {},
});
