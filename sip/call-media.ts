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
import type { SampleRate } from './samples.ts';
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
  /** `null` when the call is not recorded. */
  openRecording: (() => RecordingSink) | null;
};

export type CallMedia = {
  /** The call was answered: listening and recording begin. Rejects when the sound does not arrive. */
  begin(endpoint: Pick<MediaEndpoint, 'sampleRate' | 'connect'>): Promise<void>;
  /** Before the answer and after the end it is reported as not heard. */
  say(utterance: number, text: string): void;
  stopTalking(): void;
  pauseTalking(): void;
  resumeTalking(): void;
  pauseRecording(): void;
  resumeRecording(): void;
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
const createSound = (options: CallMediaOptions, sampleRate: SampleRate) => {
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
      language: input.language,
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

  const close = (): void => {
    sound?.playout.close();
    sound?.listener?.stop();
    sound?.recording?.finish();
    sound = null;
    path?.close();
    path = null;
  };

  return {
    async begin(endpoint) {
      const sampleRate = endpoint.sampleRate();
      const begun = createSound(options, sampleRate);
      sound = begun;
      const onAudio = (samples: Int16Array): void => {
        begun.recording?.heard(samples);
        begun.listener?.write(samples);
      };
      const opened = await endpoint.connect({ onAudio, onLost: options.onLost }, sampleRate);
      if (sound === null) return opened.close();
      path = opened;
      return begun.playout.attach(opened);
    },
    say(utterance, text) {
      if (sound !== null) sound.playout.say(utterance, text);
      else report({ type: 'line.played', startedAt: time.now(), utterance, text: '', whole: false });
    },
    stopTalking: () => sound?.playout.stopTalking(),
    pauseTalking: () => sound?.playout.pause(),
    resumeTalking: () => sound?.playout.resume(),
    pauseRecording: () => sound?.recording?.pause(),
    resumeRecording: () => sound?.recording?.resume(),
    leave() {
      sound?.recording?.leave();
      close();
    },
    close,
  };
};
