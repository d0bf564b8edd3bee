/** The main thread's view of the audio thread: opens channels in it and receives their audio. */
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { SampleRate } from '../../samples.ts';
import { ringMemory, SampleRing } from '../sample-ring.ts';
import type { Figures, FromSoundThread, RtpAgreement, ToSoundThread } from './sound-thread-messages.ts';

export type SoundEvents = {
  onSound: (samples: Int16Array) => void;
  onKey: (key: string) => void;
  /** The thread ended, and all audio with it. */
  onLost: () => void;
  /** FreeSWITCH has been silent for a while, or sends again. */
  onSilence?: (isSilent: boolean) => void;
  /** Frames of FreeSWITCH are shorter than 20 ms. */
  onShortFrames?: () => void;
};

/** Audio of one call in the thread. */
type Channel = {
  /** Local port for the other party's audio. */
  readonly port: number;
  /** Outgoing audio. */
  readonly sound: SampleRing;
  listen(events: SoundEvents): void;
  close(): void;
};

export type SoundChannel = Channel & {
  agree(agreement: RtpAgreement): void;
  press(keys: string): void;
  /** Last reported statistics, at most a second old. */
  figures(): Figures;
  /** Current statistics; the last reported ones if the thread has ended. */
  measured(): Promise<Figures>;
};

/** A channel with a FreeSWITCH. */
export type UnicastChannel = Channel & {
  /** Resolves with the first audio; outgoing audio is sent from then on. */
  begun: Promise<void>;
};

export type SoundThread = {
  /** Takes ports for a call. Rejects if there is no free one. */
  open(address: string): Promise<SoundChannel>;
  /**
   * Takes a port of this address for audio from a FreeSWITCH at that one, and sends outgoing audio to it at this rate.
   * Rejects if there is no free port. A silence of `silenceMs` is reported; 0 for never.
   */
  openUnicast(
    address: string,
    from: string,
    { sampleRate, silenceMs }: { sampleRate: SampleRate; silenceMs: number },
  ): Promise<UnicastChannel>;
  close(): Promise<void>;
};

/** A running audio thread, and how to end it. */
export type SoundRun = { tell(message: ToSoundThread): void; end(): Promise<unknown> };

export type StartSoundRun = (
  ports: { from: number; to: number },
  on: { message: (message: FromSoundThread) => void; ended: () => void; error: (error: unknown) => void },
) => SoundRun;

/** Starts a worker thread. */
const startWorker: StartSoundRun = (ports, on) => {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { ports } });
  worker.on('message', on.message);
  worker.on('error', on.error);
  worker.on('exit', on.ended);
  return { tell: (message) => worker.postMessage(message), end: () => worker.terminate() };
};

/** Two seconds of telephone audio, or one of wideband audio; the rest of a longer utterance follows during playback. */
export const ringSamples = 16_384;

const noFigures: Figures = {
  sent: 0,
  received: 0,
  lost: 0,
  jitterMs: 0,
  lossThere: null,
  jitterThereMs: null,
  isHeardThere: null,
  isSentThere: null,
  roundTripMs: null,
  remote: null,
  silentMs: null,
};

/** Main thread's state of one call in the thread. */
type Entry = {
  opened: PromiseWithResolvers<number>;
  begun: PromiseWithResolvers<void>;
  events: SoundEvents | null;
  figures: Figures;
  measuring: ((figures: Figures) => void)[];
};

/** Resolves all pending requests with the last statistics. */
const settle = ({ measuring, figures }: Entry): void => {
  for (const resolve of measuring.splice(0)) resolve(figures);
};

/** Main thread's register of the calls in the thread. */
const createRegister = () => {
  const entries = new Map<number, Entry>();
  let lastId = 0;

  return {
    add(): { id: number; entry: Entry } {
      const id = (lastId += 1);
      const entry: Entry = {
        opened: Promise.withResolvers(),
        begun: Promise.withResolvers(),
        events: null,
        figures: noFigures,
        measuring: [],
      };
      entries.set(id, entry);
      return { id, entry };
    },
    /** Resolves with the next reported statistics. */
    measured: (id: number): Promise<Figures> =>
      new Promise((resolve) => {
        const entry = entries.get(id);
        if (entry === undefined) resolve(noFigures);
        else entry.measuring.push(resolve);
      }),
    remove(id: number): void {
      const entry = entries.get(id);
      entries.delete(id);
      if (entry !== undefined) settle(entry);
    },
    take(message: FromSoundThread): void {
      if (message.type === 'heard') {
        for (const { id, samples } of message.sounds) entries.get(id)?.events?.onSound(samples);
        for (const { id, key } of message.keys) entries.get(id)?.events?.onKey(key);
        return;
      }
      const entry = entries.get(message.id);
      if (entry === undefined) return;
      switch (message.type) {
        case 'opened':
          return entry.opened.resolve(message.port);
        case 'refused':
          return entry.opened.reject(new Error(message.reason));
        case 'begun':
          return entry.begun.resolve();
        case 'silence':
          return entry.events?.onSilence?.(message.isSilent);
        case 'short frames':
          return entry.events?.onShortFrames?.();
        case 'figures':
          entry.figures = message.figures;
          return settle(entry);
      }
    },
    /** The thread ended, with all its calls. */
    loseAll(): void {
      const lost = [...entries.values()];
      entries.clear();
      for (const entry of lost) {
        entry.opened.reject(new Error('The thread of the sound has ended'));
        settle(entry);
        entry.events?.onLost();
      }
    },
  };
};

type Opened = { channel: Channel; id: number; entry: Entry };

const forRtp = (
  { channel, id, entry }: Opened,
  register: Pick<ReturnType<typeof createRegister>, 'measured'>,
  tell: (message: ToSoundThread) => void,
): SoundChannel => ({
  ...channel,
  agree: (agreement) => tell({ type: 'agree', id, agreement }),
  press: (keys) => tell({ type: 'press', id, keys }),
  figures: () => entry.figures,
  measured() {
    const measured = register.measured(id);
    tell({ type: 'measure', id });
    return measured;
  },
});

export const createSoundThread = (options: {
  /** Port range for RTP. */
  ports: { from: number; to: number };
  logger: Logger;
  start?: StartSoundRun;
}): SoundThread => {
  const { ports, logger, start = startWorker } = options;
  const register = createRegister();
  /** Started at the first call: without audio there is no thread. */
  let running: SoundRun | null = null;
  let isClosed = false;

  const tell = (message: ToSoundThread): void => running?.tell(message);

  const startNow = (): SoundRun =>
    start(ports, {
      message: register.take,
      error: (error) => logger.error({ err: error }, 'the thread of the sound has failed'),
      ended() {
        running = null;
        register.loseAll();
      },
    });

  const openBy = async (
    message: (id: number, sound: SharedArrayBuffer) => ToSoundThread,
  ): Promise<Opened> => {
    if (isClosed) throw new Error('No sound is carried any more');
    running ??= startNow();
    const { id, entry } = register.add();
    const sound = ringMemory(ringSamples);
    tell(message(id, sound));
    try {
      const channel: Channel = {
        port: await entry.opened.promise,
        sound: new SampleRing(sound),
        listen(events) {
          entry.events = events;
        },
        close() {
          register.remove(id);
          tell({ type: 'close', id });
        },
      };
      return { channel, id, entry };
    } catch (error) {
      register.remove(id);
      throw error;
    }
  };

  return {
    async open(address) {
      const opened = await openBy((id, sound) => ({ type: 'open', id, address, sound }));
      return forRtp(opened, register, tell);
    },
    async openUnicast(address, from, { sampleRate, silenceMs }) {
      const { channel, entry } = await openBy((id, sound) => ({
        type: 'open unicast',
        id,
        address,
        from,
        sound,
        sampleRate,
        silenceMs,
      }));
      return { ...channel, begun: entry.begun.promise };
    },
    async close() {
      isClosed = true;
      await running?.end();
    },
  };
};
