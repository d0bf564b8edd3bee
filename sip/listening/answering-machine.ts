/**
 * Finds out who has picked up an outbound call, a person, a machine or call screening (`answering-evidence.ts`), and when
 * a machine takes a message (`message-wait.ts`), from what the other party lets hear. Nothing waits for the verdict, so it
 * takes its time; to take a person for a machine is the worse mistake.
 *
 * Behind call screening somebody else may come: who says something else in a whole turn is a person, or a machine.
 *
 * While the agent speaks the other party's energy says little; words over it count only with a voice, as they may be an
 * echo.
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
    /** Words may come so long after their voice; without one they are the agent's own. */
    lateWordsMs: number;
  }>;

export type AnsweringMachine = Pick<
  AnsweringEvidence,
  'voiceBegan' | 'voiceEnded' | 'recognized' | 'beep'
> & {
  /** The other party's turn is over, with these words. To be told before anybody else hears of it. */
  heard(text: string): void;
  /** Whether more of the call would tell anything. */
  isCurious(): boolean;
  /** Nothing more is said. Idempotent. */
  stop(): void;
};

export type AnsweringMachineOptions = {
  numbers: AnsweringNumbers;
  /** BCP 47. */
  language: string;
  time: Pick<LineTime, 'now' | 'after' | 'since'>;
  isAgentAudible: () => boolean;
  on: {
    /** Once at most, but for call screening, behind which another one may follow. */
    answeredBy: (by: AnsweredBy) => void;
    /** After each beep, or once after a long silence; only of a machine. */
    takesMessage: () => void;
  };
};

/** Begins at the answer. */
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
