/**
 * Formats of recordings. This module is separate from the encoder, whose code (0.8 MB) only the encoding thread needs:
 * calls of a killed gateway wait for the modules of the main thread.
 */

/** Formats of recordings, which are also the file extensions. */
export type RecordingFormat = 'ogg' | 'mp3';

export const contentTypes = { ogg: 'audio/ogg', mp3: 'audio/mpeg' } as const;

/** Constant bit rate in kbit/s for both parties, so that a time can be converted to a file position. */
export const mp3Bitrate = 64;
