/**
 * Turn-taking: combines the other party's voice, its words (which arrive late and in pieces) and whether the agent is
 * audible. All rules of endpointing, barge-in and backchannels are here; thresholds are parameters.
 *
 * - A turn begins with a voice, or with words whose voice was too quiet to detect. A turn ends in silence when the
 *   judge (`turn-end`) decides so, and only with words; a voice without words was noise.
 * - Speech is words over the agent's voice that are more than a backchannel. Until a recognizer has returned words
 *   while they are spoken, a lasting voice is speech too; otherwise nobody could interrupt with an engine that
 *   recognizes whole sentences.
 * - A backchannel begins and ends while the agent is audible. Words that begin over the agent's last audio and end in
 *   silence are an answer.
 * - Words over the agent's voice without a voice of the other party are an echo.
 */
import { isBackchannel } from '#src/domain/backchannels.ts';
import { createAlarm, type LineTime } from '../line-time.ts';
import type { RecognitionEvent } from '../speech.ts';
import { createCounterpartyVoice } from './counterparty-voice.ts';
import { nextStep, wordsMs, type TurnNumbers } from './endpointing.ts';
import { createNewWords, type NewWords } from './new-words.ts';
import type { OpenTurnEndJudge } from './turn-end/judge.ts';
import { addWords, beginTurn, beginVoice, endVoice, hasWords, textOf, type Turn } from './turn.ts';

/** A finished turn with wall-clock times. `endedAt` is missing if no voice was detected or the voice continues. */
export type Heard = { text: string; startedAt: number; endedAt?: number; backchannel: boolean };

export type TurnTaking = {
  /** Processes the next audio of the other party. */
  write(samples: Int16Array): void;
  /** Process voice events of the other party. Times are wall-clock and may be in the past. */
  voiceBegan(at: number): void;
  voiceEnded(at: number): void;
  recognized(event: Exclude<RecognitionEvent, { type: 'failed' }>): void;
  /**
   * Called when the current voice has sounded like speech for long. If the engine returns words early, words are the
   * better evidence.
   */
  speechLasts(): void;
  isTurnOpen(): boolean;
  /** Returns the words of the open turn as recognized so far; empty without words. */
  hearing(): string;
  /** Properties that the recognizer has shown; reset when another recognizer returns the next turn. */
  readonly words: Pick<NewWords, 'comeEarly' | 'forget'>;
  /** Ends listening and reports a finished turn. Idempotent. */
  stop(): void;
};

export type TurnTakingOptions = {
  numbers: TurnNumbers;
  /** Language of the call (BCP 47), which may change between turns. */
  language: () => string;
  time: Pick<LineTime, 'now' | 'after' | 'since'>;
  /** Opens the judge that decides when a turn is over. */
  openJudge: OpenTurnEndJudge;
  isAgentAudible: () => boolean;
  /** Whether `speechLasts` is called for voices over the agent's. */
  hearsSpeech: boolean;
  on: {
    /** Called when the other party is speaking. */
    speech: () => void;
    heard: (heard: Heard) => void;
    /** Called when a turn that was reported as speech has ended without words. */
    noWords: () => void;
    /** Called when a sentence may be over. */
    pause: () => void;
    /** Called when the turn has ended and was reported. */
    over: () => void;
  };
};

/** Returns the words of an ended turn; `null` if the turn was noise. */
const heardIn = (turn: Turn, text: string, language: string): Heard | null => {
  if (!hasWords(text)) return null;
  const isOverAgent = turn.beganOverAgent && turn.endedOverAgent;
  const backchannel = !turn.wasReported && isOverAgent && isBackchannel(text, language);
  const isQuiet = turn.hadVoice && turn.voicedSince === null;
  const ended = isQuiet ? { endedAt: turn.quietSince } : {};
  return { text, startedAt: turn.startedAt, ...ended, backchannel };
};

/** Whether words over the agent's voice are more than a backchannel. */
const isSpeech = (turn: Turn, language: string): boolean => {
  const text = textOf(turn);
  return hasWords(text) && !(turn.beganOverAgent && isBackchannel(text, language));
};

/** Reports speech, a possible sentence end, and the words at the end of a turn. */
const createReports = (
  { language, on }: Pick<TurnTakingOptions, 'language' | 'on'>,
  words: Pick<NewWords, 'take'>,
) => {
  const speech = (turn: Turn): void => {
    if (!turn.wasReported) on.speech();
    turn.wasReported = true;
  };
  return {
    speech,
    pause(turn: Turn): void {
      turn.wasPauseTold = true;
      on.pause();
    },
    /** `isStopped`: listening ends with this turn, of which only words are reported. */
    end(turn: Turn, text: string, isStopped: boolean): void {
      words.take(turn.partial);
      const heard = heardIn(turn, text, language());
      if (heard?.backchannel === false) speech(turn);
      if (heard !== null) on.heard(heard);
      else if (turn.wasReported && !isStopped) on.noWords();
      on.over();
    },
  };
};

export const createTurnTaking = (options: TurnTakingOptions): TurnTaking => {
  const { numbers, language, time, isAgentAudible, hearsSpeech } = options;
  const words = createNewWords();
  const reports = createReports(options, words);
  const voice = createCounterpartyVoice(time);
  const alarm = createAlarm(time);
  let turn: Turn | null = null;
  let isOver = false;

  const close = (it: Turn, text: string): void => {
    turn = null;
    reports.end(it, text, isOver);
  };

  /** Schedules the next step, which is taken if the other party stays silent. */
  const review = (): void => {
    alarm.cancel();
    if (turn === null) return;
    const it = turn;
    const step = nextStep(it, { numbers, judge, givesWordsEarly: words.comeEarly(), hearsSpeech });
    if (step === null) return;
    alarm.set(Math.max(0, step.at - time.now()), () => {
      if (step.does === 'close') close(it, textOf(it));
      else reports[step.does](it);
      review();
    });
  };

  const judge = options.openJudge(review);

  /** Whether words are an echo: they arrive without a voice while the agent speaks. */
  const areEcho = (): boolean =>
    !voice.wasOn(wordsMs({ numbers, givesWordsEarly: words.comeEarly() })) && isAgentAudible();

  const takeWords = (text: string, isFinal: boolean): void => {
    if (turn === null && (areEcho() || !hasWords(text))) return;
    turn ??= beginTurn(time.now(), voice.isOn(), isAgentAudible());
    addWords(turn, text, isFinal, time.now());
    if (isSpeech(turn, language())) reports.speech(turn);
  };

  return {
    voiceBegan(at) {
      if (isOver) return;
      voice.began();
      judge.voiceBegan();
      turn ??= beginTurn(at, true, isAgentAudible());
      beginVoice(turn, at);
      review();
    },
    voiceEnded(at) {
      voice.ended(at);
      if (isOver || turn === null) return;
      endVoice(turn, at, isAgentAudible());
      judge.voiceEnded(at, turn.startedAt);
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
    write: judge.write,
    isTurnOpen: () => turn !== null,
    hearing: () => (turn === null ? '' : textOf(turn)),
    words,
    speechLasts() {
      if (turn !== null && !words.comeEarly()) reports.speech(turn);
    },
    stop() {
      if (isOver) return;
      isOver = true;
      alarm.cancel();
      judge.close();
      if (turn !== null) close(turn, turn.voicedSince === null ? textOf(turn) : turn.settled);
    },
  };
};
