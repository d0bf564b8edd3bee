/**
 * The voices on a simulated line while it is answered: what the agent says and what the far end says, both recorded, and
 * listened to for what kind of voice has answered.
 */
import type { AnsweredBy, BargeIn, LineReport } from '#machines/line.ts';
import {
  createAnsweringMachine,
  type AnsweringMachine,
  type AnsweringNumbers,
} from '../listening/answering-machine.ts';
import type { Cancel, LineTime } from '../line-time.ts';
import type { TimelineRecorder } from './call-timeline.ts';
import { createSimulatedPlayout, type SimulatedPlayout } from './simulated-playout.ts';
import { createSpeech, type Speech, type SpeechEvents } from './simulated-speech.ts';

/** Who has said something and then waits is a person: it is told after this. */
export const waitsMs = 500;

export type VoicesOptions = {
  time: LineTime;
  /** BCP 47, what the far end speaks. */
  language: string;
  bargeIn: BargeIn;
  /** How it is found out who has picked up; `null` where nobody asks, `human` where it is known. */
  answering: AnsweringNumbers | 'human' | null;
  /** Begins the recording of a call that was just answered; `null` when it is not recorded. */
  record: () => TimelineRecorder | null;
  report: (report: LineReport) => void;
  /** Somebody begins or ceases to speak. */
  onChange: () => void;
};

export type Voices = {
  readonly agent: SimulatedPlayout;
  readonly counterparty: Speech;
  /** The call was answered: it is recorded and listened to from now on. */
  begin(): void;
  /** What was understood of sound that was carried, in order. */
  wordsHeard(): readonly string[];
  /** The beep of an answering machine is over. */
  beep(): void;
  /** The hold tone for the other party while a person is rung for it, where sound is carried. */
  readonly holdTone: { begin(): void; end(): void };
  /** The other party talks with somebody else from now on: the agent is silent, and nobody listens. */
  handOver(): void;
  pauseRecording(): void;
  resumeRecording(): void;
  /** Of keys that are pressed; only voices that are carried have any. */
  hideTones(): void;
  showTones(): void;
  /** The call goes on elsewhere, and its recording with it. Otherwise as `close`. */
  leave(): void;
  /** Nobody is heard any more; what was cut is reported. */
  close(): void;
};

export const createVoices = (options: VoicesOptions): Voices => {
  const { time, language, bargeIn, answering, report, onChange } = options;
  let recording: TimelineRecorder | null = null;
  /** From the answer until it is known who has answered, where a person has; made when there is something to hear. */
  let answerer: 'nobody asks' | 'nothing heard' | AnsweringMachine = 'nobody asks';
  let cancelWaiting: Cancel | null = null;

  const answeredBy = (by: AnsweredBy): void => report({ type: 'line.answered_by', by });
  const takesMessage = (): void => report({ type: 'line.takes_message' });
  const isAgentAudible = (): boolean => agent.voice() !== null;

  const agent = createSimulatedPlayout(time, {
    played: (played) => report({ type: 'line.played', ...played }),
    stretch(stretch) {
      if (stretch.text !== '') recording?.add({ party: 'agent', ...stretch });
    },
    change: onChange,
  });

  const tellAnswerer = (tell: (asked: AnsweringMachine) => void): void => {
    if (answerer === 'nobody asks' || answering === null || answering === 'human') return;
    const on = { answeredBy, takesMessage };
    const asked =
      answerer === 'nothing heard'
        ? createAnsweringMachine({ numbers: answering, language, time, isAgentAudible, on })
        : answerer;
    answerer = asked;
    tell(asked);
    if (!asked.isCurious()) answerer = 'nobody asks';
  };

  const on: SpeechEvents = {
    begun: () => report({ type: 'line.speech' }),
    onset: () => report({ type: 'line.onset' }),
    noSpeech: () => report({ type: 'line.no_speech' }),
    heard(heard) {
      tellAnswerer((asked) => asked.heard(heard.text));
      report({ type: 'line.heard', ...heard });
      if (answering === 'human') cancelWaiting ??= time.after(waitsMs, () => answeredBy('human'));
    },
    sounded(sounded) {
      if (sounded.text !== '') recording?.add({ party: 'counterparty', language, ...sounded });
    },
    change: onChange,
    isAgentAudible,
    voiced: (isVoiced) => tellAnswerer((asked) => (isVoiced ? asked.voiceBegan() : asked.voiceEnded())),
    recognized: (text) => tellAnswerer((asked) => asked.recognized(text, true)),
  };
  const counterparty = createSpeech({ time, language, bargeIn, on });

  const fallSilent = (): void => {
    if (typeof answerer !== 'string') answerer.stop();
    answerer = 'nobody asks';
    agent.stopTalking();
    counterparty.stop();
    cancelWaiting?.();
  };

  return {
    agent,
    counterparty,
    begin() {
      recording = options.record();
      if (answering !== null && answering !== 'human') answerer = 'nothing heard';
    },
    wordsHeard: () => [],
    holdTone: { begin: () => undefined, end: () => undefined },
    handOver: () => agent.stopTalking(),
    beep: () => tellAnswerer((asked) => asked.beep()),
    pauseRecording: () => recording?.pause(),
    resumeRecording: () => recording?.resume(),
    hideTones: () => undefined,
    showTones: () => undefined,
    leave() {
      // What is being said belongs to the recording as far as it was heard.
      fallSilent();
      recording?.leave();
      recording = null;
    },
    close() {
      fallSilent();
      recording?.finish();
      recording = null;
    },
  };
};
