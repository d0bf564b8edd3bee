/**
 * The sound of one call, both ways: the agent's voice and its recording go out and in by the fork, and what comes in is
 * listened to.
 */
import type { Logger } from 'pino';
import type { AnsweredBy } from '#machines/line.ts';
import { createListener, type Listener, type ListeningNumbers } from '../listening/listener.ts';
import type { Heard } from '../listening/turn-taking.ts';
import type { OpenVoiceDetector } from '../listening/voice-detector.ts';
import type { LineTime } from '../line-time.ts';
import type { RecordingSink } from '../recording.ts';
import type { Recognizer } from '../speech.ts';
import { createLineRecording, type LineRecording } from './playout/call-recording.ts';
import type { Speak } from './playout/synthesis.ts';
import type { MediaEndpoint } from './media/endpoint.ts';
import type { ExpectedFork, Fork, MediaSocket } from './media/audio-fork.ts';
import { createPlayback, type Played } from './playout/playout.ts';

/** What a call is listened to with. */
export type Hearing = {
  recognizer: Recognizer;
  openDetector: OpenVoiceDetector;
  numbers: ListeningNumbers;
};

/** What the sound of a call is made with. */
export type SoundMeans = {
  mediaSocket: MediaSocket;
  speak: Speak;
  /** `null`: nothing of what the other party says is understood. */
  hearing: Hearing | null;
  /** `null` when the call is not recorded. */
  openRecording: (() => RecordingSink) | null;
};

export type CallSound = {
  /** The call was answered: listening and recording begin. */
  begin(): void;
  /** Rejects when the sound does not arrive. */
  connect(endpoint: MediaEndpoint): Promise<void>;
  say(utterance: number, text: string): void;
  stopTalking(): void;
  pauseRecording(): void;
  resumeRecording(): void;
  /** No sound is carried any more: what was played and heard until now is reported. Idempotent. */
  end(): void;
};

export const createCallSound = (
  options: SoundMeans & {
    callId: string;
    /** BCP 47. */
    language: string;
    isOutbound: boolean;
    time: LineTime;
    on: {
      played: (played: Played) => void;
      speech: () => void;
      heard: (heard: Heard) => void;
      answeredBy: (by: AnsweredBy) => void;
      takesMessage: () => void;
      /** The connection of the sound has ended. */
      lost: () => void;
    };
    logger: Logger;
  },
): CallSound => {
  const { hearing, language, isOutbound, time, on, logger } = options;
  let expectedFork: ExpectedFork | null = null;
  let fork: Fork | null = null;
  let recording: LineRecording | null = null;
  let listener: Listener | null = null;
  let isOver = false;

  const playback = createPlayback({
    time,
    speak: options.speak,
    on: {
      played: on.played,
      sent: (samples) => recording?.said(samples),
      cut: () => recording?.cut(),
    },
    logger,
  });

  const record = (): LineRecording | null => {
    if (options.openRecording === null) return null;
    try {
      return createLineRecording(options.openRecording(), time);
    } catch (error) {
      logger.warn({ err: error }, 'a call goes on without its recording');
      return null;
    }
  };

  const listen = (): Listener | null => {
    if (hearing === null) return null;
    return createListener({ ...hearing, language, isOutbound, time, agentDb: playback.level, on, logger });
  };

  return {
    begin() {
      recording = record();
      listener = listen();
    },
    async connect(endpoint) {
      expectedFork = options.mediaSocket.expect({
        onAudio(samples) {
          recording?.heard(samples);
          listener?.write(samples);
        },
        onMark: (name) => playback.onMark(name),
        onLost: on.lost,
      });
      await endpoint.fork(expectedFork.url, options.callId);
      const arrived = await expectedFork.arrived;
      if (isOver) return arrived.close();
      fork = arrived;
      playback.attach(arrived);
    },
    say: playback.say,
    stopTalking: playback.stop,
    pauseRecording: () => recording?.pause(),
    resumeRecording: () => recording?.resume(),
    end() {
      isOver = true;
      playback.end();
      listener?.end();
      recording?.end();
      recording = null;
      expectedFork?.cancel();
      fork?.close();
      fork = null;
    },
  };
};
