/**
 * Evidence that tells a person from a machine, from the answer on until one of both is sure:
 *
 * - What only machines say is said by a machine; what call screening or a menu says, by them.
 * - A tone behind words that took a while is a machine's beep, also when the words become known behind it.
 * - A voice with words that goes on and on while the agent is silent is a greeting, but for one that offers help: that is a
 *   receptionist's. Who picks up says a word and waits.
 * - Words and then silence are a person's.
 * - What is still not clear a while after the first words stays so: a conversation has begun.
 */
import type { AnsweredBy } from '#machines/line.ts';
import { createAlarm, type LineTime } from '../line-time.ts';
import { offersHelp, saidByMachine } from './answering-phrases.ts';
import type { CounterpartyVoice } from './counterparty-voice.ts';
import { hasWords } from './turn.ts';

export type EvidenceNumbers = Readonly<{
  /** Counted from the first words. */
  decideWithinMs: number;
  /** A voice with words that goes on for so long is a greeting. */
  greetingMs: number;
  /** Words behind which it is silent for so long were a person's. */
  quietMs: number;
  /** A tone is a beep when words sounded for so long before it. */
  voiceBeforeBeepMs: number;
}>;

export type AnsweringEvidence = {
  voiceBegan(): void;
  voiceEnded(): void;
  /** Words as a recognizer gives them: a later event replaces what is not final. */
  recognized(text: string, isFinal: boolean): void;
  /** A tone was heard that sounds like a beep. */
  beep(): void;
  /** Whether a tone was heard, and no voice behind it. */
  beepedLast(): boolean;
  /** Nothing more is asked. */
  stop(): void;
};

export type EvidenceOptions = {
  numbers: EvidenceNumbers;
  /** BCP 47. */
  language: string;
  time: Pick<LineTime, 'after'>;
  isAgentAudible: () => boolean;
};

/** A voice is looked at so often. */
const lookMs = 200;

/** Measures how long the voice is on since it was last quiet, every now and then while it is. */
const createVoiceMeter = (
  { time, isAgentAudible }: Pick<EvidenceOptions, 'time' | 'isAgentAudible'>,
  onLook: () => void,
) => {
  const alarm = createAlarm(time);
  /** Without what sounded before the agent's voice, and with it. */
  let aloneMs = 0;
  let inAllMs = 0;

  const start = (): void =>
    alarm.set(lookMs, () => {
      aloneMs = isAgentAudible() ? 0 : aloneMs + lookMs;
      inAllMs += lookMs;
      start();
      onLook();
    });

  return {
    aloneMs: () => aloneMs,
    inAllMs: () => inAllMs,
    start,
    stop: () => alarm.cancel(),
    reset(): void {
      aloneMs = 0;
      inAllMs = 0;
    },
  };
};

/** The words so far; those that are not final are replaced by those that come next. */
const createWords = (language: string) => {
  let settled = '';
  let partial = '';
  return {
    take(words: string, isFinal: boolean): void {
      if (isFinal) settled += ` ${words}`;
      partial = isFinal ? '' : words;
    },
    areThere: (): boolean => hasWords(`${settled} ${partial}`),
    saidBy: (): ReturnType<typeof saidByMachine> => saidByMachine(`${settled} ${partial}`, language),
    offerHelp: (): boolean => offersHelp(`${settled} ${partial}`, language),
  };
};

export const createAnsweringEvidence = (
  options: EvidenceOptions,
  voice: Pick<CounterpartyVoice, 'isOn'>,
  /** Called once at most; `null`: it stays unclear. Nothing is asked any more. */
  onVerdict: (by: AnsweredBy | null) => void,
): AnsweringEvidence => {
  const { numbers, time } = options;
  const words = createWords(options.language);
  const meter = createVoiceMeter(options, () => review());
  const quiet = createAlarm(time);
  const limit = createAlarm(time);
  let isBeepLast = false;

  const stop = (): void => {
    meter.stop();
    quiet.cancel();
    limit.cancel();
  };

  const decide = (by: AnsweredBy | null): void => {
    stop();
    onVerdict(by);
  };

  const review = (): void => {
    const saidBy = words.saidBy();
    if (saidBy !== null) return decide(saidBy);
    const isGreeting = meter.aloneMs() >= numbers.greetingMs && !words.offerHelp();
    const hasBeeped = isBeepLast && meter.inAllMs() >= numbers.voiceBeforeBeepMs;
    if (words.areThere() && (isGreeting || hasBeeped)) decide('machine');
  };

  const awaitQuiet = (): void =>
    quiet.set(numbers.quietMs, () => {
      meter.reset();
      if (words.areThere()) decide('human');
    });

  return {
    voiceBegan() {
      isBeepLast = false;
      quiet.cancel();
      meter.start();
    },
    voiceEnded() {
      meter.stop();
      awaitQuiet();
    },
    recognized(text, isFinal) {
      if (!words.areThere()) limit.set(numbers.decideWithinMs, () => decide(null));
      if (!voice.isOn()) awaitQuiet();
      words.take(text, isFinal);
      review();
    },
    beep() {
      isBeepLast = true;
      review();
    },
    beepedLast: () => isBeepLast,
    stop,
  };
};
