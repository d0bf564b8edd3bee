/** Audio worklet of the web phone, which runs in the browser's audio thread, so that a busy page does not block it. */
import { createMicrophoneFrames } from './microphone-frames.ts';
import { createPlayBuffer } from './play-buffer.ts';
import { workletName, type FromWorklet, type ToWorklet } from './sound-messages.ts';

/** The members of the class that are used here; no type library contains the global scope of a worklet. */
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare const registerProcessor: (name: string, processor: new () => AudioWorkletProcessor) => void;

class SoundProcessor extends AudioWorkletProcessor {
  #speaker = createPlayBuffer();
  readonly #microphone = createMicrophoneFrames(
    () => this.#speaker.played(),
    (frame) => this.port.postMessage(frame satisfies FromWorklet, [frame]),
  );

  constructor() {
    super();
    this.port.addEventListener('message', ({ data }: MessageEvent<ToWorklet>) => this.#take(data));
    this.port.start();
  }

  #take(message: ToWorklet): void {
    if (message instanceof ArrayBuffer) this.#speaker.add(new Int16Array(message));
    else if (message === 'reset') this.#speaker = createPlayBuffer();
    else this.port.postMessage({ flushed: this.#speaker.flush() } satisfies FromWorklet);
  }

  /** Called for every 128 samples until the node is released. */
  process([microphone]: Float32Array[][], [speaker]: Float32Array[][]): boolean {
    const out = speaker?.[0];
    if (out !== undefined) this.#speaker.take(out);
    // Silence is sent if there is no microphone input.
    this.#microphone.add(microphone?.[0] ?? new Float32Array(out?.length ?? 0));
    return true;
  }
}

registerProcessor(workletName, SoundProcessor);
