/**
 * Queue of audio from a call to the file of its raw part: accepts audio at any time and returns it as bytes in chunks.
 * The queue is limited, because a disk that falls this far behind never catches up.
 */
import type { Stretch } from './encoder.ts';
import { bytesPerSecond, momentBytes, writeMoments } from './raw-part.ts';

/** Size of a chunk: half a second, which is the most that a killed process loses. */
const chunkBytes = bytesPerSecond / 2;

/** Queue length below which producers that can wait may send more: ten seconds. */
const drainedBytes = 10 * bytesPerSecond;

/** Maximum length of the queue: two minutes, 4 MB. */
const maxWaitingBytes = 120 * bytesPerSecond;

/** `finished`: the call has ended. `cut`: the end is missing. `left`: another process continues. */
export type AudioEnd = 'finished' | 'cut' | 'left';

export type AudioQueue = {
  /** Adds a copy of the audio. Audio after the end is ignored. */
  push(audio: Stretch): void;
  /** Resolves when the queue is short or has ended. */
  drained(): Promise<void>;
  /** Ends the queue. Only the first end counts. After an error the queue returns no audio. */
  end(how: AudioEnd | Error): void;
  /**
   * Resolves to the next full chunk as soon as there is one. After the end, resolves to the rest of the audio and then
   * to the end. Rejects if the queue ended with an error. A chunk may be used until the next call: its memory is used
   * again, because memory outside the heap that is allocated all the time makes V8 collect the whole heap.
   */
  next(): Promise<Uint8Array | AudioEnd>;
  /** Throws if the queue ended with an error. */
  throwIfFailed(): void;
  /** Discards the queued audio. */
  discard(): void;
};

export const createAudioQueue = (): AudioQueue => {
  /** Full chunks. */
  const waiting: Uint8Array[] = [];
  /** The chunk that is being filled; `null` while the chunk is empty. */
  let filling: { bytes: Uint8Array; length: number } | null = null;
  /** The chunk that `next` returned last, and one that is used up. */
  let lent: Uint8Array | null = null;
  let spare: Uint8Array | null = null;
  let ended: AudioEnd | Error | undefined;
  let wake = (): void => {};
  let notifyDrained: (() => void)[] = [];

  const waitingBytes = (): number => waiting.length * chunkBytes;
  const isDrained = (): boolean => ended !== undefined || waitingBytes() <= drainedBytes;

  const lookWhetherDrained = (): void => {
    if (!isDrained()) return;
    for (const tell of notifyDrained) tell();
    notifyDrained = [];
  };

  const end = (how: AudioEnd | Error): void => {
    ended ??= how;
    wake();
    lookWhetherDrained();
  };

  const emptyChunk = (): Uint8Array => {
    const bytes = spare ?? new Uint8Array(chunkBytes);
    spare = null;
    return bytes;
  };

  const fill = ({ counterparty, agent }: Stretch): void => {
    for (let from = 0; from < agent.length;) {
      filling ??= { bytes: emptyChunk(), length: 0 };
      const to = Math.min(agent.length, from + (chunkBytes - filling.length) / momentBytes);
      const piece = { counterparty: counterparty.subarray(from, to), agent: agent.subarray(from, to) };
      writeMoments(piece, filling.bytes, filling.length);
      filling.length += (to - from) * momentBytes;
      from = to;
      if (filling.length < chunkBytes) return;
      waiting.push(filling.bytes);
      filling = null;
    }
  };

  const takeRest = (): Uint8Array | undefined => {
    const rest = filling?.bytes.subarray(0, filling.length);
    filling = null;
    return rest;
  };

  return {
    push(audio) {
      if (ended !== undefined) return undefined;
      if (audio.counterparty.length !== audio.agent.length)
        return end(new Error('The two sides of a recording must have the same length'));
      if (waitingBytes() > maxWaitingBytes)
        return end(new Error('The disk does not keep up with the recording'));
      fill(audio);
      return waiting.length > 0 ? wake() : undefined;
    },
    async drained() {
      if (!isDrained()) await new Promise<void>((resolve) => notifyDrained.push(resolve));
    },
    end,
    async next() {
      spare ??= lent;
      lent = null;
      for (;;) {
        if (ended instanceof Error) throw ended;
        const full = waiting.shift();
        const chunk = full ?? (ended === undefined ? undefined : takeRest());
        lookWhetherDrained();
        lent = full ?? null;
        if (chunk !== undefined) return chunk;
        if (ended !== undefined) return ended;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    throwIfFailed() {
      if (ended instanceof Error) throw ended;
    },
    discard() {
      end('cut');
      waiting.length = 0;
      filling = null;
    },
  };
};
