/** The main thread's side of the audio thread: opens channels in the thread and receives their audio. */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { SampleRate } from '#sip/audio/samples.ts';
import { ringMemory, SampleRing } from '#sip/audio/sample-ring.ts';
import { openFence, type Fence } from '#src/domain/fence.ts';
import type { RtpChannel } from '#sip/rtp/direct-endpoint.ts';
import type { RtpStatistics } from '#sip/rtp/rtp-session.ts';
import { postedMemory, wakeThread } from './dozing-time.ts';
import type { FromMediaThread, MediaThreadData, ToMediaThread } from './media-thread-messages.ts';

export type ThreadEvents = {
  onAudio: (samples: Int16Array) => void;
  onDigit: (digit: string) => void;
  /** Called when the thread, or the call's session in it, has failed: the call has no audio any more. */
  onLost: () => void;
  /** Called when FreeSWITCH has been silent for a while, and when it sends again. */
  onSilence?: (isSilent: boolean) => void;
  /** Called when frames of FreeSWITCH are shorter than 20 ms. */
  onShortFrames?: () => void;
};

/** Audio of one call in the thread. */
type Channel = {
  /** Local port for the other party's audio. */
  readonly port: number;
  /** Ring buffer of outgoing audio. */
  readonly ring: SampleRing;
  listen(events: ThreadEvents): void;
  close(): void;
};

/** A channel whose audio comes from a FreeSWITCH. */
export type UnicastChannel = Channel & {
  /** Resolves with the first audio from FreeSWITCH. Outgoing audio is sent from then on. */
  begun: Promise<void>;
};

export type MediaThread = {
  /**
   * Starts the thread in advance; otherwise the first call starts it and waits until its code is loaded. Resolves when
   * the thread is ready or has failed. After a failure, the next call starts another thread.
   */
  start(): Promise<void>;
  /** Takes ports for a call. Rejects if no port is free. */
  open(address: string): Promise<RtpChannel>;
  /**
   * Takes a local port for audio from a FreeSWITCH at `address`, and sends outgoing audio to that FreeSWITCH at this
   * rate. Rejects if no port is free. A silence of `silenceMs` is reported; 0 disables the report.
   */
  openUnicast(
    address: string,
    from: string,
    { sampleRate, silenceMs }: { sampleRate: SampleRate; silenceMs: number },
  ): Promise<UnicastChannel>;
  close(): Promise<void>;
};

/** A running audio thread, with functions to send messages to it and to end it. */
export type RunningThread = { tell(message: ToMediaThread): void; end(): Promise<unknown> };

type Ports = { from: number; to: number };

type ThreadHandlers = {
  message: (message: FromMediaThread) => void;
  ended: () => void;
  error: (error: unknown) => void;
};

export type StartThread = (ports: Ports, on: ThreadHandlers) => RunningThread;

/** Starts a worker thread. */
const startWorker: StartThread = (ports, on) => {
  // The folder of the process has a subfolder for the version of Node, which is the one returned here.
  const compileCache = getCompileCacheDir() ?? null;
  const memory = postedMemory();
  const posted = new Int32Array(memory);
  const workerData: MediaThreadData = {
    ports,
    compileCache: compileCache && dirname(compileCache),
    posted: memory,
  };
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData });
  worker.on('message', on.message);
  worker.on('error', on.error);
  worker.on('exit', on.ended);
  return {
    tell(message) {
      worker.postMessage(message);
      wakeThread(posted);
    },
    end: () => worker.terminate(),
  };
};

/**
 * Starts a thread for lines that are created later. Its code is loaded meanwhile, on another processor: calls of a killed
 * gateway wait for both.
 */
export const startThreadEarly = (
  ports: Ports,
  start: StartThread = startWorker,
): { startThread: StartThread; end(): Promise<unknown> } => {
  let handlers: ThreadHandlers | null = null;
  /** Reports of the thread before it has handlers. */
  const reports: ((to: ThreadHandlers) => void)[] = [];
  const pass = (report: (to: ThreadHandlers) => void): void => {
    if (handlers === null) reports.push(report);
    else report(handlers);
  };
  const thread = start(ports, {
    message: (message) => pass((to) => to.message(message)),
    ended: () => pass((to) => to.ended()),
    error: (error) => pass((to) => to.error(error)),
  });
  let isTaken = false;
  return {
    /** The first call gets the early thread. Further calls replace one that has failed. */
    startThread(asked, on) {
      if (isTaken) return start(asked, on);
      isTaken = true;
      // Not before the caller has the thread.
      queueMicrotask(() => {
        handlers = on;
        for (const report of reports.splice(0)) report(on);
      });
      return thread;
    },
    end: thread.end,
  };
};

/**
 * Size of a ring buffer: two seconds of telephone audio, or one second of wideband audio. The rest of a longer
 * utterance is written during playback.
 */
export const ringSamples = 16_384;

const noStatistics: RtpStatistics = {
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

/** State of one call in the main thread. */
type Entry = {
  opened: PromiseWithResolvers<number>;
  begun: PromiseWithResolvers<void>;
  events: ThreadEvents | null;
  isLost: boolean;
  statistics: RtpStatistics;
  measuring: ((statistics: RtpStatistics) => void)[];
};

/** Resolves all pending requests with the last statistics. */
const settle = ({ measuring, statistics }: Entry): void => {
  for (const resolve of measuring.splice(0)) resolve(statistics);
};

const lose = (entry: Entry, because: string): void => {
  entry.isLost = true;
  for (const waiting of [entry.opened, entry.begun]) waiting.reject(new Error(because));
  settle(entry);
  entry.events?.onLost();
};

/** Register of the thread's calls in the main thread. */
const createRegister = (onStalled: () => void, logger: Logger) => {
  const entries = new Map<number, Entry>();
  let lastId = 0;

  return {
    add(): { id: number; entry: Entry } {
      const id = (lastId += 1);
      const entry: Entry = {
        opened: Promise.withResolvers(),
        begun: Promise.withResolvers(),
        events: null,
        isLost: false,
        statistics: noStatistics,
        measuring: [],
      };
      // Only a unicast waits for its beginning.
      entry.begun.promise.catch(() => {});
      entries.set(id, entry);
      return { id, entry };
    },
    /** Resolves to the next reported statistics. */
    measured: (id: number): Promise<RtpStatistics> =>
      new Promise((resolve) => {
        const entry = entries.get(id);
        if (entry === undefined) resolve(noStatistics);
        else entry.measuring.push(resolve);
      }),
    remove(id: number): void {
      const entry = entries.get(id);
      entries.delete(id);
      if (entry !== undefined) settle(entry);
    },
    take(message: Exclude<FromMediaThread, { type: 'ready' }>): void {
      if (message.type === 'heard') {
        for (const { id, samples } of message.audio) entries.get(id)?.events?.onAudio(samples);
        for (const { id, digit } of message.digits) entries.get(id)?.events?.onDigit(digit);
        return;
      }
      if (message.type === 'stalled') return onStalled();
      if (message.type === 'failed') {
        const { message: text, stack } = message.error;
        logger.error(
          { err: Object.assign(new Error(text), { stack }) },
          'the media session of a call failed; the audio of this call is lost',
        );
      }
      const entry = entries.get(message.id);
      if (entry === undefined) return;
      switch (message.type) {
        case 'opened':
          return entry.opened.resolve(message.port);
        case 'refused':
          return entry.opened.reject(new Error(message.reason));
        case 'failed':
          entries.delete(message.id);
          return lose(entry, 'The media session of the call has failed');
        case 'begun':
          return entry.begun.resolve();
        case 'silence':
          return entry.events?.onSilence?.(message.isSilent);
        case 'short frames':
          return entry.events?.onShortFrames?.();
        case 'statistics':
          entry.statistics = message.statistics;
          return settle(entry);
      }
    },
    /** Reports the loss of all calls, because the thread has ended. */
    loseAll(): void {
      const lost = [...entries.values()];
      entries.clear();
      for (const entry of lost) lose(entry, 'The media thread has ended');
    },
  };
};

type Opened = { channel: Channel; id: number; entry: Entry };

const forRtp = (
  { channel, id, entry }: Opened,
  register: Pick<ReturnType<typeof createRegister>, 'measured'>,
  tell: (message: ToMediaThread) => void,
): RtpChannel => ({
  ...channel,
  agree: (agreement) => tell({ type: 'agree', id, agreement }),
  press: (digits) => tell({ type: 'press', id, digits }),
  statistics: () => entry.statistics,
  measured() {
    const measured = register.measured(id);
    tell({ type: 'measure', id });
    return measured;
  },
});

export const createMediaThread = (options: {
  /** Port range for RTP. */
  ports: Ports;
  /** Fence that stops outgoing audio after a stall; always open by default. */
  fence?: Fence;
  logger: Logger;
  start?: StartThread;
}): MediaThread => {
  const { ports, fence = openFence, logger, start = startWorker } = options;
  const resume = (): void => tell({ type: 'resume' });
  // Resumes in either case: the channels of lost calls are closed when the fence rejects.
  const register = createRegister(() => void fence.pass().then(resume, resume), logger);
  let running: (RunningThread & { ready: Promise<void> }) | null = null;
  let isClosed = false;

  const tell = (message: ToMediaThread): void => running?.tell(message);

  const startNow = (): RunningThread & { ready: Promise<void> } => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const thread = start(ports, {
      message(message) {
        if (message.type === 'ready') resolve();
        else register.take(message);
      },
      error: (error) =>
        logger.error({ err: error }, 'the media thread failed; the audio of its calls is lost'),
      ended() {
        running = null;
        resolve();
        register.loseAll();
      },
    });
    return { ...thread, ready: promise };
  };

  const openBy = async (message: (id: number, ring: SharedArrayBuffer) => ToMediaThread): Promise<Opened> => {
    if (isClosed) throw new Error('The media thread is closed');
    running ??= startNow();
    const { id, entry } = register.add();
    const ring = ringMemory(ringSamples);
    tell(message(id, ring));
    try {
      const channel: Channel = {
        port: await entry.opened.promise,
        ring: new SampleRing(ring),
        listen(events) {
          entry.events = events;
          if (entry.isLost) queueMicrotask(events.onLost);
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
    async start() {
      if (isClosed) return;
      running ??= startNow();
      await running.ready;
    },
    async open(address) {
      const opened = await openBy((id, ring) => ({ type: 'open', id, address, ring }));
      return forRtp(opened, register, tell);
    },
    async openUnicast(address, from, { sampleRate, silenceMs }) {
      const { channel, entry } = await openBy((id, ring) => ({
        type: 'open unicast',
        id,
        address,
        from,
        ring,
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
