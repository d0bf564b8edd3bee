/**
 * Turn-taking: from the other party's voice (when it sounds), its words (as the recognizer finds them, late and in
 * pieces) and whether the agent is audible. All rules of endpointing, barge-in and backchannels are here; the numbers
 * are given.
 *
 * - A turn begins with a voice, or with words whose voice was too quiet to notice. It ends in silence, when whoever is to
 *   decide that takes it for over (`turn-end`), and with words: without them it was noise.
 * - Speech is words that are more than a backchannel over the agent's voice. Before a recognizer has shown that it gives
 *   words while they are spoken, a voice that lasts is speech, too; else nobody could interrupt an agent for whom
 *   sentences are recognized whole.
 * - A backchannel begins and ends while the agent is audible. What begins over its last sound and ends in silence is an
 *   answer.
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

/** Words that were said whole, with wall-clock times. `endedAt` is missing where no voice was noticed or it sounds on. */
export type Heard = { text: string; startedAt: number; endedAt?: number; backchannel: boolean };

export type TurnTaking = {
  /** The next sound of the other party. */
  write(samples: Int16Array): void;
  /** The other party's voice; times are wall-clock and may lie a moment back. */
  voiceBegan(at: number): void;
  voiceEnded(at: number): void;
  recognized(event: Exclude<RecognitionEvent, { type: 'failed' }>): void;
  /** What sounds now has sounded like speech for long. With an engine that gives words early, words say more. */
  speechLasts(): void;
  isTurnOpen(): boolean;
  /** What the recognizer has shown of itself; it is forgotten when another one gives the words of the next turn. */
  readonly words: Pick<NewWords, 'comeEarly' | 'forget'>;
  /** Nothing more will be heard: what was said whole is reported. Idempotent. */
  stop(): void;
};

export type TurnTakingOptions = {
  numbers: TurnNumbers;
  /** BCP 47; it may change between turns. */
  language: () => string;
  time: Pick<LineTime, 'now' | 'after' | 'since'>;
  /** Who decides that a turn is over. */
  openJudge: OpenTurnEndJudge;
  isAgentAudible: () => boolean;
  /** Whether `speechLasts` is told of what sounds over the agent's voice. */
  hearsSpeech: boolean;
  on: {
    /** The other party really speaks. */
    speech: () => void;
    heard: (heard: Heard) => void;
    /** A sentence may be over. */
    pause: () => void;
    /** The turn is over, and what was heard of it was told. */
    over: () => void;
  };
};

/** The words of a turn that is over; `null` without words: it was noise. */
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

/** Says of a turn that it is speech, that a sentence of it may be over, and what was heard of it at its end. */
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
    end(turn: Turn, text: string): void {
      words.take(turn.partial);
      const heard = heardIn(turn, text, language());
      if (heard?.backchannel === false) speech(turn);
      if (heard !== null) on.heard(heard);
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
    reports.end(it, text);
  };

  /** Waits for what happens next if nobody says anything. */
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

  /** Words that come without a voice while the agent speaks. */
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
