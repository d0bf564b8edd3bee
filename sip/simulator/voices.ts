/**
 * Voices on an answered simulated line: the words of the agent and of the far end. Both are recorded and analysed by
 * answer detection.
 */
import type { AnsweredBy, BargeIn, LineReport } from '#machines/line.ts';
import {
  createAnsweringMachine,
  type AnsweringMachine,
  type AnsweringNumbers,
} from '#sip/audio/listening/answering-machine.ts';
import type { Cancel, LineTime } from '#sip/audio/line-time.ts';
import type { TimelineRecorder } from './call-timeline.ts';
import { createSimulatedPlayout, type SimulatedPlayout } from './simulated-playout.ts';
import { createSpeech, type Speech, type SpeechEvents } from './simulated-speech.ts';

/** Silence in milliseconds after which a far end that has spoken counts as a person. */
export const waitsMs = 500;

export type VoicesOptions = {
  time: LineTime;
  /** Language of the far end (BCP 47). */
  language: string;
  bargeIn: BargeIn;
  /** Thresholds of answer detection; `null` without detection, `human` if the answerer is known. */
  answering: AnsweringNumbers | 'human' | null;
  /** Begins the recording of a call that was just answered; returns `null` for a call that is not recorded. */
  record: () => TimelineRecorder | null;
  report: (report: LineReport) => void;
  /** Called when speech begins or ends. */
  onChange: () => void;
};

export type Voices = {
  readonly agent: SimulatedPlayout;
  readonly counterparty: Speech;
  /** Called at the answer: starts recording and recognition. */
  begin(): void;
  /** Recognized words of carried audio, in order. */
  wordsHeard(): readonly string[];
  /** Words of carried audio in the current turn, as recognized so far; empty without words. */
  wordsSoFar(): string;
  /** Signals that the beep of an answering machine has ended. */
  beep(): void;
  /** Hold tone for the other party while a person is rung; silent unless audio is carried. */
  readonly holdTone: { begin(): void; end(): void };
  /** Connects the other party with another person: from then on the agent is silent and recognition stops. */
  handOver(): void;
  pauseRecording(): void;
  resumeRecording(): void;
  /** Hides the tones of DTMF digits; only carried voices have such tones. */
  hideTones(): void;
  showTones(): void;
  /** Stops like `close`, but the call and its recording continue in another process. */
  leave(): void;
  /** Stops all voices and reports interrupted utterances. */
  close(): void;
};

export const createVoices = (options: VoicesOptions): Voices => {
  const { time, language, bargeIn, answering, report, onChange } = options;
  let recording: TimelineRecorder | null = null;
  /**
   * Answer detection, from the answer until the result is known. The detector is created when there is something to
   * hear.
   */
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
    wordsSoFar: () => '',
    holdTone: { begin: () => undefined, end: () => undefined },
    handOver: () => agent.stopTalking(),
    beep: () => tellAnswerer((asked) => asked.beep()),
    pauseRecording: () => recording?.pause(),
    resumeRecording: () => recording?.resume(),
    hideTones: () => undefined,
    showTones: () => undefined,
    leave() {
      // Reports the heard part of the current words to the recording.
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
