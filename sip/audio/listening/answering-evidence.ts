/**
 * Evidence for who answered a call, collected from the answer until the verdict is certain:
 *
 * - Phrases of announcements identify a machine, call screening or a menu.
 * - A tone after a stretch of words is a voicemail beep, also when the words are recognized after the tone.
 * - A long voice with words while the agent is silent is a recorded greeting, unless it offers help, as receptionists
 *   do. A person says a word and waits.
 * - Words followed by silence come from a person.
 * - No verdict some time after the first words: the answerer stays unknown, because a conversation has begun.
 */
import type { AnsweredBy } from '#machines/line.ts';
import { createAlarm, type LineTime } from '../line-time.ts';
import { offersHelp, saidByMachine } from './answering-phrases.ts';
import type { CounterpartyVoice } from './counterparty-voice.ts';
import { hasWords } from './turn.ts';

export type EvidenceNumbers = Readonly<{
  /** Time in milliseconds from the first words after which the answerer stays unknown. */
  decideWithinMs: number;
  /** Duration from which a voice with words counts as a recorded greeting. */
  greetingMs: number;
  /** Silence after words that identifies a person. */
  quietMs: number;
  /** Minimum duration in milliseconds of a voice before a tone that counts as a beep. */
  voiceBeforeBeepMs: number;
}>;

export type AnsweringEvidence = {
  voiceBegan(): void;
  voiceEnded(): void;
  /** Processes recognized words. A later event replaces words that are not final. */
  recognized(text: string, isFinal: boolean): void;
  /** Processes a tone that sounds like a beep. */
  beep(): void;
  /** Whether the last sound was a tone. */
  beepedLast(): boolean;
  /** Cancels the timers. */
  stop(): void;
};

export type EvidenceOptions = {
  numbers: EvidenceNumbers;
  /** Language of the call (BCP 47). */
  language: string;
  time: Pick<LineTime, 'after'>;
  isAgentAudible: () => boolean;
};

/** Interval in milliseconds at which a voice that continues is measured. */
const lookMs = 200;

/** Measures how long the current voice has lasted. */
const createVoiceMeter = (
  { time, isAgentAudible }: Pick<EvidenceOptions, 'time' | 'isAgentAudible'>,
  onLook: () => void,
) => {
  const alarm = createAlarm(time);
  /** Duration of the voice without the part that overlapped the agent's voice, and the total duration. */
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

/** All words so far. Words that are not final are replaced by the next ones. */
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
  /** Called at most once. `null` means that the answerer stays unknown. */
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
