/**
 * Finds out who has picked up an outbound call, a person or a machine (`answering-evidence.ts`), and when a machine
 * takes a message (`message-wait.ts`), from what the other party lets hear. Nothing waits for the verdict, so it takes
 * its time; to take a person for a machine is the worse mistake.
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
    /** Once at most. */
    answeredBy: (by: AnsweredBy) => void;
    /** After each beep, or once after a long silence; only of a machine. */
    takesMessage: () => void;
  };
};

/** Begins at the answer. */
export const createAnsweringMachine = (options: AnsweringMachineOptions): AnsweringMachine => {
  const { numbers, time, isAgentAudible, on } = options;
  let phase: 'undecided' | 'machine' | 'over' = 'undecided';
  const voice = createCounterpartyVoice(time);
  const message = createMessageWait({ numbers, time, takesMessage: on.takesMessage });

  const evidence = createAnsweringEvidence(options, voice, (by) => {
    phase = by === 'machine' ? 'machine' : 'over';
    if (by !== null) on.answeredBy(by);
    if (phase !== 'machine') return;
    if (evidence.beepedLast()) message.beeped();
    else if (!voice.isOn()) message.fellSilent();
  });

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
