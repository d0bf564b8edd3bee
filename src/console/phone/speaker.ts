/** The speaker of this browser alone, for who listens to a call and says nothing in it. */
import { listenInSampleRate } from '#src/domain/listen-in.ts';
import { workletName } from './sound-messages.ts';
// oxlint-disable-next-line import/default -- What is built of it is its address (`vite.d.ts`).
import workletUrl from './sound-worklet.ts?worker&url';

export type Speaker = {
  /** To be played behind what was given before; what comes in a burst, too late, is left out. */
  play(samples: Int16Array<ArrayBuffer>): void;
  close(): void;
};

/** A second behind the call is late enough. */
const mostLateMs = 1_000;

/** Rejects where the browser has no sound. */
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
