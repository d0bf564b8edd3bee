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
  stop(): void;
};

/** A voice is looked at so often. */
const lookMs = 200;

export type AnsweringMachineOptions = {
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
};

/** How long the voice was on since it was last quiet, looked at every now and then while it is. */
const createVoiceMeter = (
  { time, isAgentAudible }: Pick<AnsweringMachineOptions, 'time' | 'isAgentAudible'>,
  /** Whether it is to be looked at again. */
  onLook: () => boolean,
) => {
  /** Without what sounded before the agent's voice, and with it. */
  let aloneMs = 0;
  let inAllMs = 0;
  let cancelLook: Cancel = () => {};

  const look = (): void => {
    cancelLook = time.after(lookMs, () => {
      aloneMs = isAgentAudible() ? 0 : aloneMs + lookMs;
      inAllMs += lookMs;
      if (onLook()) look();
    });
  };

  return {
    aloneMs: () => aloneMs,
    inAllMs: () => inAllMs,
    start(): void {
      cancelLook();
      look();
    },
    stop: (): void => cancelLook(),
    reset(): void {
      aloneMs = 0;
      inAllMs = 0;
    },
  };
};

/** When a machine takes a message: a moment behind each beep, or once after a long silence. */
const createMessageWait = ({
  numbers,
  time,
  on,
}: Pick<AnsweringMachineOptions, 'numbers' | 'time' | 'on'>) => {
  let tookMessage = false;
  let cancelWait: Cancel = () => {};
  return {
    tookMessage: () => tookMessage,
    afterBeep(): void {
      tookMessage = true;
      cancelWait();
      cancelWait = time.after(numbers.afterBeepMs, on.takesMessage);
    },
    afterSilence(): void {
      if (tookMessage) return;
      cancelWait();
      cancelWait = time.after(numbers.silentMs, () => {
        tookMessage = true;
        on.takesMessage();
      });
    },
    /** The silence was broken; a message that was promised behind a beep is taken all the same. */
    interrupted(): void {
      if (!tookMessage) cancelWait();
    },
    stop: (): void => cancelWait(),
  };
};

/** What was understood so far; words that are not final are replaced by those that come next. */
const createWords = (language: string) => {
  let settled = '';
  let partial = '';
  return {
    take(words: string, isFinal: boolean): void {
      if (isFinal) settled += ` ${words}`;
      partial = isFinal ? '' : words;
    },
    areThere: (): boolean => hasWords(`${settled} ${partial}`),
    areOfMachine: (): boolean => isSaidByMachine(`${settled} ${partial}`, language),
  };
};

/** Begins at the answer. */
export const createAnsweringMachine = (options: AnsweringMachineOptions): AnsweringMachine => {
  const { numbers, time, isAgentAudible, on } = options;
  let phase: 'undecided' | 'machine' | 'over' = 'undecided';
  let isVoiced = false;
  let lastVoiceAt = -Infinity;
  /** A tone was heard, and no voice behind it; it may prove to be a beep. */
  let beepedLast = false;
  let cancelQuiet: Cancel = () => {};
  let cancelLimit: Cancel | null = null;

  const words = createWords(options.language);
  const message = createMessageWait(options);
  const voice = createVoiceMeter(options, () => {
    review();
    return phase === 'undecided';
  });

  const stop = (): void => {
    phase = 'over';
    voice.stop();
    message.stop();
    cancelQuiet();
    cancelLimit?.();
  };

  const decide = (by: AnsweredBy): void => {
    stop();
    on.answeredBy(by);
    if (by === 'human') return;
    phase = 'machine';
    if (beepedLast) message.afterBeep();
    else if (!isVoiced) message.afterSilence();
  };

  const awaitQuiet = (): void => {
    cancelQuiet();
    if (phase === 'machine') message.afterSilence();
    if (phase !== 'undecided') return;
    cancelQuiet = time.after(numbers.quietMs, () => {
      voice.reset();
      if (words.areThere()) decide('human');
    });
  };

  const review = (): void => {
    if (phase !== 'undecided') return;
    const isGreeting = voice.aloneMs() >= numbers.greetingMs;
    const hasBeeped = beepedLast && voice.inAllMs() >= numbers.voiceBeforeBeepMs;
    if (words.areOfMachine() || (words.areThere() && (isGreeting || hasBeeped))) decide('machine');
  };

  return {
    voiceBegan() {
      isVoiced = true;
      cancelQuiet();
      message.interrupted();
      if (phase !== 'undecided') return;
      beepedLast = false;
      voice.start();
    },
    voiceEnded() {
      isVoiced = false;
      lastVoiceAt = time.now();
      voice.stop();
      awaitQuiet();
    },
    recognized(text, isFinal) {
      if (phase === 'over') return;
      const isOwn = isAgentAudible() && !isVoiced && time.since(lastVoiceAt) > numbers.lateWordsMs;
      if (isOwn || !hasWords(text)) return;
      if (phase === 'undecided') cancelLimit ??= time.after(numbers.decideWithinMs, stop);
      words.take(text, isFinal);
      review();
      if (!isVoiced) awaitQuiet();
    },
    beep() {
      beepedLast = true;
      if (phase === 'machine') message.afterBeep();
      else review();
    },
    isCurious: () => phase !== 'over',
    stop,
  };
};
