/** The end of a turn by the pause behind its words: short when they sound finished, long when they want to go on. */
import type { TurnEnd } from '#machines/line.ts';
import { finishOf } from './finished.ts';
import type { Silence, TurnEndJudge } from './judge.ts';

export type PauseNumbers = Readonly<{
  /** The silence that ends a turn of which the recognizer says that it is complete … */
  completeMs: number;
  /** … whose words sound finished … */
  wholeMs: number;
  /** … whose words do not tell … */
  usualMs: number;
  /** … and whose words want to go on. */
  openMs: number;
  /** Words that are not settled this long after the voice ended are taken as they are. */
  settleMs: number;
}>;

/** Options of every judge: what the number has chosen, and by which pauses it is decided where nothing else does. */
export type JudgeOptions = {
  numbers: PauseNumbers;
  turnEnd: TurnEnd;
  /** BCP 47; it may change between turns. */
  language: () => string;
};

const waitFor = ({ text, isSettled, isComplete }: Silence, { numbers, language }: JudgeOptions): number => {
  if (isComplete) return numbers.completeMs;
  const waits = { whole: numbers.wholeMs, open: numbers.openMs, unknown: numbers.usualMs };
  const wait = waits[finishOf(text, language())];
  return isSettled ? wait : Math.max(wait, numbers.settleMs);
};

/** When the pauses decide; within what the number allows. */
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
