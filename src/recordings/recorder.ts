/** Recording of one call by this gateway: accepts audio at any time, writes it into a raw part in the background. */
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RecordingSink } from '#sip/audio/recording-sink.ts';
import { createAudioQueue, type AudioEnd } from './audio-queue.ts';
import { syncFolder } from './sync-folder.ts';

export type RecordingOutcome =
  | { status: AudioEnd }
  /** The part contains the audio that was written before the error. */
  | { status: 'failed'; error: Error };

export type Recorder = RecordingSink & {
  /** Stops accepting audio. The received audio remains. */
  cut(): void;
};

/** File of a raw part that is being written. */
export type PartFile = {
  append(bytes: Uint8Array): Promise<void>;
  /** Closes the file when all audio is on the disk. `hasEnd`: the call has ended. */
  close(hasEnd: boolean): Promise<void>;
  /** Closes the file after an error. */
  abandon(): Promise<void>;
};

/**
 * Creates the file `path`, which is renamed to `endPath` when the call has ended. After an error an empty file is
 * removed.
 */
export const openPartFile = async (path: string, endPath: string): Promise<PartFile> => {
  const file: FileHandle = await open(path, 'w', 0o600);
  return {
    append: (bytes) => file.appendFile(bytes),
    async close(hasEnd) {
      await file.sync();
      await file.close();
      if (hasEnd) await rename(path, endPath);
      await syncFolder(dirname(path));
    },
    async abandon() {
      const { size } = await file.stat();
      await file.close();
      if (size === 0) await rm(path, { force: true });
    },
  };
};

/**
 * `onOutcome` is called exactly once, when the part is written or writing it failed; it must not throw. The file is
 * opened with the first audio. The part of a failed recording remains.
 */
export const createRecorder = (
  openFile: () => Promise<PartFile>,
  onOutcome: (outcome: RecordingOutcome) => void | Promise<void>,
): Recorder => {
  const audio = createAudioQueue();
  let recording: Promise<void> | null = null;

  const record = async (): Promise<RecordingOutcome> => {
    let file: PartFile | undefined;
    try {
      audio.throwIfFailed();
      file = await openFile();
      let chunk = await audio.next();
      for (; typeof chunk !== 'string'; chunk = await audio.next()) await file.append(chunk);
      await file.close(chunk === 'finished');
      return { status: chunk };
    } catch (error) {
      audio.discard();
      // An error of closing the file is ignored, because the first error is more informative.
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

  /** Ends a recording. A recording without audio has no file. */
  const endWithoutFile = (how: 'cut' | 'left'): void => {
    audio.end(how);
    recording ??= Promise.resolve<RecordingOutcome>({ status: how }).then(onOutcome);
  };

  return {
    write(counterparty, agent) {
      audio.push({ counterparty, agent });
      begin();
    },
    drained: audio.drained,
    finish() {
      audio.end('finished');
      begin();
    },
    leave: () => endWithoutFile('left'),
    fail(error) {
      audio.end(error);
      begin();
    },
    cut: () => endWithoutFile('cut'),
  };
};
