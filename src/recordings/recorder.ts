/** The recording of one call: takes sound at any moment, writes it in the background, tells how it ended once. */
import type { RecordingSink } from '#sip/recording.ts';
import type { RecordingFile } from './recording-file.ts';

export type RecordingOutcome =
  { status: 'completed'; durationSec: number; bytes: number } | { status: 'failed'; error: Error };

/** Samples of both channels that may wait for the disk: about four minutes. */
const maxWaitingSamples = 8_000_000;

type Stretch = { counterparty: Int16Array; agent: Int16Array };

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error('The recording failed', { cause: error });

/** `onOutcome` is called exactly once. The file is opened with the first sound. */
export const createRecorder = (
  openFile: () => Promise<RecordingFile>,
  onOutcome: (outcome: RecordingOutcome) => void,
): RecordingSink => {
  const waiting: Stretch[] = [];
  let waitingSamples = 0;
  let file: RecordingFile | undefined;
  let isWriting = false;
  let isFinished = false;
  let failure: Error | undefined;
  let isOver = false;

  const settle = (outcome: RecordingOutcome): void => {
    isOver = true;
    waiting.length = 0;
    onOutcome(outcome);
  };

  const giveUp = async (error: Error): Promise<void> => {
    try {
      await file?.discard();
    } catch {
      // What is left behind ends in `.part` and is swept away at the next start.
    }
    settle({ status: 'failed', error });
  };

  const writeAll = async (): Promise<void> => {
    file ??= await openFile();
    for (let next = waiting.shift(); next !== undefined && failure === undefined; next = waiting.shift()) {
      waitingSamples -= next.counterparty.length * 2;
      await file.append(next.counterparty, next.agent);
    }
  };

  const work = async (): Promise<void> => {
    if (isWriting || isOver) return;
    isWriting = true;
    try {
      while (failure === undefined && (waiting.length > 0 || (isFinished && file === undefined)))
        await writeAll();
      if (failure !== undefined) await giveUp(failure);
      else if (isFinished && file !== undefined) settle({ status: 'completed', ...(await file.complete()) });
    } catch (error) {
      await giveUp(asError(error));
    } finally {
      isWriting = false;
    }
    // Something may have come while the last of it was settled.
    if (!isOver && (isFinished || failure !== undefined || waiting.length > 0)) await work();
  };

  return {
    write(counterparty, agent) {
      if (isFinished || failure !== undefined || isOver) return;
      if (counterparty.length !== agent.length) {
        failure = new Error('The two sides of a recording must have the same length');
      } else if (waitingSamples > maxWaitingSamples) {
        failure = new Error('The disk does not keep up with the recording');
      } else {
        waiting.push({ counterparty, agent });
        waitingSamples += counterparty.length * 2;
      }
      void work();
    },
    finish() {
      if (isFinished || failure !== undefined || isOver) return;
      isFinished = true;
      void work();
    },
    fail(error) {
      if (isFinished || failure !== undefined || isOver) return;
      failure = error;
      void work();
    },
  };
};
