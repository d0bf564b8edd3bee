/** Recording of one call: accepts audio at any time, writes it in the background and reports its outcome once. */
import { setImmediate } from 'node:timers/promises';
import type { RecordingSink } from '#sip/audio/recording-sink.ts';
import type { CompleteAudio, RecordingFile } from './recording-file.ts';
import { createAudioQueue } from './audio-queue.ts';

export type RecordingOutcome =
  | ({ status: 'completed' } & CompleteAudio)
  | { status: 'failed'; error: Error }
  /** The recording was released, because another process continues the file. */
  | { status: 'left' };

export type Recorder = RecordingSink & {
  /** Stops accepting audio and keeps what was received; without any audio the recording fails. */
  cut(): void;
};

/**
 * `onOutcome` is called exactly once, when the recording is finished or failed; it must not throw. The file is opened
 * with the first audio. The partial file of a failed recording is kept.
 */
export const createRecorder = (
  openFile: () => Promise<RecordingFile>,
  onOutcome: (outcome: RecordingOutcome) => void | Promise<void>,
): Recorder => {
  const sound = createAudioQueue();
  let recording: Promise<void> | null = null;

  const record = async (): Promise<RecordingOutcome> => {
    let file: RecordingFile | undefined;
    try {
      sound.throwIfFailed();
      file = await openFile();
      let piece = await sound.next();
      for (; typeof piece !== 'string'; piece = await sound.next()) {
        await file.append(piece);
        await setImmediate();
      }
      if (piece === 'left') {
        await file.leave();
        return { status: 'left' };
      }
      return { status: 'completed', ...(await file.complete(piece === 'cut')) };
    } catch (error) {
      sound.discard();
      // Keeps the first error, which is more informative than an error of closing the file.
      await file?.abandon().catch(() => {});
      return {
        status: 'failed',
        error: error instanceof Error ? error : new Error('The recording failed', { cause: error }),
      };
    }
  };

  const begin = (): void => {
    recording ??= record().then(onOutcome);
  };

  return {
    write(counterparty, agent) {
      sound.push({ counterparty, agent });
      begin();
    },
    drained: sound.drained,
    finish() {
      sound.end('finished');
      begin();
    },
    leave() {
      sound.end('left');
      // Without audio there is no file.
      recording ??= Promise.resolve<RecordingOutcome>({ status: 'left' }).then(onOutcome);
    },
    fail(error) {
      sound.end(error);
      begin();
    },
    cut() {
      const nothing = new Error('The gateway ended before anything was recorded');
      sound.end(recording === null ? nothing : 'cut');
      begin();
    },
  };
};
