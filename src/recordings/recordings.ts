/** All recordings of this gateway, in a folder: `<year>-<month>/<call id>.ogg`. */
import { createReadStream } from 'node:fs';
import { glob, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { OpenRecording, RecordingSink } from '#sip/recording.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { RecordedFact } from '#src/persistence/call-facts.ts';
import { createRecorder } from './recorder.ts';
import { openRecordingFile, partExtension } from './recording-file.ts';
import { createVorbisEncoders, vorbisContentType } from './vorbis-encoder.ts';

export type StoredRecording = {
  bytes: number;
  /** `start` and `end` are inclusive. */
  read(range?: { start: number; end: number }): Readable;
  close(): Promise<void>;
};

export type Recordings = {
  /** Begins the recording of a call. */
  begin: OpenRecording;
  /** A completed recording; `undefined` when its file is not where it should be. */
  open(recording: { callId: string; file: string }): Promise<StoredRecording | undefined>;
  /** Fails what is still being written and waits until that is said. */
  close(): Promise<void>;
};

const folderFor = (at: number): string => new Date(at).toISOString().slice(0, 7);

/** A file that is not there is an answer; a disk that cannot be read is an accident. */
const absence = (error: unknown): undefined => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
};

/** Parts of a process that died are of no use to anybody. */
const sweep = async (folder: string): Promise<void> => {
  for await (const part of glob(`*/*${partExtension}`, { cwd: folder })) {
    await rm(join(folder, part), { force: true });
  }
};

export const createRecordings = async (options: {
  folder: string;
  publish: (callId: string, fact: Extract<RecordedFact, { type: `recording.${string}` }>) => void;
  clock: Clock;
  logger: Logger;
}): Promise<Recordings> => {
  const { folder, publish, clock, logger } = options;
  const underWay = new Map<RecordingSink, Promise<void>>();
  const newEncoder = createVorbisEncoders();
  await sweep(folder);

  const begin: OpenRecording = (callId) => {
    const file = join(folderFor(clock.now()), `${callId}.ogg`);
    const { promise, resolve } = Promise.withResolvers<void>();
    const sink = createRecorder(
      () => openRecordingFile(join(folder, file), newEncoder),
      (outcome) => {
        underWay.delete(sink);
        if (outcome.status === 'failed') {
          logger.error({ call_id: callId, err: outcome.error }, 'a recording failed');
          publish(callId, { type: 'recording.failed', at: clock.now() });
        } else {
          const { durationSec, bytes } = outcome;
          logger.info({ call_id: callId, duration_sec: durationSec, bytes }, 'a recording is complete');
          publish(callId, {
            type: 'recording.completed',
            at: clock.now(),
            contentType: vorbisContentType,
            durationSec,
            bytes,
            file,
          });
        }
        resolve();
      },
    );
    underWay.set(sink, promise);
    return sink;
  };

  return {
    begin,
    async open({ file }) {
      const path = join(folder, file);
      const found = await stat(path).catch(absence);
      if (found === undefined || !found.isFile()) return undefined;
      return {
        bytes: found.size,
        read: (range) => createReadStream(path, range),
        close: () => Promise.resolve(),
      };
    },
    async close() {
      for (const sink of underWay.keys())
        sink.fail(new Error('The gateway ended before the recording was complete'));
      await Promise.all(underWay.values());
    },
  };
};
