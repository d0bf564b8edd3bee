/**
 * The next step of a turn of the other party if nobody says anything: that it is over, or may be, and what a voice
 * without words is taken for. Of a turn with words that is silent, `turn-end` decides when it is over.
 */
import type { PauseNumbers } from './turn-end/pauses.ts';
import type { TurnEndJudge } from './turn-end/judge.ts';
import { hasWords, textOf, type Turn } from './turn.ts';

export type TurnNumbers = PauseNumbers &
  Readonly<{
    /** The silence after which a sentence may be over: engines that recognize sentence by sentence begin then. */
    pauseMs: number;
    /** What has no words this long after it ended was no speech, with an engine that gives words while they are spoken … */
    wordsMs: number;
    /** … and with one that recognizes whole sentences, or is not known yet. */
    sentenceWordsMs: number;
    /** A voice without words that lasts this long is speech. */
    lastingVoiceMs: number;
  }>;

/** The engine that listens, as far as it is known. */
type Known = {
  numbers: TurnNumbers;
  judge: Pick<TurnEndJudge, 'overAt'>;
  /** The recognizer has shown that it gives words while they are spoken. */
  givesWordsEarly: boolean;
  /** A voice over the agent's is judged by its sound (`speech-meter.ts`), not by how long it lasts alone. */
  hearsSpeech: boolean;
};

/**
 * A step that is due at a wall-clock time if nobody says anything until then: the turn is closed, it is reported as
 * speech, or the recognizer is told of a pause.
 */
export type Step = { at: number; does: 'close' | 'speech' | 'pause' };

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
  return { at: voicedSince + numbers.lastingVoiceMs - turn.voicedMs, does: 'speech' };
};

/** When a turn is over of which words have come since its voice last sounded. */
const overAt = (turn: Turn, { judge }: Known): number =>
  judge.overAt({
    since: turn.quietSince,
    text: textOf(turn),
    isSettled: turn.partial === '',
    isComplete: turn.isComplete,
  });

const inSilence = (turn: Turn, known: Known): Step => {
  const { quietSince } = turn;
  const closeAt = turn.hasNewWords ? overAt(turn, known) : quietSince + wordsMs(known);
  if (turn.wasPauseTold || turn.isComplete) return { at: closeAt, does: 'close' };
  return { at: Math.min(quietSince + known.numbers.pauseMs, closeAt), does: 'pause' };
};

/** `null`: nothing, before the voice or the recognizer says more. */
export const nextStep = (turn: Turn, known: Known): Step | null =>
  turn.voicedSince === null ? inSilence(turn, known) : whileVoiced(turn, turn.voicedSince, known);
