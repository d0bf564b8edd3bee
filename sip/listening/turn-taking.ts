/**
 * Whose turn it is, from the other party's voice (when it sounds), its words (as the recognizer finds them, late and in
 * pieces) and whether the agent is audible. All rules of endpointing, barge-in and backchannels are here; the numbers
 * are given.
 *
 * - A turn begins with a voice, or with words whose voice was too quiet to notice. It ends after a silence, which is
 *   short when the words sound finished and long when they want to go on, and with words: without them it was noise.
 * - Speech is words that are more than a backchannel over the agent's voice. Before a recognizer has shown that it gives
 *   words while they are spoken, a voice that lasts is speech, too; else nobody could interrupt an agent for whom
 *   sentences are recognized whole.
 * - A backchannel begins and ends while the agent is audible. What begins over its last sound and ends in silence is an
 *   answer.
 * - Words over the agent's voice without a voice of the other party are an echo.
 */
import { isBackchannel } from '#src/domain/backchannels.ts';
import type { Cancel, LineTime } from '../line-time.ts';
import type { RecognitionEvent } from '../speech.ts';
import { nextStep, wordsMs, type Step, type TurnNumbers } from './endpointing.ts';
import { addWords, beginTurn, beginVoice, endVoice, hasWords, textOf, type Turn } from './turn.ts';

/** Words that were said whole, with wall-clock times. `endedAt` is missing where no voice was noticed or it sounds on. */
export type Heard = { text: string; startedAt: number; endedAt?: number; backchannel: boolean };

export type TurnTaking = {
  /** The other party's voice; times are wall-clock and may lie a moment back. */
  voiceBegan(at: number): void;
  voiceEnded(at: number): void;
  recognized(event: Exclude<RecognitionEvent, { type: 'failed' }>): void;
  /** Nothing more will be heard: what was said whole is reported. Idempotent. */
  stop(): void;
};

/** What is new of the words that a recognizer gives. */
const createWords = () => {
  /** Words that were taken before they were settled; they come again. */
  let taken = '';
  let comeEarly = false;
  return {
    /** Whether some came while they were spoken. */
    comeEarly: (): boolean => comeEarly,
    /** A turn has ended with these words, which may not be settled. */
    take(partial: string): void {
      taken = partial.trim();
    },
    /** `hasTurn`: a voice has begun since. */
    newOf(text: string, isFinal: boolean, hasTurn: boolean): string {
      if (!isFinal && hasWords(text)) comeEarly = true;
      const before = taken;
      if (isFinal) taken = '';
      if (before === '') return text;
      if (text.startsWith(before)) return text.slice(before.length);
      // Settled they may read otherwise; without a new voice they are the same.
      return hasTurn ? text : '';
    },
  };
};

export type TurnTakingOptions = {
  numbers: TurnNumbers;
  /** BCP 47. */
  language: string;
  time: Pick<LineTime, 'now' | 'after'>;
  isAgentAudible: () => boolean;
  on: {
    /** The other party really speaks. */
    speech: () => void;
    heard: (heard: Heard) => void;
    /** A sentence may be over. */
    pause: () => void;
  };
};

/** What was heard of a turn that is over; `null` without words: it was noise. */
const heardIn = (turn: Turn, text: string, language: string): Heard | null => {
  if (!hasWords(text)) return null;
  const isOverAgent = turn.beganOverAgent && turn.endedOverAgent;
  const backchannel = !turn.wasReported && isOverAgent && isBackchannel(text, language);
  const isQuiet = turn.hadVoice && turn.voicedSince === null;
  const ended = isQuiet ? { endedAt: turn.quietSince } : {};
  return { text, startedAt: turn.startedAt, ...ended, backchannel };
};

/** Words that are more than a backchannel over the agent's voice. */
const isSpeech = (turn: Turn, language: string): boolean => {
  const text = textOf(turn);
  return hasWords(text) && !(turn.beganOverAgent && isBackchannel(text, language));
};

/** The voice of the other party: whether it sounds, and when it did. */
const createVoice = (time: Pick<LineTime, 'now'>) => {
  let isOn = false;
  let lastAt = -Infinity;
  return {
    isOn: (): boolean => isOn,
    began(): void {
      isOn = true;
    },
    ended(at: number): void {
      isOn = false;
      lastAt = at;
    },
    /** Whether it sounds, or did within so many milliseconds. */
    wasOn: (withinMs: number): boolean => isOn || time.now() - lastAt <= withinMs,
  };
};

export const createTurnTaking = (options: TurnTakingOptions): TurnTaking => {
  const { numbers, language, time, isAgentAudible, on } = options;
  const words = createWords();
  const voice = createVoice(time);
  let turn: Turn | null = null;
  let isOver = false;
  let cancelReview: Cancel = () => {};

  const report = (it: Turn): void => {
    if (!it.wasReported) on.speech();
    it.wasReported = true;
  };

  const close = (it: Turn, text: string): void => {
    turn = null;
    words.take(it.partial);
    const heard = heardIn(it, text, language);
    if (heard === null) return;
    if (!heard.backchannel) report(it);
    on.heard(heard);
  };

  const perform = (it: Turn, { does }: Step): void => {
    if (does === 'close') return close(it, textOf(it));
    if (does === 'report') return report(it);
    it.wasPauseTold = true;
    return on.pause();
  };

  /** Waits for what happens next if nobody says anything. */
  const review = (): void => {
    cancelReview();
    if (turn === null) return;
    const it = turn;
    const step = nextStep(it, { numbers, language, givesWordsEarly: words.comeEarly() });
    if (step === null) return;
    cancelReview = time.after(Math.max(0, step.at - time.now()), () => {
      perform(it, step);
      review();
    });
  };

  const takeWords = (text: string, isFinal: boolean): void => {
    const patienceMs = wordsMs({ numbers, givesWordsEarly: words.comeEarly() });
    if (turn === null && !voice.wasOn(patienceMs) && isAgentAudible()) return;
    if (turn === null && !hasWords(text)) return;
    turn ??= beginTurn(time.now(), voice.isOn(), isAgentAudible());
    addWords(turn, text, isFinal, time.now());
    if (isSpeech(turn, language)) report(turn);
  };

  return {
    voiceBegan(at) {
      if (isOver) return;
      voice.began();
      turn ??= beginTurn(at, true, isAgentAudible());
      beginVoice(turn, at);
      review();
    },
    voiceEnded(at) {
      voice.ended(at);
      if (isOver || turn === null) return;
      endVoice(turn, at, isAgentAudible());
      review();
    },
    recognized(event) {
      if (isOver) return;
      if (event.type !== 'turn-complete') {
        const isFinal = event.type === 'final';
        takeWords(words.newOf(event.text, isFinal, turn !== null), isFinal);
      } else if (turn !== null) turn.isComplete = true;
      review();
    },
    stop() {
      if (isOver) return;
      isOver = true;
      cancelReview();
      if (turn !== null) close(turn, turn.voicedSince === null ? textOf(turn) : turn.settled);
    },
  };
};
