/**
 * Detects who answered an outbound call (`answering-evidence.ts`) and when a machine takes a message
 * (`message-wait.ts`). The call does not wait for the verdict, so detection prefers certainty to speed: mistaking a
 * person for a machine is the worse error.
 *
 * After call screening, a person or a voicemail may follow. A whole turn with other words identifies which of the two.
 *
 * While the agent speaks, the audio level is little evidence, and words without a voice may be the agent's echo.
 */
import type { AnsweredBy } from '#machines/line.ts';
import type { LineTime } from '../line-time.ts';
import {
  createAnsweringEvidence,
  type AnsweringEvidence,
  type EvidenceNumbers,
} from './answering-evidence.ts';
import { behindScreening } from './answering-phrases.ts';
import { createCounterpartyVoice } from './counterparty-voice.ts';
import { createMessageWait, type MessageNumbers } from './message-wait.ts';
import { hasWords } from './turn.ts';

export type AnsweringNumbers = EvidenceNumbers &
  MessageNumbers &
  Readonly<{
    /**
     * Longest delay of words after their voice, in milliseconds. Words without a voice before them are the agent's
     * echo.
     */
    lateWordsMs: number;
  }>;

export type AnsweringMachine = Pick<
  AnsweringEvidence,
  'voiceBegan' | 'voiceEnded' | 'recognized' | 'beep'
> & {
  /**
   * Processes a turn of the other party that has ended. This function must be called before other listeners handle the
   * turn.
   */
  heard(text: string): void;
  /** Whether more audio could change the verdict. */
  isCurious(): boolean;
  /** Stops detection. Idempotent. */
  stop(): void;
};

export type AnsweringMachineOptions = {
  numbers: AnsweringNumbers;
  /** Language of the call (BCP 47). */
  language: string;
  time: Pick<LineTime, 'now' | 'after' | 'since'>;
  isAgentAudible: () => boolean;
  on: {
    /** Called once, or a second time when another party follows after call screening. */
    answeredBy: (by: AnsweredBy) => void;
    /** Called after each beep of a machine, or once after a long silence. */
    takesMessage: () => void;
  };
};

/** Starts detection. Must be called at the answer. */
export const createAnsweringMachine = (options: AnsweringMachineOptions): AnsweringMachine => {
  const { numbers, time, isAgentAudible, on } = options;
  let phase: 'undecided' | 'screening' | 'machine' | 'over' = 'undecided';
  const voice = createCounterpartyVoice(time);
  const message = createMessageWait({ numbers, time, takesMessage: on.takesMessage });

  const verdict = (by: AnsweredBy | null): void => {
    phase = by === 'machine' || by === 'screening' ? by : 'over';
    if (by !== null) on.answeredBy(by);
    if (phase !== 'machine') return;
    if (evidence.beepedLast()) message.beeped();
    else if (!voice.isOn()) message.fellSilent();
  };
  const evidence = createAnsweringEvidence(options, voice, verdict);

  const isOwnVoice = (): boolean => isAgentAudible() && !voice.wasOn(numbers.lateWordsMs);

  return {
    voiceBegan() {
      voice.began();
      message.interrupted();
      if (phase === 'undecided') evidence.voiceBegan();
    },
    voiceEnded() {
      voice.ended(time.now());
      if (phase === 'undecided') evidence.voiceEnded();
      else if (phase === 'machine') message.fellSilent();
    },
    recognized(text, isFinal) {
      if (isOwnVoice() || !hasWords(text)) return;
      if (phase === 'undecided') evidence.recognized(text, isFinal);
      else if (phase === 'machine' && !voice.isOn()) message.fellSilent();
    },
    heard(text) {
      if (phase !== 'screening' || !hasWords(text)) return;
      const by = behindScreening(text, options.language);
      if (by !== null) verdict(by);
    },
    beep() {
      if (phase === 'undecided') evidence.beep();
      else if (phase === 'machine') message.beeped();
    },
    isCurious: () => phase !== 'over',
    stop() {
      phase = 'over';
      evidence.stop();
      message.stop();
    },
  };
};
