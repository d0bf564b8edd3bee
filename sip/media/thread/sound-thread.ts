/** The thread of the sound as the main thread sees it: channels that are opened in it, and what is heard of them. */
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { ringMemory, SampleRing } from '../sample-ring.ts';
import type { Figures, FromSoundThread, RtpAgreement, ToSoundThread } from './messages.ts';

export type SoundEvents = {
  onSound: (samples: Int16Array) => void;
  onKey: (key: string) => void;
  /** The thread has ended: no sound is carried any more. */
  onLost: () => void;
};

/** The sound of one call in the thread. */
export type SoundChannel = {
  /** Where the far end's sound is taken in. */
  readonly port: number;
  /** What is said, on its way out. */
  readonly sound: SampleRing;
  agree(agreement: RtpAgreement): void;
  press(keys: string): void;
  /** As they were told last, at most a second ago. */
  figures(): Figures;
  /** As they are now; as they were told last where the thread has ended. */
  measured(): Promise<Figures>;
  listen(events: SoundEvents): void;
  close(): void;
};

export type SoundThread = {
  /** Takes ports for a call. Rejects when none is free. */
  open(address: string): Promise<SoundChannel>;
  close(): Promise<void>;
};

/** Eight seconds; the rest of a longer utterance follows as it is said. */
const ringSamples = 65_536;

const noFigures: Figures = {
  sent: 0,
  received: 0,
  lost: 0,
  jitterMs: 0,
  lossThere: null,
  jitterThereMs: null,
  isHeardThere: null,
  roundTripMs: null,
  remote: null,
  silentMs: null,
};

/** What is known here of one call. */
type Entry = { events: SoundEvents | null; figures: Figures; measuring: ((figures: Figures) => void)[] };

type Opening = { resolve: (port: number) => void; reject: (error: Error) => void };

/** Whoever waits for figures gets the last. */
const settle = ({ measuring, figures }: Entry): void => {
  for (const resolve of measuring.splice(0)) resolve(figures);
};

/** What is known here of the calls in the thread. */
const createRegister = () => {
  const opening = new Map<number, Opening>();
  const channels = new Map<number, Entry>();
  let lastId = 0;

  return {
    add() {
      const id = (lastId += 1);
      const { promise: port, ...settle } = Promise.withResolvers<number>();
      opening.set(id, settle);
      channels.set(id, { events: null, figures: noFigures, measuring: [] });
      return { id, port };
    },
    figures: (id: number): Figures => channels.get(id)?.figures ?? noFigures,
    /** Resolves with what is told next of it. */
    measured: (id: number): Promise<Figures> =>
      new Promise((resolve) => {
        const entry = channels.get(id);
        if (entry === undefined) resolve(noFigures);
        else entry.measuring.push(resolve);
      }),
    listen(id: number, events: SoundEvents): void {
      const channel = channels.get(id);
      if (channel !== undefined) channel.events = events;
    },
    remove(id: number): void {
      opening.delete(id);
      const entry = channels.get(id);
      channels.delete(id);
      if (entry !== undefined) settle(entry);
    },
    take(message: FromSoundThread): void {
      switch (message.type) {
        case 'opened':
          return opening.get(message.id)?.resolve(message.port);
        case 'refused':
          return opening.get(message.id)?.reject(new Error(message.reason));
        case 'figures': {
          const channel = channels.get(message.id);
          if (channel === undefined) return undefined;
          channel.figures = message.figures;
          return settle(channel);
        }
        case 'heard':
          for (const { id, samples } of message.sounds) channels.get(id)?.events?.onSound(samples);
          for (const { id, key } of message.keys) channels.get(id)?.events?.onKey(key);
          return undefined;
      }
    },
    /** The thread has ended, and with it everything in it. */
    loseAll(): void {
      const lost = [...channels.values()];
      const refused = [...opening.values()];
      channels.clear();
      opening.clear();
      for (const { reject } of refused) reject(new Error('The thread of the sound has ended'));
      for (const entry of lost) {
        settle(entry);
        entry.events?.onLost();
      }
    },
  };
};

export const createSoundThread = (options: {
  ports: { from: number; to: number };
  logger: Logger;
}): SoundThread => {
  const register = createRegister();
  /** From the first call on: where no sound is carried here, there is no thread. */
  let worker: Worker | null = null;
  let isClosed = false;

  const tell = (message: ToSoundThread): void => worker?.postMessage(message);

  const start = (): Worker => {
    const workerData = { ports: options.ports };
    const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData });
    started.on('message', register.take);
    started.on('error', (error) =>
      options.logger.error({ err: error }, 'the thread of the sound has failed'),
    );
    started.on('exit', () => {
      worker = null;
      register.loseAll();
    });
    return started;
  };

  return {
    async open(address) {
      if (isClosed) throw new Error('No sound is carried any more');
      worker ??= start();
      const { id, port } = register.add();
      const sound = ringMemory(ringSamples);
      tell({ type: 'open', id, address, sound });
      try {
        return {
          port: await port,
          sound: new SampleRing(sound),
          agree: (agreement) => tell({ type: 'agree', id, agreement }),
          press: (keys) => tell({ type: 'press', id, keys }),
          figures: () => register.figures(id),
          measured() {
            const measured = register.measured(id);
            tell({ type: 'measure', id });
            return measured;
          },
          listen: (events) => register.listen(id, events),
          close() {
            register.remove(id);
            tell({ type: 'close', id });
          },
        };
      } catch (error) {
        register.remove(id);
        throw error;
      }
    },
    async close() {
      isClosed = true;
      await worker?.terminate();
    },
  };
};
