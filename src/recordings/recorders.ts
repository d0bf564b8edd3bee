/** The recordings of this gateway that are being written. */
import type { Logger } from 'pino';
import type { OpenRecording } from '#sip/recording.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createEncoders, type RecordingFormat } from './encoder.ts';
import { createRecorder, type Recorder, type RecordingOutcome } from './recorder.ts';
import { openRecordingFile, truncatedName } from './recording-file.ts';
import type { CompleteFile, RecordingFolder } from './recording-folder.ts';

export type Recorders = {
  /** Begins the recording of a call. */
  begin: OpenRecording;
  /** Cuts off what is still being written and waits until that is said. */
  close(): Promise<void>;
};

export const createRecorders = (options: {
  folder: Pick<RecordingFolder, 'nameFor' | 'pathOf'>;
  format: RecordingFormat;
  onComplete: (file: CompleteFile) => void;
  onFailed: (callId: string) => void;
  clock: Clock;
  logger: Logger;
}): Recorders => {
  const { folder, format, clock, logger } = options;
  const underWay = new Map<Recorder, Promise<void>>();
  const newEncoder = createEncoders(format);

  const tell = (callId: string, file: string, outcome: RecordingOutcome): void => {
    if (outcome.status === 'failed') {
      logger.error({ call_id: callId, err: outcome.error }, 'a recording failed');
      options.onFailed(callId);
      return;
    }
    const { durationSec, bytes, truncated } = outcome;
    const name = truncated ? truncatedName(file) : file;
    options.onComplete({ callId, file: name, format, durationSec, bytes, truncated, savedAt: clock.now() });
  };

  return {
    begin(callId) {
      const file = folder.nameFor(callId, clock.now(), format);
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const recorder = createRecorder(
        () => openRecordingFile(folder.pathOf(file), newEncoder),
        (outcome) => {
          underWay.delete(recorder);
          tell(callId, file, outcome);
          end();
        },
      );
      underWay.set(recorder, ended);
      return recorder;
    },
    async close() {
      for (const recorder of underWay.keys()) recorder.cut();
      await Promise.all(underWay.values());
    },
  };
};
