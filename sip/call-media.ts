/**
 * The sound of one call, both ways: the agent's voice goes out, what comes in is listened to, and both are recorded.
 */
import type { Logger } from 'pino';
import type { LineInput, LineReport } from '#machines/line.ts';
import { createListener, type ListeningNumbers } from './listening/listener.ts';
import type { TurnModel } from './listening/turn-end/model-ends.ts';
import type { OpenVoiceDetector } from './listening/voice-detector.ts';
import type { LineTime } from './line-time.ts';
import type { MediaEndpoint, SoundPath } from './media/media-endpoint.ts';
import type { RecordingSink } from './recording-sink.ts';
import type { Resample } from './resampler.ts';
import { samplesPerMs, type SampleRate } from './samples.ts';
import type { Recognizer } from './speech.ts';
import { createCallRecording, type CallRecording } from './playout/call-recording.ts';
import type { Speak } from './playout/synthesis.ts';
import { createPlayout } from './playout/playout.ts';

/** The means of listening to a call. */
export type Hearing = {
  recognizer: Recognizer;
  openDetector: OpenVoiceDetector;
  numbers: ListeningNumbers;
  resample: Resample;
  /** What hears the end of a turn; `null` where the operator has brought none. */
  turnModel: TurnModel | null;
};

/** The means of a call's sound. */
export type MediaMeans = {
  speak: Speak;
  /** `null`: nothing of what the other party says is understood. */
  hearing: Hearing | null;
  /** `null` when the call is neither recorded nor to be listened to. */
  openRecording: (() => RecordingSink) | null;
};

export type CallMedia = {
  /**
   * The call was answered: listening and recording begin, at this rate where the endpoint's own is not wanted. Rejects when the
   * sound does not arrive.
   */
  begin(endpoint: Pick<MediaEndpoint, 'sampleRate' | 'connect'>, sampleRate?: SampleRate): Promise<void>;
  /** Before the answer and after the end it is reported as not heard. */
  say(utterance: number, text: string, language?: string): void;
  /** From now on the other party is heard and spoken to in this language (BCP 47). */
  changeLanguage(language: string): void;
  stopTalking(): void;
  pauseTalking(): void;
  resumeTalking(): void;
  pauseRecording(): void;
  resumeRecording(): void;
  /**
   * The agent is silent, and nobody listens for it any more: from now on what is heard here is played there. Both have the
   * same rate.
   */
  talkWith(other: Pick<CallMedia, 'pass'>): void;
  /** Plays what somebody else than the agent says; what comes faster than it can be played is left out. */
  pass(samples: Int16Array): void;
  /** The call goes on elsewhere, and its recording with it. Otherwise as `close`. */
  leave(): void;
  /** No sound is carried any more: what was played and heard until now is reported. Idempotent. */
  close(): void;
};

export type CallMediaOptions = MediaMeans & {
  input: Pick<LineInput, 'callId' | 'language' | 'direction' | 'bargeIn' | 'turnEnd'>;
  time: LineTime;
  report: (report: LineReport) => void;
  /** An utterance of the agent begins to sound. */
  onBegun?: (utterance: number) => void;
  /** The connection of the sound has ended. */
  onLost: () => void;
  logger: Logger;
};

/** Whose sound comes in bursts is not heard later and later. */
const mostWaitingMs = 160;

const record = (
  { openRecording, time, logger }: CallMediaOptions,
  sampleRate: SampleRate,
): CallRecording | null => {
  if (openRecording === null) return null;
  try {
    return createCallRecording(openRecording(), time, sampleRate);
  } catch (error) {
    logger.warn({ err: error }, 'a call goes on without its recording');
    return null;
  }
};

/** Sound both ways, at the rate that the call has. */
const createSound = (options: CallMediaOptions, sampleRate: SampleRate, language: string) => {
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
  let sound: ReturnType<typeof createSound> | null = null;
  /** Of the agent's voice, once it is open. */
  let path: SoundPath | null = null;
  /** Who hears what is heard here, instead of the agent. */
  let partner: Pick<CallMedia, 'pass'> | null = null;
  let rate: SampleRate | null = null;
  /** To which it was changed; undefined while it is the one that the call began with. */
  let language: string | undefined;

  const close = (): void => {
    sound?.playout.close();
    sound?.listener?.stop();
    sound?.recording?.finish();
    sound = null;
    partner = null;
    path?.close();
    path = null;
  };

  return {
    async begin(endpoint, sampleRate = endpoint.sampleRate()) {
      rate = sampleRate;
      const begun = createSound(options, sampleRate, language ?? options.input.language);
      sound = begun;
      const onAudio = (samples: Int16Array): void => {
        begun.recording?.heard(samples);
        if (partner === null) begun.listener?.write(samples);
        else partner.pass(samples);
      };
      const opened = await endpoint.connect({ onAudio, onLost: options.onLost }, sampleRate);
      if (sound === null) return opened.close();
      path = opened;
      return begun.playout.attach(opened);
    },
    say(utterance, text, spoken = language) {
      if (sound !== null) sound.playout.say(utterance, text, spoken);
      else report({ type: 'line.played', startedAt: time.now(), utterance, text: '', whole: false });
    },
    changeLanguage(changed) {
      language = changed;
      sound?.listener?.changeLanguage(changed);
    },
    stopTalking: () => sound?.playout.stopTalking(),
    pauseTalking: () => sound?.playout.pause(),
    resumeTalking: () => sound?.playout.resume(),
    pauseRecording: () => sound?.recording?.pause(),
    resumeRecording: () => sound?.recording?.resume(),
    talkWith(other) {
      sound?.playout.stopTalking();
      sound?.listener?.stop();
      path?.takeBack();
      sound?.recording?.cut();
      partner = other;
    },
    pass(samples) {
      if (sound === null || path === null || rate === null) return;
      if (path.waiting() > mostWaitingMs * samplesPerMs(rate)) return;
      path.send(samples);
      sound.recording?.said(samples);
    },
    leave() {
      sound?.recording?.leave();
      close();
    },
    close,
  };
};
