/** Audio of one call: plays the agent's voice, listens to the other party, and records both. */
import type { Logger } from 'pino';
import type { LineInput, LineReport } from '#machines/line.ts';
import { createListener, type ListeningNumbers } from './listening/listener.ts';
import type { TurnModel } from './listening/turn-end/model-ends.ts';
import type { OpenVoiceDetector } from './listening/voice-detector.ts';
import type { LineTime } from './line-time.ts';
import type { AudioPath } from './audio-path.ts';
import type { MediaEndpoint } from './media-endpoint.ts';
import type { CallSink } from './recording-sink.ts';
import type { Resample } from './resampler.ts';
import { levelOf, quietDb, samplesPerMs, type SampleRate } from './samples.ts';
import type { Recognizer } from './speech.ts';
import { createCallRecording, type CallRecording } from './playout/call-recording.ts';
import type { Speak } from './playout/synthesis.ts';
import { createPlayout } from './playout/playout.ts';

/** Dependencies for listening to a call. */
export type Hearing = {
  recognizer: Recognizer;
  openDetector: OpenVoiceDetector;
  numbers: ListeningNumbers;
  resample: Resample;
  /** Model of turn ends; `null` if none is configured. */
  turnModel: TurnModel | null;
};

/** Dependencies for the audio of a call. */
export type MediaMeans = {
  speak: Speak;
  /** Dependencies of speech recognition; `null` for a call without recognition. */
  hearing: Hearing | null;
  /** Opens the recording; `null` if the call is neither recorded nor listened to. */
  openRecording: (() => CallSink) | null;
};

export type CallMedia = {
  /**
   * Starts listening and recording when the call was answered, at `sampleRate` if it differs from the endpoint's.
   * Rejects if no audio path is established.
   */
  begin(endpoint: Pick<MediaEndpoint, 'sampleRate' | 'connect'>, sampleRate?: SampleRate): Promise<void>;
  /** Speaks an utterance. Before the answer and after the end, the utterance is reported as not heard. */
  say(utterance: number, text: string, language?: string): void;
  /** Changes the language of recognition and synthesis (BCP 47) from now on. */
  changeLanguage(language: string): void;
  /** Returns the other party's words in its current turn as recognized so far; empty without words. */
  hearing(): string;
  stopTalking(): void;
  pauseTalking(): void;
  resumeTalking(): void;
  pauseRecording(): void;
  resumeRecording(): void;
  /** Replaces the DTMF tones of the other party in the recording by silence, until `showTones`. */
  hideTones(): void;
  showTones(): void;
  /** Returns the sample rate in Hz; `null` before the call was answered. */
  sampleRate(): SampleRate | null;
  /** Dismisses the agent, which falls silent. Recognition stops, and the recording continues. */
  dismissAgent(): void;
  /** Dismisses the agent and plays incoming audio in another call. Both calls have the same sample rate. */
  talkWith(other: Pick<CallMedia, 'pass'>): void;
  /** Whether audio of the call is needed now, by a recording that is not paused, or by a listener. */
  isRecorded(): boolean;
  /**
   * Records audio of the other party that does not arrive through the endpoint, at the rate of the call (a bridged
   * call).
   */
  recordHeard(samples: Int16Array): void;
  /** Records audio that the other party hears but this process does not play (a bridged call). */
  recordSaid(samples: Int16Array): void;
  /** Records silence up to now. */
  recordSilence(): void;
  /** Plays audio of another source in the agent's place. Audio that arrives faster than real time is dropped. */
  pass(samples: Int16Array): void;
  /**
   * Stops like `close`, but hands the call and its recording over to another gateway. The audio path remains open for
   * silence and for the other call of `talkWith`; the endpoint closes it.
   */
  leave(): void;
  /** Stops all audio and reports what was played and heard. Idempotent. */
  close(): void;
};

export type CallMediaOptions = MediaMeans & {
  input: Pick<LineInput, 'callId' | 'language' | 'direction' | 'bargeIn' | 'turnEnd'>;
  time: LineTime;
  report: (report: LineReport) => void;
  /** An utterance of the agent has started. */
  onBegun?: (utterance: number) => void;
  /** Called when the audio connection has ended. */
  onLost: () => void;
  logger: Logger;
};

/** Maximum delay of audio that arrives in bursts, in milliseconds. */
const mostWaitingMs = 160;
/**
 * Duration of silence in milliseconds that is sent before audio that resumes after a pause, so that a slightly late
 * frame causes no gap.
 */
const leadMs = 40;
const frameMs = 20;

/**
 * Selects the incoming audio that is passed on to another call. Quiet audio arrives in blocks of several frames
 * (`media-thread/incoming-audio.ts`). Playing a whole block would delay all later audio, so quiet blocks are dropped,
 * except for the last frame before a voice begins.
 */
const passedOf = (samples: Int16Array, rate: SampleRate): Int16Array => {
  const frame = frameMs * samplesPerMs(rate);
  if (samples.length <= 2 * frame) return samples;
  const last = samples.subarray(-frame);
  return levelOf(last) > quietDb ? last : new Int16Array();
};

const record = (
  { openRecording, time, logger }: CallMediaOptions,
  sampleRate: SampleRate,
): CallRecording | null => {
  if (openRecording === null) return null;
  try {
    return createCallRecording(openRecording(), time, sampleRate);
  } catch (error) {
    logger.warn({ err: error }, 'a call continues without its recording');
    return null;
  }
};

/** Audio in both directions at the sample rate of the call. */
const createCallAudio = (options: CallMediaOptions, sampleRate: SampleRate, language: string) => {
  const { input, hearing, time, report, logger } = options;
  const recording = record(options, sampleRate);
  const playout = createPlayout({
    time,
    speak: options.speak,
    sampleRate,
    on: {
      begun: options.onBegun ?? (() => undefined),
      played: (played) => report({ type: 'line.played', ...played }),
      sent: (samples) => recording?.said(samples),
      cut: () => recording?.cut(),
    },
    logger,
  });
  const listener =
    hearing &&
    createListener({
      ...hearing,
      sampleRate,
      language,
      isOutbound: input.direction === 'outbound',
      bargeIn: input.bargeIn,
      turnEnd: input.turnEnd,
      time,
      agentDb: playout.level,
      on: {
        onset: () => report({ type: 'line.onset' }),
        noSpeech: () => report({ type: 'line.no_speech' }),
        speech: () => report({ type: 'line.speech' }),
        noWords: () => report({ type: 'line.no_words' }),
        heard: (heard) => report({ type: 'line.heard', ...heard }),
        answeredBy: (by) => report({ type: 'line.answered_by', by }),
        takesMessage: () => report({ type: 'line.takes_message' }),
      },
      logger,
    });
  return { recording, playout, listener };
};

export const createCallMedia = (options: CallMediaOptions): CallMedia => {
  const { time, report } = options;
  let audio: ReturnType<typeof createCallAudio> | null = null;
  /** Path of the agent's voice; null until it is open. */
  let path: AudioPath | null = null;
  /** Audio of the other call of the bridge; null without a bridge. */
  let partner: Pick<CallMedia, 'pass'> | null = null;
  let rate: SampleRate | null = null;
  /** Language after a change; undefined while it is the initial one. */
  let language: string | undefined;

  const close = (): void => {
    audio?.playout.close();
    audio?.listener?.stop();
    audio?.recording?.finish();
    audio = null;
    partner = null;
    path?.close();
    path = null;
  };

  const dismissAgent = (): void => {
    audio?.playout.stopTalking();
    audio?.listener?.stop();
    path?.takeBack();
    audio?.recording?.cut();
  };

  return {
    async begin(endpoint, sampleRate = endpoint.sampleRate()) {
      rate = sampleRate;
      const begun = createCallAudio(options, sampleRate, language ?? options.input.language);
      audio = begun;
      const onAudio = (samples: Int16Array): void => {
        begun.recording?.heard(samples);
        if (partner === null) begun.listener?.write(samples);
        else partner.pass(passedOf(samples, sampleRate));
      };
      const opened = await endpoint.connect({ onAudio, onLost: options.onLost }, sampleRate);
      if (audio === null) return opened.close();
      path = opened;
      return begun.playout.attach(opened);
    },
    say(utterance, text, spoken = language) {
      if (audio !== null) audio.playout.say(utterance, text, spoken);
      else report({ type: 'line.played', startedAt: time.now(), utterance, text: '', whole: false });
    },
    changeLanguage(changed) {
      language = changed;
      audio?.listener?.changeLanguage(changed);
    },
    hearing: () => audio?.listener?.hearing() ?? '',
    stopTalking: () => audio?.playout.stopTalking(),
    pauseTalking: () => audio?.playout.pause(),
    resumeTalking: () => audio?.playout.resume(),
    pauseRecording: () => audio?.recording?.pause(),
    resumeRecording: () => audio?.recording?.resume(),
    hideTones: () => audio?.recording?.hideTones(),
    showTones: () => audio?.recording?.showTones(),
    sampleRate: () => rate,
    dismissAgent,
    talkWith(other) {
      dismissAgent();
      partner = other;
    },
    isRecorded: () => audio?.recording?.isWanted() ?? false,
    recordHeard: (samples) => audio?.recording?.heard(samples),
    recordSaid: (samples) => audio?.recording?.said(samples),
    recordSilence: () => audio?.recording?.passTime(),
    pass(samples) {
      if (audio === null || path === null || rate === null || samples.length === 0) return;
      if (path.waiting() > mostWaitingMs * samplesPerMs(rate)) return;
      if (path.waiting() === 0) path.send(new Int16Array(leadMs * samplesPerMs(rate)));
      path.send(samples);
      audio.recording?.said(samples);
    },
    leave() {
      audio?.recording?.leave();
      audio?.playout.close();
      audio?.listener?.stop();
      if (partner === null) path?.takeBack();
    },
    close,
  };
};
