/** Uploads of raw parts in tests. */
import type { PartUploadNumbers } from '#src/recordings/part-uploads.ts';
import { bytesPerSecond } from '#src/recordings/raw-part.ts';

/** Seconds of audio after which a piece of a part is uploaded. */
export const pieceSec = 2;

export const partNumbers: PartUploadNumbers = {
  pieceBytes: pieceSec * bytesPerSecond,
  mostBytes: 3 * bytesPerSecond,
  atOnce: 2,
  retryFirstMs: 20,
  retryLongestMs: 80,
  closeMs: 60_000,
};
