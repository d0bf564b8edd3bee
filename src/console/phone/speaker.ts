/** Playback without a microphone, for admins who listen to a call. */
import { listenInSampleRate } from '#src/domain/listen-in.ts';
import { workletName } from './sound-messages.ts';
// oxlint-disable-next-line import/default -- The default export of the built worker is its URL (`vite.d.ts`).
import workletUrl from './sound-worklet.ts?worker&url';

export type Speaker = {
  /** Appends samples. If a late burst exceeds the maximum delay, the buffered audio is discarded. */
  play(samples: Int16Array<ArrayBuffer>): void;
  close(): void;
};

/** Maximum delay behind the call in milliseconds. */
const mostLateMs = 1_000;

/** Opens a speaker. Rejects if the browser cannot play audio. */
export const openSpeaker = async (): Promise<Speaker> => {
  const context = new AudioContext({ sampleRate: listenInSampleRate });
  try {
    await context.audioWorklet.addModule(workletUrl);
    const worklet = new AudioWorkletNode(context, workletName, {
      numberOfInputs: 0,
      outputChannelCount: [1],
    });
    worklet.connect(context.destination);
    let playedAt = 0;
    return {
      play(samples) {
        const now = performance.now();
        const lengthMs = (samples.length * 1_000) / listenInSampleRate;
        if (playedAt - now > mostLateMs) {
          worklet.port.postMessage('flush');
          playedAt = now;
        }
        playedAt = Math.max(playedAt, now) + lengthMs;
        worklet.port.postMessage(samples.buffer, [samples.buffer]);
      },
      close: () => void context.close(),
    };
  } catch (error) {
    void context.close();
    throw error;
  }
};
