/**
 * Who has picked up an outbound call, a person or a machine, from what the other party lets hear. Nothing waits for the
 * verdict, so it takes its time; to take a person for a machine is the worse mistake.
 *
 * - What only machines say is said by a machine.
 * - A tone behind words that took a while is a machine's beep, also when the words become known behind it.
 * - A voice with words that goes on and on while the agent is silent is a greeting. Who picks up says a word and waits.
 * - Words and then silence are a person's.
 * - What is still not clear a while after the first words stays so: a conversation has begun.
 *
 * While the agent speaks the other party's energy says little; words over it count only with a voice, as they may be an
 * echo.
 */
import type { AnsweredBy } from '#machines/line.ts';
import type { Cancel, LineTime } from '../line-time.ts';
import { isSaidByMachine } from './answering-phrases.ts';
import { hasWords } from './turn.ts';

export type AnsweringNumbers = Readonly<{
  /** Counted from the first words. */
  decideWithinMs: number;
  /** A voice with words that goes on for so long is a greeting. */
  greetingMs: number;
  /** Words behind which it is silent for so long were a person's. */
  quietMs: number;
  /** A tone is a beep when words sounded for so long before it. */
  voiceBeforeBeepMs: number;
  /** Machines may need a moment behind their beep until they record. */
  afterBeepMs: number;
  /** A machine that was silent for so long takes a message without a beep. */
  silentMs: number;
  /** Words may come so long after their voice; without one they are the agent's own. */
  lateWordsMs: number;
}>;

export type AnsweringMachine = {
  voiceBegan(): void;
  voiceEnded(): void;
  /** Words as a recognizer gives them: a later event replaces what is not final. */
  recognized(text: string, isFinal: boolean): void;
  /** A tone was heard that sounds like a beep. */
  beep(): void;
  /** Whether more of the call would tell anything. */
  isCurious(): boolean;
  /** Nothing more is said. Idempotent. */
  end(): void;
};

/** A voice is looked at so often. */
const lookMs = 200;

/** Begins at the answer. */
export const createAnsweringMachine = (options: {
  numbers: AnsweringNumbers;
  /** BCP 47. */
  language: string;
  time: Pick<LineTime, 'now' | 'after' | 'since'>;
  isAgentAudible: () => boolean;
  on: {
    /** Once at most. */
    answeredBy: (by: AnsweredBy) => void;
    /** After each beep, or once after a long silence; only of a machine. */
    takesMessage: () => void;
  };
}): AnsweringMachine => {
  const { numbers, language, time, isAgentAudible, on } = options;
  let phase: 'undecided' | 'machine' | 'over' = 'undecided';
  let settled = '';
  let partial = '';
  let isVoiced = false;
  let lastVoiceAt = -Infinity;
  /** How long the voice was on since it was last quiet, without what sounded before the agent's, and with it. */
  let voicedMs = 0;
  let voicedInAllMs = 0;
  /** A tone was heard, and no voice behind it; it may prove to be a beep. */
  let beepedLast = false;
  let tookMessage = false;
  let cancelLook: Cancel = () => {};
  let cancelQuiet: Cancel = () => {};
  let cancelLimit: Cancel | null = null;

  const text = (): string => `${settled} ${partial}`;

  const end = (): void => {
    phase = 'over';
    cancelLook();
    cancelQuiet();
    cancelLimit?.();
  };

  const decide = (by: AnsweredBy): void => {
    end();
    on.answeredBy(by);
    if (by === 'human') return;
    phase = 'machine';
    if (beepedLast) takeMessageSoon();
    else if (!isVoiced) awaitQuiet();
  };

  const takeMessageSoon = (): void => {
    tookMessage = true;
    cancelQuiet();
    cancelQuiet = time.after(numbers.afterBeepMs, on.takesMessage);
  };

  const awaitQuiet = (): void => {
    if (tookMessage) return;
    cancelQuiet();
    if (phase === 'undecided')
      cancelQuiet = time.after(numbers.quietMs, () => {
        voicedMs = 0;
        voicedInAllMs = 0;
        if (hasWords(text())) decide('human');
      });
    else if (phase === 'machine')
      cancelQuiet = time.after(numbers.silentMs, () => {
        tookMessage = true;
        on.takesMessage();
      });
  };

  const review = (): void => {
    if (phase !== 'undecided') return;
    const isGreeting = voicedMs >= numbers.greetingMs && hasWords(text());
    const hasBeeped = beepedLast && voicedInAllMs >= numbers.voiceBeforeBeepMs && hasWords(text());
    if (isGreeting || hasBeeped || isSaidByMachine(text(), language)) decide('machine');
  };

  const look = (): void => {
    cancelLook = time.after(lookMs, () => {
      voicedMs = isAgentAudible() ? 0 : voicedMs + lookMs;
      voicedInAllMs += lookMs;
      review();
      if (phase === 'undecided') look();
    });
  };

  return {
    voiceBegan() {
      isVoiced = true;
      if (phase === 'undecided') beepedLast = false;
      if (!tookMessage) cancelQuiet();
      cancelLook();
      if (phase === 'undecided') look();
    },
    voiceEnded() {
      isVoiced = false;
      lastVoiceAt = time.now();
      cancelLook();
      awaitQuiet();
    },
    recognized(words, isFinal) {
      if (phase === 'over') return;
      const isOwn = isAgentAudible() && !isVoiced && time.since(lastVoiceAt) > numbers.lateWordsMs;
      if (isOwn || !hasWords(words)) return;
      if (phase === 'undecided') cancelLimit ??= time.after(numbers.decideWithinMs, end);
      if (isFinal) settled += ` ${words}`;
      partial = isFinal ? '' : words;
      review();
      if (!isVoiced) awaitQuiet();
    },
    beep() {
      beepedLast = true;
      if (phase === 'undecided') review();
      else if (phase === 'machine') takeMessageSoon();
    },
    isCurious: () => phase !== 'over',
    end,
  };
};
