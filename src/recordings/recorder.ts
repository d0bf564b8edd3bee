/** The recording of one call: takes sound at any moment, writes it in the background, tells how it ended once. */
import { setImmediate } from 'node:timers/promises';
import { recordingSampleRate, type RecordingSink } from '#sip/recording.ts';
import type { RecordingFile } from './recording-file.ts';
import type { Stretch } from './encoder.ts';

type Completed = { status: 'completed'; durationSec: number; bytes: number; truncated: boolean };

export type RecordingOutcome = Completed | { status: 'failed'; error: Error };

/** So much is encoded before others get their turn: some five milliseconds of work. */
const pieceSamples = recordingSampleRate;

/** Sound that may wait to be encoded: two minutes, 8 MB. */
const maxWaitingSamples = 120 * recordingSampleRate;

export type Recorder = RecordingSink & {
  /** No more sound is taken: what came until now is kept, and where that is nothing, the recording fails. */
  cut(): void;
};

/**
 * `onOutcome` is called exactly once, when the recording was finished or has failed; it must not throw. The file is
 * opened with the first sound.
 */
export const createRecorder = (
  openFile: () => Promise<RecordingFile>,
  onOutcome: (outcome: RecordingOutcome) => void,
): Recorder => {
  const waiting: Stretch[] = [];
  let waitingSamples = 0;
  /** Why no more sound is taken. */
  let end: 'finished' | 'cut' | Error | undefined;
  let isBegun = false;
  let goOn = (): void => {};

  const takePiece = (): Stretch[] => {
    const piece: Stretch[] = [];
    for (let samples = 0; samples < pieceSamples;) {
      const next = waiting.shift();
      if (next === undefined) break;
      samples += next.counterparty.length;
      piece.push(next);
    }
    for (const { counterparty } of piece) waitingSamples -= counterparty.length;
    return piece;
  };

  const writeAll = async (file: RecordingFile): Promise<Omit<Completed, 'status'>> => {
    for (;;) {
      if (end instanceof Error) throw end;
      const piece = takePiece();
      if (piece.length > 0) {
        file.append(piece);
        await setImmediate();
      } else if (end !== undefined) {
        const truncated = end === 'cut';
        return { ...(await file.complete(truncated)), truncated };
      } else {
        const { promise, resolve } = Promise.withResolvers<void>();
        goOn = resolve;
        await promise;
      }
    }
  };

  const record = async (): Promise<RecordingOutcome> => {
    let file: RecordingFile | undefined;
    try {
      if (end instanceof Error) throw end;
      file = await openFile();
      return { status: 'completed', ...(await writeAll(file)) };
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error('The recording failed', { cause });
      end = error;
      waiting.length = 0;
      // What cannot be removed is swept away at the next start; the first error says more about why.
      await file?.discard().catch(() => {});
      return { status: 'failed', error };
    }
  };

  const work = (): void => {
    goOn();
    if (isBegun) return;
    isBegun = true;
    void record().then(onOutcome);
  };

  return {
    write(counterparty, agent) {
      if (end !== undefined) return;
      if (counterparty.length !== agent.length)
        end = new Error('The two sides of a recording must have the same length');
      else if (waitingSamples > maxWaitingSamples)
        end = new Error('Encoding does not keep up with the recording');
      else {
        for (let at = 0; at < agent.length; at += pieceSamples)
          waiting.push({
            counterparty: counterparty.slice(at, at + pieceSamples),
            agent: agent.slice(at, at + pieceSamples),
          });
        waitingSamples += agent.length;
      }
      work();
    },
    finish() {
      end ??= 'finished';
      work();
    },
    fail(error) {
      end ??= error;
      work();
    },
    cut() {
      end ??= isBegun ? 'cut' : new Error('The gateway ended before anything was recorded');
      work();
    },
  };
};
