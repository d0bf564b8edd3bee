/** When a turn of the other party is over, or may be: what the silence behind it is taken for, and a voice without words. */
import { finishOf } from './finished.ts';
import { hasWords, textOf, type Turn } from './turn.ts';

export type TurnNumbers = Readonly<{
  /** The silence after which a sentence may be over: engines that recognize sentence by sentence begin then. */
  pauseMs: number;
  /** The silence that ends a turn of which the engine says that it is complete … */
  completeMs: number;
  /** … whose words sound finished … */
  wholeMs: number;
  /** … whose words do not tell … */
  usualMs: number;
  /** … and whose words want to go on. */
  openMs: number;
  /** Words that are not settled this long after the voice ended are taken as they are. */
  settleMs: number;
  /** What has no words this long after it ended was no speech, with an engine that gives words while they are spoken … */
  wordsMs: number;
  /** … and with one that recognizes whole sentences, or is not known yet. */
  sentenceWordsMs: number;
  /** A voice without words that lasts this long is speech. */
  lastingVoiceMs: number;
}>;

/** What is known of the engine that listens, besides the turn. */
type Known = {
  numbers: TurnNumbers;
  /** BCP 47. */
  language: string;
  /** The recognizer has shown that it gives words while they are spoken. */
  givesWordsEarly: boolean;
  /** A voice over the agent's is judged by its sound (`speech-meter.ts`), not by how long it lasts alone. */
  hearsSpeech: boolean;
};

/**
 * What is due at a wall-clock time if nobody says anything until then: the turn is closed, it is reported as speech, or
 * the recognizer is told of a pause.
 */
export type Step = { at: number; does: 'close' | 'report' | 'pause' };

const silenceFor = (turn: Turn, { numbers, language }: Known): number => {
  if (turn.isComplete) return numbers.completeMs;
  const waits = { whole: numbers.wholeMs, open: numbers.openMs, unknown: numbers.usualMs };
  const wait = waits[finishOf(textOf(turn), language)];
  return turn.partial === '' ? wait : Math.max(wait, numbers.settleMs);
};

/** Words may come so long after their voice. */
export const wordsMs = ({ numbers, givesWordsEarly }: Pick<Known, 'numbers' | 'givesWordsEarly'>): number =>
  givesWordsEarly ? numbers.wordsMs : numbers.sentenceWordsMs;

const whileVoiced = (turn: Turn, voicedSince: number, known: Known): Step | null => {
  const { numbers, givesWordsEarly } = known;
  if (hasWords(textOf(turn))) {
    // Words would come if the voice were speaking: something else sounds on behind them.
    const at = Math.max(turn.wordsAt, voicedSince) + numbers.wordsMs;
    return givesWordsEarly ? { at, does: 'close' } : null;
  }
  if (givesWordsEarly || turn.wasReported || (known.hearsSpeech && turn.beganOverAgent)) return null;
  return { at: voicedSince + numbers.lastingVoiceMs - turn.voicedMs, does: 'report' };
};

const inSilence = (turn: Turn, known: Known): Step => {
  const { quietSince } = turn;
  if (!turn.wasPauseTold && !turn.isComplete)
    return { at: quietSince + known.numbers.pauseMs, does: 'pause' };
  const wait = turn.hasNewWords ? silenceFor(turn, known) : wordsMs(known);
  return { at: quietSince + wait, does: 'close' };
};

/** `null`: nothing, before the voice or the recognizer says more. */
export const nextStep = (turn: Turn, known: Known): Step | null =>
  turn.voicedSince === null ? inSilence(turn, known) : whileVoiced(turn, turn.voicedSince, known);
