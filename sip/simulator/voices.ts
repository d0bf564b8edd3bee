/**
 * Voices on a simulated line while it is answered: the words of the agent and of the far end, both recorded and
 * analysed for answerer detection.
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

/** A far end that speaks and then waits is a person: reported after this time. */
export const waitsMs = 500;

export type VoicesOptions = {
  time: LineTime;
  /** Language of the far end (BCP 47). */
  language: string;
  bargeIn: BargeIn;
  /** Thresholds of answerer detection; `null` without detection, `human` if the answerer is known. */
  answering: AnsweringNumbers | 'human' | null;
  /** Begins the recording of a call that was just answered; `null` if it is not recorded. */
  record: () => TimelineRecorder | null;
  report: (report: LineReport) => void;
  /** Speech begins or ends. */
  onChange: () => void;
};

export type Voices = {
  readonly agent: SimulatedPlayout;
  readonly counterparty: Speech;
  /** Called at the answer: starts recording and recognition. */
  begin(): void;
  /** Recognized words of carried audio, in order. */
  wordsHeard(): readonly string[];
  /** The beep of an answering machine has ended. */
  beep(): void;
  /** Hold tone for the other party while a person is rung, if audio is carried. */
  readonly holdTone: { begin(): void; end(): void };
  /** The other party is connected with another person from here on: the agent is silent, and recognition stops. */
  handOver(): void;
  pauseRecording(): void;
  resumeRecording(): void;
  /** Hides tones of DTMF digits; only carried voices have any. */
  hideTones(): void;
  showTones(): void;
  /** The call and its recording continue in another process. Otherwise like `close`. */
  leave(): void;
  /** Stops all voices; interrupted utterances are reported. */
  close(): void;
};

export const createVoices = (options: VoicesOptions): Voices => {
  const { time, language, bargeIn, answering, report, onChange } = options;
  let recording: TimelineRecorder | null = null;
  /** Detects the answerer, from the answer until the result is known; created when there is something to hear. */
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
      // The heard part of the current words belongs to the recording.
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
