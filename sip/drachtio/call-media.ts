/**
 * The sound of one call, both ways: the agent's voice goes out, what comes in is listened to, and both are recorded.
 */
import type { Logger } from 'pino';
import type { LineInput, LineReport } from '#machines/line.ts';
import { createListener, type Listener, type ListeningNumbers } from '../listening/listener.ts';
import type { OpenVoiceDetector } from '../listening/voice-detector.ts';
import type { LineTime } from '../line-time.ts';
import type { MediaEndpoint, SoundPath } from '../media/endpoint.ts';
import type { RecordingSink } from '../recording.ts';
import type { Recognizer } from '../speech.ts';
import { createCallRecording, type CallRecording } from './playout/call-recording.ts';
import type { Speak } from './playout/synthesis.ts';
import { createPlayout } from './playout/playout.ts';

/** What a call is listened to with. */
export type Hearing = {
  recognizer: Recognizer;
  openDetector: OpenVoiceDetector;
  numbers: ListeningNumbers;
};

/** What the sound of a call is made with. */
export type MediaMeans = {
  speak: Speak;
  /** `null`: nothing of what the other party says is understood. */
  hearing: Hearing | null;
  /** `null` when the call is not recorded. */
  openRecording: (() => RecordingSink) | null;
};

export type CallMedia = {
  /** The call was answered: listening and recording begin. */
  begin(): void;
  /** Rejects when the sound does not arrive. */
  connect(endpoint: MediaEndpoint): Promise<void>;
  say(utterance: number, text: string): void;
  stopTalking(): void;
  pauseTalking(): void;
  resumeTalking(): void;
  pauseRecording(): void;
  resumeRecording(): void;
  /** No sound is carried any more: what was played and heard until now is reported. Idempotent. */
  close(): void;
};

export type CallMediaOptions = MediaMeans & {
  input: Pick<LineInput, 'callId' | 'language' | 'direction' | 'bargeIn'>;
  time: LineTime;
  report: (report: LineReport) => void;
  /** The connection of the sound has ended. */
  onLost: () => void;
  logger: Logger;
};

const record = ({ openRecording, time, logger }: CallMediaOptions): CallRecording | null => {
  if (openRecording === null) return null;
  try {
    return createCallRecording(openRecording(), time);
  } catch (error) {
    logger.warn({ err: error }, 'a call goes on without its recording');
    return null;
  }
};

export const createCallMedia = (options: CallMediaOptions): CallMedia => {
  const { input, hearing, time, report, logger } = options;
  /** Of the agent's voice, once it is open. */
  let path: SoundPath | null = null;
  let hasEnded = false;
  let recording: CallRecording | null = null;
  let listener: Listener | null = null;

  const playout = createPlayout({
    time,
    speak: options.speak,
    on: {
      played: (played) => report({ type: 'line.played', ...played }),
      sent: (samples) => recording?.said(samples),
      cut: () => recording?.cut(),
    },
    logger,
  });

  const listen = (): Listener | null => {
    if (hearing === null) return null;
    return createListener({
      ...hearing,
      language: input.language,
      isOutbound: input.direction === 'outbound',
      bargeIn: input.bargeIn,
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
  };

  return {
    begin() {
      recording = record(options);
      listener = listen();
    },
    async connect(endpoint) {
      const opened = await endpoint.connect({
        onAudio(samples) {
          recording?.heard(samples);
          listener?.write(samples);
        },
        onLost: options.onLost,
      });
      if (hasEnded) return opened.close();
      path = opened;
      return playout.attach(opened);
    },
    say: playout.say,
    stopTalking: playout.stopTalking,
    pauseTalking: playout.pause,
    resumeTalking: playout.resume,
    pauseRecording: () => recording?.pause(),
    resumeRecording: () => recording?.resume(),
    close() {
      playout.close();
      listener?.stop();
      recording?.finish();
      recording = null;
      hasEnded = true;
      path?.close();
      path = null;
    },
  };
};
