/**
 * Queue of audio from a call to its encoder: accepts audio at any time and returns it in pieces. The queue is limited,
 * because an encoder that falls this far behind never catches up.
 */
import { recordingSampleRate } from '#sip/audio/recording-sink.ts';
import type { Stretch } from './encoder.ts';

/** Length of a piece, whose encoding takes about five milliseconds. */
const pieceSamples = recordingSampleRate;

/** Queue length below which producers that can wait may send more: ten seconds. */
const drainedSamples = 10 * recordingSampleRate;

/** Maximum length of the queue: two minutes, 8 MB. */
const maxWaitingSamples = 120 * recordingSampleRate;

/** `finished`: complete. `cut`: the end is missing. `left`: another process continues. */
export type AudioEnd = 'finished' | 'cut' | 'left';

export type AudioQueue = {
  /** Adds a copy of the audio. Ignored after the end. */
  push(sound: Stretch): void;
  /** Resolves when the queue is short or has ended. */
  drained(): Promise<void>;
  /** Ends the queue; only the first end counts. After an error no audio is returned. */
  end(how: AudioEnd | Error): void;
  /**
   * Returns the next piece as soon as there is one, and the end after the last piece. Rejects if the queue ended with an error.
   */
  next(): Promise<Stretch[] | AudioEnd>;
  /** Throws if the queue ended with an error. */
  throwIfFailed(): void;
  /** Discards the queued audio. */
  discard(): void;
};

export const createAudioQueue = (): AudioQueue => {
  const waiting: Stretch[] = [];
  let waitingSamples = 0;
  let ended: AudioEnd | Error | undefined;
  let wake = (): void => {};
  let notifyDrained: (() => void)[] = [];

  const isDrained = (): boolean => ended !== undefined || waitingSamples <= drainedSamples;

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

  const takePiece = (): Stretch[] => {
    const piece: Stretch[] = [];
    for (let samples = 0; samples < pieceSamples;) {
      const next = waiting.shift();
      if (next === undefined) break;
      samples += next.counterparty.length;
      piece.push(next);
    }
    for (const { counterparty } of piece) waitingSamples -= counterparty.length;
    lookWhetherDrained();
    return piece;
  };

  return {
    push({ counterparty, agent }) {
      if (ended !== undefined) return undefined;
      if (counterparty.length !== agent.length)
        return end(new Error('The two sides of a recording must have the same length'));
      if (waitingSamples > maxWaitingSamples)
        return end(new Error('Encoding does not keep up with the recording'));
      for (let at = 0; at < agent.length; at += pieceSamples)
        waiting.push({
          counterparty: counterparty.slice(at, at + pieceSamples),
          agent: agent.slice(at, at + pieceSamples),
        });
      waitingSamples += agent.length;
      return wake();
    },
    async drained() {
      if (!isDrained()) await new Promise<void>((resolve) => notifyDrained.push(resolve));
    },
    end,
    async next() {
      for (;;) {
        if (ended instanceof Error) throw ended;
        if (waiting.length > 0) return takePiece();
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
      waitingSamples = 0;
    },
  };
};
