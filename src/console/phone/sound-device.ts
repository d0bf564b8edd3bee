/**
 * The browser's microphone and speaker as the audio of a call: 20 ms frames at 16 kHz in both directions. The browser
 * cancels the speaker's echo in the microphone signal.
 */
import { phoneSampleRate } from '#src/domain/web-phone.ts';
import { workletName, type FromWorklet, type ToWorklet } from './sound-messages.ts';
// oxlint-disable-next-line import/default -- The default export of the built worker is its URL (`vite.d.ts`).
import workletUrl from './sound-worklet.ts?worker&url';

/** `refused`: the user or the browser refuses access. `absent`: there is no usable device. */
export type MicrophoneProblem = 'refused' | 'absent';

export type SoundDevice = {
  play(frame: ArrayBuffer): void;
  /** Discards audio that was not played; `on.flushed` reports the number of samples. */
  flush(): void;
  /** Resets the counter of played samples for a new connection. */
  reset(): void;
  setMicrophone(isOn: boolean): void;
  setSpeaker(isOn: boolean): void;
  /** Current levels, from 0 to 1. */
  levels(): { microphone: number; speaker: number };
  close(): void;
};

const openMicrophone = (): Promise<MediaStream> => {
  const { mediaDevices } = navigator as { mediaDevices?: MediaDevices };
  // In a page served without encryption from another machine, browsers have no media devices.
  if (mediaDevices === undefined) throw new DOMException('There are no media devices', 'NotFoundError');
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };
  return mediaDevices.getUserMedia({ audio });
};

const createMeter = (context: AudioContext): { node: AnalyserNode; level: () => number } => {
  const node = new AnalyserNode(context, { fftSize: 1_024 });
  const samples = new Float32Array(node.fftSize);
  return {
    node,
    level() {
      node.getFloatTimeDomainData(samples);
      return Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
    },
  };
};

const connectDevice = (
  context: AudioContext,
  stream: MediaStream,
  on: { frame: (frame: ArrayBuffer) => void; flushed: (samples: number) => void },
): SoundDevice => {
  const worklet = new AudioWorkletNode(context, workletName, { outputChannelCount: [1], channelCount: 1 });
  const volume = new GainNode(context);
  const microphone = createMeter(context);
  const speaker = createMeter(context);
  new MediaStreamAudioSourceNode(context, { mediaStream: stream }).connect(microphone.node).connect(worklet);
  worklet.connect(volume).connect(speaker.node).connect(context.destination);
  const over = new AbortController();
  const take = ({ data }: MessageEvent<FromWorklet>): void => {
    if (data instanceof ArrayBuffer) on.frame(data);
    else on.flushed(data.flushed);
  };
  worklet.port.addEventListener('message', take, { signal: over.signal });
  worklet.port.start();
  const tell = (message: ToWorklet, given: Transferable[] = []): void =>
    worklet.port.postMessage(message, given);
  return {
    play: (frame) => tell(frame, [frame]),
    flush: () => tell('flush'),
    reset: () => tell('reset'),
    setMicrophone(isOn) {
      for (const track of stream.getTracks()) track.enabled = isOn;
    },
    setSpeaker: (isOn) => (volume.gain.value = isOn ? 1 : 0),
    levels: () => ({ microphone: microphone.level(), speaker: speaker.level() }),
    close() {
      over.abort();
      for (const track of stream.getTracks()) track.stop();
      void context.close();
    },
  };
};

/**
 * Opens the devices and asks the user for the microphone if the browser requires it. Resolves to the problem if the
 * microphone is unavailable.
 */
export const openSoundDevice = async (
  on: Parameters<typeof connectDevice>[2],
): Promise<SoundDevice | MicrophoneProblem> => {
  let stream: MediaStream | undefined;
  const context = new AudioContext({ sampleRate: phoneSampleRate });
  try {
    stream = await openMicrophone();
    await context.audioWorklet.addModule(workletUrl);
    return connectDevice(context, stream, on);
  } catch (error) {
    for (const track of stream?.getTracks() ?? []) track.stop();
    void context.close();
    return error instanceof DOMException && error.name === 'NotAllowedError' ? 'refused' : 'absent';
  }
};
