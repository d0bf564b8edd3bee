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
import { finishOf } from './finished.ts';
import { addWords, beginTurn, beginVoice, endVoice, hasWords, textOf, type Turn } from './turn.ts';

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

/** Words that were said whole, with wall-clock times. `endedAt` is missing where no voice was noticed or it sounds on. */
export type Heard = { text: string; startedAt: number; endedAt?: number; backchannel: boolean };

export type TurnTaking = {
  /** The other party's voice; times are wall-clock and may lie a moment back. */
  voiceBegan(at: number): void;
  voiceEnded(at: number): void;
  recognized(event: Exclude<RecognitionEvent, { type: 'failed' }>): void;
  /** Nothing more will be heard: what was said whole is reported. Idempotent. */
  end(): void;
};

type Step = { at: number; act: () => void };

export const createTurnTaking = (options: {
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
}): TurnTaking => {
  const { numbers, language, time, isAgentAudible, on } = options;
  let turn: Turn | null = null;
  let isVoiced = false;
  let lastVoiceAt = -Infinity;
  let givesWordsEarly = false;
  /** Words that were taken before they were settled; they come again. */
  let taken = '';
  let isOver = false;
  let cancelReview: Cancel = () => {};

  const report = (it: Turn): void => {
    if (it.wasReported) return;
    it.wasReported = true;
    on.speech();
  };

  /** Without words it was noise. */
  const close = (it: Turn, text: string): void => {
    turn = null;
    taken = it.partial.trim();
    if (!hasWords(text)) return;
    const isOverAgent = it.beganOverAgent && it.endedOverAgent;
    const backchannel = !it.wasReported && isOverAgent && isBackchannel(text, language);
    if (!backchannel) report(it);
    const isQuiet = it.hadVoice && it.voicedSince === null;
    const ended = isQuiet ? { endedAt: it.quietSince } : {};
    on.heard({ text, startedAt: it.startedAt, ...ended, backchannel });
  };

  const silenceFor = (it: Turn, text: string): number => {
    if (it.isComplete) return numbers.completeMs;
    const waits = { whole: numbers.wholeMs, open: numbers.openMs, unknown: numbers.usualMs };
    const wait = waits[finishOf(text, language)];
    return it.partial === '' ? wait : Math.max(wait, numbers.settleMs);
  };

  const patienceMs = (): number => (givesWordsEarly ? numbers.wordsMs : numbers.sentenceWordsMs);

  const whileVoiced = (it: Turn, voicedSince: number): Step | null => {
    const text = textOf(it);
    if (hasWords(text)) {
      // Words would come if the voice were speaking: something else sounds on behind them.
      const at = Math.max(it.wordsAt, voicedSince) + numbers.wordsMs;
      return givesWordsEarly ? { at, act: () => close(it, text) } : null;
    }
    if (givesWordsEarly || it.wasReported) return null;
    return { at: voicedSince + numbers.lastingVoiceMs - it.voicedMs, act: () => report(it) };
  };

  const inSilence = (it: Turn): Step => {
    const { quietSince } = it;
    if (!it.wasPauseTold && !it.isComplete) {
      const act = (): void => {
        it.wasPauseTold = true;
        on.pause();
      };
      return { at: quietSince + numbers.pauseMs, act };
    }
    const text = textOf(it);
    const wait = it.hasNewWords ? silenceFor(it, text) : patienceMs();
    return { at: quietSince + wait, act: () => close(it, text) };
  };

  /** What happens next if nobody says anything is due at its time. */
  const review = (): void => {
    cancelReview();
    if (turn === null) return;
    const step = turn.voicedSince === null ? inSilence(turn) : whileVoiced(turn, turn.voicedSince);
    if (step === null) return;
    cancelReview = time.after(Math.max(0, step.at - time.now()), () => {
      step.act();
      review();
    });
  };

  /** What is new of these words. */
  const newWords = (text: string, isFinal: boolean): string => {
    const before = taken;
    if (isFinal) taken = '';
    if (before === '') return text;
    if (text.startsWith(before)) return text.slice(before.length);
    // Settled they may read otherwise; without a new voice they are the same.
    return turn === null ? '' : text;
  };

  const takeWords = (text: string, isFinal: boolean): void => {
    const isNoticed = turn !== null || isVoiced || time.now() - lastVoiceAt <= patienceMs();
    if (!isNoticed && isAgentAudible()) return;
    if (turn === null && !hasWords(text)) return;
    turn ??= beginTurn(time.now(), isVoiced, isAgentAudible());
    addWords(turn, text, isFinal, time.now());
    const all = textOf(turn);
    if (hasWords(all) && !(turn.beganOverAgent && isBackchannel(all, language))) report(turn);
  };

  return {
    voiceBegan(at) {
      if (isOver) return;
      isVoiced = true;
      turn ??= beginTurn(at, true, isAgentAudible());
      beginVoice(turn, at);
      review();
    },
    voiceEnded(at) {
      isVoiced = false;
      lastVoiceAt = at;
      if (isOver || turn === null) return;
      endVoice(turn, at, isAgentAudible());
      review();
    },
    recognized(event) {
      if (isOver) return;
      if (event.type === 'turn-complete') {
        if (turn !== null) turn.isComplete = true;
      } else {
        const isFinal = event.type === 'final';
        if (!isFinal && hasWords(event.text)) givesWordsEarly = true;
        takeWords(newWords(event.text, isFinal), isFinal);
      }
      review();
    },
    end() {
      if (isOver) return;
      isOver = true;
      cancelReview();
      if (turn !== null) close(turn, turn.voicedSince === null ? textOf(turn) : turn.settled);
    },
  };
};
