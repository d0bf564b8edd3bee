/**
 * Computes the next step of a turn if the other party stays silent: the turn ends, may end, or a voice without words is
 * classified. `turn-end` decides when a turn with words ends.
 */
import type { PauseNumbers } from './turn-end/pauses.ts';
import type { TurnEndJudge } from './turn-end/judge.ts';
import { hasWords, textOf, type Turn } from './turn.ts';

export type TurnNumbers = PauseNumbers &
  Readonly<{
    /**
     * Silence in milliseconds after which a sentence may be over. Engines that recognize whole sentences start
     * recognizing then.
     */
    pauseMs: number;
    /**
     * Time after the end of a voice without words at which the voice counts as no speech, for engines that return words
     * while they are spoken.
     */
    wordsMs: number;
    /** The same time for engines that recognize whole sentences, and for engines whose behaviour is not known yet. */
    sentenceWordsMs: number;
    /** Duration at which a voice without words counts as speech. */
    lastingVoiceMs: number;
  }>;

/** Properties that the current engine has shown so far. */
type Known = {
  numbers: TurnNumbers;
  judge: Pick<TurnEndJudge, 'overAt'>;
  /** Whether the engine has returned words while they were spoken. */
  givesWordsEarly: boolean;
  /** Whether a voice over the agent's is judged by its sound (`speech-meter.ts`), not by its duration alone. */
  hearsSpeech: boolean;
};

/**
 * A step that is due at a wall-clock time unless the other party continues: closes the turn, reports speech, or
 * notifies the recognizer of a pause.
 */
export type Step = { at: number; does: 'close' | 'speech' | 'pause' };

/** Returns the longest delay of words after their voice. */
export const wordsMs = ({ numbers, givesWordsEarly }: Pick<Known, 'numbers' | 'givesWordsEarly'>): number =>
  givesWordsEarly ? numbers.wordsMs : numbers.sentenceWordsMs;

const whileVoiced = (turn: Turn, voicedSince: number, known: Known): Step | null => {
  const { numbers, givesWordsEarly } = known;
  if (hasWords(textOf(turn))) {
    // After this time the voice would have produced words, so the sound is something else.
    const at = Math.max(turn.wordsAt, voicedSince) + numbers.wordsMs;
    return givesWordsEarly ? { at, does: 'close' } : null;
  }
  if (givesWordsEarly || turn.wasReported || (known.hearsSpeech && turn.beganOverAgent)) return null;
  return { at: voicedSince + numbers.lastingVoiceMs - turn.voicedMs, does: 'speech' };
};

/** Returns when a turn with words since its last voice ends. */
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

/** Returns the next step; `null` if it depends on the voice or the recognizer. */
export const nextStep = (turn: Turn, known: Known): Step | null =>
  turn.voicedSince === null ? inSilence(turn, known) : whileVoiced(turn, turn.voicedSince, known);
