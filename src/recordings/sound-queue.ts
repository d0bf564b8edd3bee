/**
 * Sound on its way from a call to its encoder: taken at any moment, given out in pieces. So much of it may wait, for
 * encoding that does not keep up never will.
 */
import { recordingSampleRate } from '#sip/recording-sink.ts';
import type { Stretch } from './encoder.ts';

/** So much is encoded before others get their turn: some five milliseconds of work. */
const pieceSamples = recordingSampleRate;

/** So little waits that more may come from whoever need not hurry: ten seconds. */
const drainedSamples = 10 * recordingSampleRate;

/** Sound that may wait to be encoded: two minutes, 8 MB. */
const maxWaitingSamples = 120 * recordingSampleRate;

/** `finished`: all of it came. `cut`: there would have been more. `left`: more comes in another process. */
export type SoundEnd = 'finished' | 'cut' | 'left';

export type SoundQueue = {
  /** Takes a copy. Behind the end nothing is taken. */
  push(sound: Stretch): void;
  /** When little waits, or nothing is taken any more. */
  drained(): Promise<void>;
  /** Only the first end counts. Behind an error nothing is given out any more. */
  end(how: SoundEnd | Error): void;
  /** The next piece as soon as there is one, and behind the last one the end. Rejects with the error that is the end. */
  next(): Promise<Stretch[] | SoundEnd>;
  /** Throws the error that is the end, where it is one. */
  throwIfFailed(): void;
  /** Lets go of what waits: nobody asks for it any more. */
  discard(): void;
};

export const createSoundQueue = (): SoundQueue => {
  const waiting: Stretch[] = [];
  let waitingSamples = 0;
  let ended: SoundEnd | Error | undefined;
  let wake = (): void => {};
  let tellDrained: (() => void)[] = [];

  const isDrained = (): boolean => ended !== undefined || waitingSamples <= drainedSamples;

  const lookWhetherDrained = (): void => {
    if (!isDrained()) return;
    for (const tell of tellDrained) tell();
    tellDrained = [];
  };

  const end = (how: SoundEnd | Error): void => {
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
      if (!isDrained()) await new Promise<void>((resolve) => tellDrained.push(resolve));
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
