/** A part of a file, in bytes from its beginning; both ends are inclusive, as in a `Range` header. */
export type ByteRange = { start: number; end: number };

/** A complete recording that is about to be read: once, or closed. A stream closes it at its end. */
export type OpenRecording<Stream> = {
  bytes: number;
  read(range?: ByteRange): Promise<Stream>;
  close(): Promise<void>;
};
